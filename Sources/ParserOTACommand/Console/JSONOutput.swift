/// A JSON value that keeps the order of its members; every value of it is valid JSON.
indirect enum JSONOutput: Equatable, Sendable {
  /// One member of an object.
  struct Member: Equatable, Sendable {
    let key: String
    let value: JSONOutput

    init(_ key: String, _ value: JSONOutput) {
      self.key = key
      self.value = value
    }
  }

  case object([Member])
  case array([JSONOutput])
  case string(String)
  case integer(Int64)
  case bool(Bool)
  case null

  /// A string, or null for `nil`.
  static func optional(_ text: String?) -> JSONOutput { text.map { .string($0) } ?? .null }

  /// A number, or null for `nil`.
  static func optional(_ number: Int64?) -> JSONOutput { number.map { .integer($0) } ?? .null }

  /// The value on one line, without a newline at the end.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .object(let members):
      Self.writeList("{", "}", members, &text) { member, text in
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
    case .array(let elements):
      Self.writeList("[", "]", elements, &text) { element, text in element.write(to: &text) }
    case .string(let string): Self.write(string, to: &text)
    case .integer(let number): text += String(number)
    case .bool(let flag): text += flag ? "true" : "false"
    case .null: text += "null"
    }
  }

  private static func writeList<Element>(
    _ open: String, _ close: String, _ elements: [Element], _ text: inout String,
    _ body: (Element, inout String) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      body(element, &text)
    }
    text += close
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\0"..<" ", "\u{7F}":
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
