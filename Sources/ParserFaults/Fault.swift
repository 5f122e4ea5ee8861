public import OTAManifest

/// What a host does wrong, by the name that stands on a command line.
public enum Fault: String, CaseIterable, Sendable {
  /// Answers as a good host does; for scripts.
  case none
  // The connection.
  /// Takes the request and never answers.
  case silent
  /// Sends half of the file, then resets the connection.
  case reset
  /// Sends the file a few bytes a second; the value is the number of bytes, 100 when left out.
  case slow
  // The body.
  /// Announces the whole file, sends half of it and closes.
  case truncated
  /// Sends the first 60 % over HTTP/1.0 without a length, so that nothing shows that it was cut.
  case cutWithoutLength = "cut-without-length"
  /// Sends the whole file without a length; a client must take it.
  case noLength = "no-length"
  /// Sends the whole file over HTTP/1.0 with a length; a client must take it.
  case http10
  /// Sends bytes without end.
  case endless
  /// Sends gzip that unpacks to twenty times its size, although nobody asked for it.
  case bomb
  /// Sends the file with one byte changed.
  case damaged
  /// Sends the right file as `text/html`; a client must take it.
  case wrongType = "wrong-type"
  /// Sends the right file labelled as `br`; a client must take it.
  case wrongEncoding = "wrong-encoding"
  // The head.
  /// Sends ten megabytes of header fields.
  case hugeHeaders = "huge-headers"
  /// Answers 304 to whatever is asked.
  case false304 = "false-304"
  /// Redirects to itself.
  case redirectLoop = "redirect-loop"
  /// Redirects from https, or from this machine, to plain http elsewhere.
  case downgrade
  /// Answers with a page and 200.
  case html
  /// Redirects to a login page on another host name, as networks do before they let a device through.
  case portal
  // A resume.
  /// Breaks whole files off half way, and answers a resume with another range.
  case wrongRange = "wrong-range"
  /// Breaks whole files off half way, and answers a resume with 416 and the right size.
  case refusedRange = "416"
  /// Breaks whole files off half way, and answers a resume with a bare 416.
  case bareRefusedRange = "416-bare"
  /// Breaks whole files off half way, and answers a resume with bytes of another file.
  case changed
  // Statuses; the value is `Retry-After` in seconds.
  /// 403.
  case forbidden = "403"
  /// 404.
  case missing = "404"
  /// 410.
  case gone = "410"
  /// 429.
  case rateLimited = "429"
  /// 429 with `Retry-After` as a date.
  case rateLimitedDate = "429-date"
  /// 500.
  case serverError = "500"
  /// 503.
  case unavailable = "503"
  // The content of the feed.
  /// Answers for `sources.json` with the catalog of another release.
  case splitPair = "split-pair"
  /// Answers with metadata, or files, of the state before.
  case mixed
  /// Answers with the newest manifest and signatures as they were when the server started, or were last remembered.
  case replay
  /// Answers with a timestamp that ran out an hour ago; needs a release key.
  case expired
  /// Answers with a timestamp that another key has signed.
  case wrongKey = "wrong-key"

  /// Whether the fault is in how a file is sent, so that it needs one.
  var needsFile: Bool {
    switch self {
    case .none, .silent, .hugeHeaders, .redirectLoop, .downgrade, .html, .portal, .forbidden, .missing, .gone,
      .rateLimited, .rateLimitedDate, .serverError, .unavailable:
      false
    default: true
    }
  }

  /// Whether the fault is in what a signed feed says.
  var needsSignatures: Bool { self == .expired || self == .wrongKey }

  /// Whether a value may follow the name.
  var takesValue: Bool {
    switch self {
    case .slow, .rateLimited, .rateLimitedDate, .serverError, .unavailable: true
    default: false
    }
  }
}

/// A fault, where it shows, and how often: `truncated:sources.json*2`.
public struct FaultRule: Equatable, Sendable, CustomStringConvertible {
  /// What goes wrong.
  public let fault: Fault
  /// A number that belongs to the fault; `nil` for its usual one.
  public let value: Int?
  /// The end of the names that it concerns, such as `sources.json`; `nil` for every file.
  public let file: String?
  /// For how many requests; `nil` until it is taken away.
  public let times: Int?

  /// Makes a rule.
  public init(_ fault: Fault, value: Int? = nil, file: String? = nil, times: Int? = nil) {
    self.fault = fault
    self.value = value
    self.file = file
    self.times = times
  }

  /// Reads `NAME[=NUMBER][:FILE][*TIMES]`.
  ///
  /// - Throws: `InputError` whose detail reads on from the name of the option.
  public init(_ text: String) throws(InputError) {
    var rest = text[...]
    times = try Self.number(after: "*", in: &rest, 1...1_000_000)
    if let colon = rest.firstIndex(of: ":") {
      let name = rest[rest.index(after: colon)...].drop { $0 == "/" }
      guard !name.isEmpty else { throw InputError(.malformed, "names no file after the colon") }
      file = String(name)
      rest = rest[..<colon]
    } else {
      file = nil
    }
    value = try Self.number(after: "=", in: &rest, 0...31_536_000)
    guard let fault = Fault(rawValue: String(rest)) else {
      throw InputError(
        .malformed,
        "has no fault \"\(String(rest).printable(maxCharacters: 40))\"; parser-ota help faults lists them")
    }
    guard value == nil || fault.takesValue else {
      throw InputError(.malformed, "gives a number to \(fault.rawValue), which takes none")
    }
    self.fault = fault
  }

  /// Takes a number and the sign before it off the end of a text.
  private static func number(
    after sign: Character, in text: inout Substring, _ range: ClosedRange<Int>
  ) throws(InputError) -> Int? {
    guard let place = text.lastIndex(of: sign) else { return nil }
    let digits = text[text.index(after: place)...]
    let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isNumber, let number = Int(digits), range.contains(number) else {
      throw InputError(
        .malformed, "has no number from \(range.lowerBound) to \(range.upperBound) after \(sign)")
    }
    text = text[..<place]
    return number
  }

  /// The rule as it is written.
  public var description: String {
    fault.rawValue + (value.map { "=\($0)" } ?? "") + (file.map { ":\($0)" } ?? "")
      + (times.map { "*\($0)" } ?? "")
  }

  /// Whether the rule is about a file: `sources.json` stands for every name that ends in it after a slash or a dot.
  func concerns(_ path: String) -> Bool {
    guard let file else { return true }
    guard path.hasSuffix(file) else { return false }
    let before = path.dropLast(file.count).last
    return before == nil || before == "/" || before == "."
  }
}

/// Faults one after the other: a line of a script is a step, with the rules that hold together.
public struct FaultScript: Equatable, Sendable {
  /// The steps in order.
  public let steps: [[FaultRule]]

  /// One step that lasts.
  public init(_ rules: [FaultRule] = []) { steps = rules.isEmpty ? [] : [rules] }

  /// Reads a script: rules with blanks between them, a step a line; `#` begins a remark.
  ///
  /// A step is over when every rule of it was used as often as it says; one without `*TIMES` lasts. After the last step
  /// the host is good.
  ///
  /// - Throws: `InputError` that names the line.
  public init(decoding bytes: [UInt8]) throws(InputError) {
    guard bytes.count <= 64 << 10 else { throw InputError(.tooLarge, "has more than 65536 bytes") }
    var steps: [[FaultRule]] = []
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      var rules: [FaultRule] = []
      for word in line.prefix(while: { $0 != "#" }).split(whereSeparator: \.isWhitespace) {
        do {
          rules.append(try FaultRule(String(word)))
        } catch {
          throw InputError(.malformed, field: "line \(index + 1)", "\(error.detail)")
        }
      }
      if !rules.isEmpty { steps.append(rules) }
    }
    self.steps = steps
  }
}

/// Which fault the next request meets.
struct FaultPlan: Sendable {
  private let script: FaultScript
  /// The step that holds; the number of steps when the host is good.
  private(set) var step = 0
  private var uses: [Int] = []

  init(_ script: FaultScript) {
    self.script = script
    begin(0)
  }

  /// The rules that hold now.
  var rules: [FaultRule] { script.steps.indices.contains(step) ? script.steps[step] : [] }

  /// Chooses the rule for a request and counts it; `nil` when the host behaves.
  mutating func rule(for path: String, isThere: Bool, concerns: (Fault) -> Bool) -> FaultRule? {
    let rules = rules
    let found = rules.indices.first { index in
      let rule = rules[index]
      return uses[index] < rule.times ?? .max && rule.concerns(path) && (isThere || !rule.fault.needsFile)
        && concerns(rule.fault)
    }
    guard let found else { return nil }
    uses[found] += 1
    if zip(rules, uses).allSatisfy({ rule, uses in uses >= rule.times ?? .max }) { begin(step + 1) }
    return rules[found]
  }

  /// Ends the step that holds.
  mutating func next() { begin(step + 1) }

  private mutating func begin(_ step: Int) {
    self.step = min(step, script.steps.count)
    uses = Array(repeating: 0, count: rules.count)
  }
}
