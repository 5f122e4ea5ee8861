/// Recognises secrets where a name or a path should stand.
enum KeyMaterial {
  /// Whether a text contains a private key in PEM.
  static func isPEM(_ text: String) -> Bool { text.contains("PRIVATE KEY") }

  /// Whether a text could be a private key itself: PEM, 64 hexadecimal digits, or 32 or 48 bytes as Base64.
  static func isLikely(_ text: String) -> Bool {
    if isPEM(text) { return true }
    let digits = Array(text.utf8)
    let body = digits.prefix { $0 != UInt8(ascii: "=") }
    guard digits.dropFirst(body.count).allSatisfy({ $0 == UInt8(ascii: "=") }), digits.count - body.count <= 2
    else { return false }
    // 64 digits are hexadecimal, or 48 bytes, which is what PKCS#8 needs for an Ed25519 key.
    return (body.count == 43 || body.count == 64) && body.allSatisfy(isBase64Digit)
  }

  /// The text with other words in place of all that could be a private key.
  static func shown(_ text: String) -> String {
    let hidden = "(hidden: it looks like a private key)"
    if isPEM(text) { return hidden }
    var shown = ""
    for part in text.split(separator: " ", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", omittingEmptySubsequences: false)
      let isSecret = words.contains { isLikely(String($0.drop { $0 == "-" })) }
      shown += (shown.isEmpty ? "" : " ") + (isSecret ? hidden : String(part))
    }
    return shown
  }

  private static func isBase64Digit(_ code: UInt8) -> Bool {
    switch code {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
