internal import OTAFeed
internal import OTAManifest

/// A request as far as a static host looks at it.
struct FaultRequest: Equatable, Sendable {
  let method: String
  /// The path without the query and without its first slash, percent signs decoded.
  let path: String
  let query: String
  /// Fields by their names in lower case.
  let fields: [String: String]
  let body: [UInt8]

  /// The first byte of `Range: bytes=N-` or `bytes=N-M`.
  var rangeStart: Int? { rangeEnds?.first }

  /// The last byte that is asked for; `nil` for the rest of the file.
  var rangeEnd: Int? { rangeEnds?.last }

  private var rangeEnds: (first: Int, last: Int?)? {
    guard let range = fields["range"], range.hasPrefix("bytes=") else { return nil }
    let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int(ends[0]), first >= 0 else { return nil }
    if ends[1].isEmpty { return (first, nil) }
    guard let last = Int(ends[1]), last >= first else { return nil }
    return (first, last)
  }
}

/// What goes over the connection: a head and steps, so that any misbehaviour can be said.
struct FaultAnswer: Equatable, Sendable {
  enum Step: Equatable, Sendable {
    case send([UInt8])
    /// Until the client leaves or the server stops.
    case sendForever([UInt8])
    case wait(milliseconds: Int)
    /// Nothing, until the client leaves or the server stops.
    case hold
    case reset
  }

  var head: [UInt8]
  var steps: [Step]
  var keepsAlive: Bool
  /// The status as it is recorded; 0 when there is none.
  var status = 0

  init(head: [UInt8] = [], steps: [Step], keepsAlive: Bool = false) {
    self.head = head
    self.steps = steps
    self.keepsAlive = keepsAlive
  }

  /// A head with fields in their order.
  init(
    _ status: Int, _ fields: [(String, String)] = [], steps: [Step] = [], keepsAlive: Bool = true,
    version: String = "1.1"
  ) {
    var text = "HTTP/\(version) \(status) \(Self.reason(status))\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    self.init(head: Array((text + "\r\n").utf8), steps: steps, keepsAlive: keepsAlive)
    self.status = status
  }

  /// A whole answer with its length.
  static func whole(_ status: Int, _ body: [UInt8], _ fields: [(String, String)] = []) -> FaultAnswer {
    FaultAnswer(status, fields + [("Content-Length", "\(body.count)")], steps: [.send(body)])
  }

  static func text(_ status: Int, _ text: String, _ fields: [(String, String)] = []) -> FaultAnswer {
    whole(status, Array(text.utf8), [("Content-Type", "text/plain; charset=utf-8")] + fields)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 206: "Partial Content"
    case 302: "Found"
    case 304: "Not Modified"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 410: "Gone"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}

/// How a good static host answers: types, entity tags, ranges.
struct GoodHost {
  /// The answer for a file; `nil` is one that is not there.
  static func answer(_ request: FaultRequest, _ file: [UInt8]?, entityTag: String) -> FaultAnswer {
    guard let file else { return .text(404, "there is no such file\n") }
    var fields = [("Content-Type", type(of: request.path)), ("ETag", entityTag), ("Accept-Ranges", "bytes")]
    fields.append(("Access-Control-Allow-Origin", "*"))
    fields.append(
      (
        "Cache-Control",
        FeedLayout.kind(of: request.path) == .immutable ? "max-age=31536000, immutable" : "no-cache"
      ))
    if request.fields["if-none-match"] == entityTag { return FaultAnswer(304, fields) }
    let condition = request.fields["if-range"]
    guard let start = request.rangeStart, condition == nil || condition == entityTag else {
      return .whole(200, file, fields)
    }
    guard start < file.count else {
      return .whole(416, [], [("Content-Range", "bytes */\(file.count)")])
    }
    let last = min(request.rangeEnd ?? .max, file.count - 1)
    fields.append(("Content-Range", "bytes \(start)-\(last)/\(file.count)"))
    return .whole(206, Array(file[start...last]), fields)
  }

  static func type(of path: String) -> String {
    if path.hasSuffix(".json") { return "application/json" }
    if path.hasSuffix(".js") { return "text/javascript" }
    return path.hasSuffix(".html") ? "text/html; charset=utf-8" : "application/octet-stream"
  }
}

/// How a host with one fault answers. The content of the file is what the fault wants already.
struct FaultyHost {
  let rule: FaultRule
  let request: FaultRequest
  let file: [UInt8]
  let entityTag: String
  /// The port of the server, for redirects.
  let port: Int
  let now: Timestamp

  var answer: FaultAnswer {
    switch rule.fault {
    case .none, .damaged, .splitPair, .mixed, .replay, .expired, .wrongKey:
      GoodHost.answer(request, file, entityTag: entityTag)
    case .silent: FaultAnswer(steps: [.hold])
    case .hugeHeaders: hugeHead
    case .false304: FaultAnswer(304, [("ETag", entityTag)])
    case .redirectLoop: redirect("/\(request.path)")
    case .downgrade: redirect("http://downgrade.invalid/\(request.path)")
    case .html: Self.loginPage
    case .portal: redirect("http://localhost:\(port)/\(Self.loginPath)")
    case .forbidden, .missing, .gone, .rateLimited, .rateLimitedDate, .serverError, .unavailable: refusal
    case .wrongRange, .refusedRange, .bareRefusedRange, .changed: resumed
    default: body
    }
  }

  /// Where the fault `portal` leads to; nothing of a feed has this name.
  static let loginPath = "login"
  static let loginPage = FaultAnswer.whole(
    200, Array("<!doctype html>\n<title>Sign in to this network</title>\n".utf8),
    [("Content-Type", "text/html; charset=utf-8")])

  private func redirect(_ target: String) -> FaultAnswer {
    FaultAnswer(302, [("Location", target), ("Content-Length", "0")])
  }

  private var refusal: FaultAnswer {
    let status = Int(rule.fault.rawValue.prefix(3)) ?? 500
    var fields: [(String, String)] = []
    if let seconds = rule.value, rule.fault != .rateLimitedDate { fields = [("Retry-After", "\(seconds)")] }
    if rule.fault == .rateLimitedDate {
      fields = [("Retry-After", HTTPDate.text(now.advanced(bySeconds: Int64(rule.value ?? 60))))]
    }
    return .text(status, "this is what was asked for: \(status)\n", fields)
  }

  private var hugeHead: FaultAnswer {
    let line = Array("X-Padding: \(String(repeating: "x", count: 4000))\r\n".utf8)
    let lines = Array(repeating: FaultAnswer.Step.send(line), count: 2600)
    var answer = FaultAnswer(
      head: Array("HTTP/1.1 200 OK\r\n".utf8), steps: lines + [.send(Array("\r\n".utf8)), .send(file)])
    answer.status = 200
    return answer
  }

  /// Half of the file at first, and then a wrong answer to the client that wants to go on.
  private var resumed: FaultAnswer {
    guard let start = request.rangeStart else { return half }
    switch rule.fault {
    case .refusedRange: return .whole(416, [], [("Content-Range", "bytes */\(file.count)")])
    case .bareRefusedRange: return .text(416, "no such range\n")
    case .wrongRange:
      let wrong = start / 2
      let range = ("Content-Range", "bytes \(wrong)-\(file.count - 1)/\(file.count)")
      return .whole(206, Array(file[min(wrong, file.count)...]), [range])
    default:
      let rest = file.dropFirst(start).map { $0 ^ 1 }
      return .whole(206, rest, [("Content-Range", "bytes \(start)-\(file.count - 1)/\(file.count)")])
    }
  }

  private var half: FaultAnswer {
    FaultAnswer(
      200, [("Content-Length", "\(file.count)"), ("ETag", entityTag)],
      steps: [.send(Array(file.prefix(file.count / 2)))], keepsAlive: false)
  }

  /// What is wrong with how the bytes of the file are sent.
  private var body: FaultAnswer {
    let length = ("Content-Length", "\(file.count)")
    switch rule.fault {
    case .truncated: return half
    case .reset:
      var answer = half
      answer.steps += [.wait(milliseconds: 50), .reset]
      return answer
    case .slow: return slow
    case .cutWithoutLength:
      let part = Array(file.prefix(file.count * 6 / 10))
      return FaultAnswer(200, steps: [.send(part)], keepsAlive: false, version: "1.0")
    case .noLength: return FaultAnswer(200, steps: [.send(file)], keepsAlive: false)
    case .http10: return FaultAnswer(200, [length], steps: [.send(file)], keepsAlive: false, version: "1.0")
    case .endless: return endless
    case .bomb:
      return .whole(200, Gzip.bomb(bytes: file.count), [("Content-Encoding", "gzip")])
    case .wrongType: return .whole(200, file, [("Content-Type", "text/html")])
    case .wrongEncoding: return .whole(200, file, [("Content-Encoding", "br")])
    default: return GoodHost.answer(request, file, entityTag: entityTag)
    }
  }

  private var slow: FaultAnswer {
    let rate = max(1, rule.value ?? 100)
    var steps: [FaultAnswer.Step] = []
    for start in stride(from: 0, to: file.count, by: rate) {
      steps += [.send(Array(file[start..<min(file.count, start + rate)])), .wait(milliseconds: 1000)]
    }
    return FaultAnswer(200, [("Content-Length", "\(file.count)")], steps: steps)
  }

  private var endless: FaultAnswer {
    let chunk = Array("4000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x4000) + Array("\r\n".utf8)
    return FaultAnswer(
      200, [("Transfer-Encoding", "chunked")], steps: [.sendForever(chunk)], keepsAlive: false)
  }
}

/// Compressed bytes that unpack to many more.
enum Gzip {
  /// A gzip stream of this many bytes; each 13 bytes of it stand for 2 064.
  static func bomb(bytes: Int) -> [UInt8] {
    var stream: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    // A fixed block with one literal, then "258 bytes from one byte back" again and again: 13 bits each, so eight of
    // them are 13 whole bytes.
    var bits = Bits()
    bits.append([true, true, false])
    bits.append(0b0011_0000, count: 8)
    for _ in 0..<64 {
      bits.append(0b1100_0101, count: 8)
      bits.append(0, count: 5)
    }
    let block = bits.bytes
    stream += block
    let pattern = block.suffix(14).dropLast()
    while stream.count < bytes { stream += pattern }
    return Array(stream.prefix(max(0, bytes)))
  }

  /// Bits in the order of RFC 1951: each byte fills from its lowest bit.
  private struct Bits {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ bits: [Bool]) {
      for bit in bits {
        if count % 8 == 0 { bytes.append(0) }
        if bit { bytes[bytes.count - 1] |= 1 << UInt8(count % 8) }
        count += 1
      }
    }

    /// A code, its highest bit first.
    mutating func append(_ code: Int, count: Int) {
      append((0..<count).reversed().map { code >> $0 & 1 == 1 })
    }
  }
}

/// Dates as HTTP writes them.
enum HTTPDate {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`
  static func text(_ moment: Timestamp) -> String {
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // 2030-01-31T10:00:00Z
    let text = "\(moment)"
    let parts = text.split { "-T:Z".contains($0) }.map(String.init)
    guard parts.count == 6, let month = Int(parts[1]), months.indices.contains(month - 1) else { return text }
    let day = days[Int(moment.secondsSinceEpoch / 86_400 % 7)]
    return
      "\(day), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
  }
}
