/// The one reader of JSON that arrives from outside: strict on the grammar, exact on numbers, without recursion.
///
/// It refuses what other readers let pass and what two readers would read differently: duplicate keys (after
/// unescaping), a byte-order mark, UTF-16, trailing commas, lone surrogates, bytes after the document.
/// Source of the grammar: RFC 8259.
package struct JSONReader {
  /// An array or object whose end has not been seen yet; changed in place, so that long arrays stay linear.
  private struct OpenContainer {
    let isObject: Bool
    var items: [JSONValue] = []
    var members: [JSONMember] = []
    /// The keys so far, once there are more than a few.
    private var keys: Set<ExactText> = []
    private(set) var key = ""

    init(isObject: Bool) { self.isObject = isObject }

    /// Begins the next member; false when the object has that key already.
    ///
    /// Few keys are compared one by one, many through a set, so that hostile objects stay linear too.
    mutating func begin(_ key: String) -> Bool {
      self.key = key
      guard members.count >= 16 else { return !members.contains { $0.key.hasSameBytes(as: key) } }
      if keys.isEmpty { keys = Set(members.map { ExactText($0.key) }) }
      return keys.insert(ExactText(key)).inserted
    }
  }

  private var scanner: JSONScanner
  private let maxDepth: Int
  private var open: [OpenContainer] = []

  /// Reads one document of at most `maxBytes` bytes with at most `maxDepth` nested arrays and objects.
  ///
  /// - Throws: `InputError` that names the line, column and path of the first fault.
  package static func read(
    _ bytes: [UInt8], maxBytes: Int, maxDepth: Int = 16
  ) throws(InputError) -> JSONValue {
    guard bytes.count <= maxBytes else {
      throw InputError(.tooLarge, "has \(bytes.count) bytes, more than the \(maxBytes) allowed")
    }
    try TextEncodingCheck.requirePlainUTF8(bytes)
    var reader = JSONReader(scanner: JSONScanner(bytes), maxDepth: maxDepth)
    return try reader.readDocument()
  }

  private init(scanner: JSONScanner, maxDepth: Int) {
    self.scanner = scanner
    self.maxDepth = maxDepth
  }

  private mutating func readDocument() throws(InputError) -> JSONValue {
    scanner.skipSpace()
    guard let first = scanner.current else { throw InputError(.empty, "is empty: expected JSON") }
    if first == UInt8(ascii: "<") {
      throw InputError(.html, "is not JSON: it begins with \"<\", as an HTML or XML page does")
    }
    while true {
      var complete = try startValue()
      while let value = complete, !open.isEmpty { complete = try attach(value) }
      guard let document = complete else { continue }
      scanner.skipSpace()
      guard scanner.current == nil else { throw fault("has unexpected bytes after its end") }
      return document
    }
  }

  /// Reads a scalar or an empty container; `nil` when a container was opened and its first value comes next.
  private mutating func startValue() throws(InputError) -> JSONValue? {
    scanner.skipSpace()
    switch scanner.current {
    case UInt8(ascii: "{"): return try openContainer(isObject: true)
    case UInt8(ascii: "["): return try openContainer(isObject: false)
    case UInt8(ascii: "\""):
      return .string(try located { (scanner) throws(InputError) in try scanner.string() })
    case UInt8(ascii: "t") where scanner.takeWord("true"): return .bool(true)
    case UInt8(ascii: "f") where scanner.takeWord("false"): return .bool(false)
    case UInt8(ascii: "n") where scanner.takeWord("null"): return .null
    case nil: throw fault("is missing: the text ends here")
    default:
      return .number(try located { (scanner) throws(InputError) in try scanner.number() })
    }
  }

  private mutating func openContainer(isObject: Bool) throws(InputError) -> JSONValue? {
    scanner.advance()
    guard open.count < maxDepth else {
      throw fault("is nested deeper than \(maxDepth) levels", .tooDeep)
    }
    scanner.skipSpace()
    if scanner.take(isObject ? "}" : "]") { return isObject ? .object([]) : .array([]) }
    open.append(OpenContainer(isObject: isObject))
    if isObject { try readKey() }
    return nil
  }

  /// Puts a finished value into the innermost container; the container itself when that was its last value.
  private mutating func attach(_ value: JSONValue) throws(InputError) -> JSONValue? {
    let top = open.count - 1
    let isObject = open[top].isObject
    if isObject {
      open[top].members.append(JSONMember(open[top].key, value))
    } else {
      open[top].items.append(value)
    }
    scanner.skipSpace()
    if scanner.take(",") {
      if isObject { try readKey() }
      return nil
    }
    guard scanner.take(isObject ? "}" : "]") else {
      let found = scanner.current == nil ? "the end of the text" : "something"
      let last = isObject ? path : JSONPath.element(open[top].items.count - 1, of: path(of: open.dropLast()))
      throw fault("is followed by \(found), not by a comma or \"\(isObject ? "}" : "]")\"", at: last)
    }
    let container = open.removeLast()
    return isObject ? .object(container.members) : .array(container.items)
  }

  private mutating func readKey() throws(InputError) {
    scanner.skipSpace()
    let top = open.count - 1
    guard scanner.current == UInt8(ascii: "\"") else {
      throw fault(
        "has something other than a quoted name where one must stand", at: path(of: open.dropLast()))
    }
    let key = try located { (scanner) throws(InputError) in try scanner.string() }
    guard open[top].begin(key) else {
      throw fault("stands twice in the same object", .duplicateKey)
    }
    scanner.skipSpace()
    guard scanner.take(":") else { throw fault("has no colon after its name") }
  }

  /// Runs one step of the scanner and adds the path of the value to what it throws.
  private mutating func located<Value>(
    _ step: (inout JSONScanner) throws(InputError) -> Value
  ) throws(InputError) -> Value {
    do {
      return try step(&scanner)
    } catch {
      throw fault(error.detail, error.reason)
    }
  }

  private func fault(
    _ detail: String, _ reason: InputError.Reason = .syntax, at place: String? = nil
  ) -> InputError {
    InputError(reason, field: place ?? path, "\(detail) (\(scanner.place))")
  }

  /// The path of the value being read, such as `bundle.sha256` or `[3].id`.
  private var path: String { path(of: open[...]) }

  /// The path of the value that comes next in the last of some nested containers.
  private func path(of containers: ArraySlice<OpenContainer>) -> String {
    var path = ""
    for container in containers {
      if container.isObject {
        path = JSONPath.member(container.key, of: path)
      } else {
        path = JSONPath.element(container.items.count, of: path)
      }
    }
    return path
  }
}

/// Builds the paths that messages use for places inside a document.
enum JSONPath {
  /// The longest key that is shown whole.
  private static let maxShownKeyCharacters = 60

  static func member(_ key: String, of parent: String) -> String {
    let shown = key.isPlainWord ? key : "\"\(key.printable(maxCharacters: maxShownKeyCharacters))\""
    return parent.isEmpty ? shown : "\(parent).\(shown)"
  }

  static func element(_ index: Int, of parent: String) -> String { "\(parent)[\(index)]" }
}

extension String {
  fileprivate var isPlainWord: Bool {
    !isEmpty && utf8.count <= 60
      && utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
  }

  /// The text fit for one line of a message: control characters and direction marks replaced, cut when long.
  package func printable(maxCharacters: Int = 80) -> String {
    var shown = ""
    var count = 0
    for scalar in unicodeScalars {
      guard count < maxCharacters else { return shown + "…" }
      shown.unicodeScalars.append(scalar.isSafeToPrint ? scalar : "\u{FFFD}")
      count += 1
    }
    return shown
  }
}

extension Unicode.Scalar {
  fileprivate var isSafeToPrint: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}

/// Whether an ASCII code is a letter.
func isLetter(_ code: UInt8) -> Bool {
  let lower = code | 0x20
  return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
}
