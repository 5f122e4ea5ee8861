/// Base64 as RFC 4648 has it, with padding: the form in which bytes cross into the page and out of it.
package enum Base64Text {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }()
  private static let padding = UInt8(ascii: "=")

  /// The text for bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(0) { $0 << 8 | Int($1) }
      bits <<= 8 * (3 - group.count)
      for index in 0..<4 {
        text.append(index <= group.count ? digits[bits >> (18 - 6 * index) & 63] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes for a text; `nil` when it is no Base64.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    let body = digits.prefix { $0 != padding }
    guard digits.count - body.count <= 2, digits[body.count...].allSatisfy({ $0 == padding }) else {
      return nil
    }
    var bytes: [UInt8] = []
    var bits = 0
    for (index, digit) in body.enumerated() {
      guard let value = values[Int(digit)] else { return nil }
      bits = (bits << 6 | Int(value)) & 0xFFFF
      if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * (index % 4)))) }
    }
    return bytes
  }
}
