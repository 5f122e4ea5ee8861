extension JSONValue {
  /// The document as UTF-8, the same bytes for the same value: members in order, `/` unescaped.
  ///
  /// - Parameter indented: two spaces a level and a final newline, as files have; otherwise one line without either.
  public func encoded(indented: Bool) -> [UInt8] {
    var writer = JSONWriter(indented: indented)
    writer.write(self, level: 0)
    if indented { writer.output.append(0x0A) }
    return writer.output
  }
}

/// Writes JSON text; the depth of what it writes was bounded by whoever built the value.
private struct JSONWriter {
  let indented: Bool
  var output: [UInt8] = []

  init(indented: Bool) { self.indented = indented }

  mutating func write(_ value: JSONValue, level: Int) {
    switch value {
    case .object(let members):
      writeList(members, "{", "}", level) { (writer, member) in
        writer.writeString(member.key)
        writer.append(writer.indented ? ": " : ":")
        writer.write(member.value, level: level + 1)
      }
    case .array(let items):
      writeList(items, "[", "]", level) { (writer, item) in writer.write(item, level: level + 1) }
    case .string(let text): writeString(text)
    case .number(let number): append(number.text)
    case .bool(let flag): append(flag ? "true" : "false")
    case .null: append("null")
    }
  }

  private mutating func writeList<Item>(
    _ items: [Item], _ opening: String, _ closing: String, _ level: Int,
    _ writeItem: (inout JSONWriter, Item) -> Void
  ) {
    append(opening)
    for (index, item) in items.enumerated() {
      if index > 0 { append(",") }
      breakLine(level + 1)
      writeItem(&self, item)
    }
    if !items.isEmpty { breakLine(level) }
    append(closing)
  }

  private mutating func breakLine(_ level: Int) {
    guard indented else { return }
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: 2 * level))
  }

  private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

  private mutating func writeString(_ text: String) {
    append("\"")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      case 0..<0x20, 0x7F: append("\\u00" + hexPair(byte))
      default: output.append(byte)
      }
    }
    append("\"")
  }

  private func hexPair(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
