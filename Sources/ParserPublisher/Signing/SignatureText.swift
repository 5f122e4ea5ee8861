internal import OTACrypto

/// The forms in which a signing command may write a signature of 64 bytes.
enum SignatureText {
  private static let byteCount = 64

  /// Raw bytes, or hexadecimal or Base64 text with at most one newline; `nil` for anything else.
  static func signature(from output: [UInt8]) -> [UInt8]? {
    if output.count == byteCount { return output }
    var line = output[...]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    let found = OTACrypto.bytes(fromHex: text) ?? bytes(fromBase64: text)
    return found?.count == byteCount ? found : nil
  }

  /// Decodes padded Base64 (RFC 4648 section 4); `nil` for any other text.
  private static func bytes(fromBase64 text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard digits.count.isMultiple(of: 4), padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for digit in digits.dropLast(padding) {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
