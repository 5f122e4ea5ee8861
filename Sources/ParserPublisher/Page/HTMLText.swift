/// HTML under construction: what comes from outside goes through `text`, and cannot become anything else.
struct HTMLText {
  private(set) var bytes: [UInt8] = []

  /// Adds markup of our own.
  mutating func raw(_ markup: String) { bytes += markup.utf8 }

  /// Adds a text, as content or inside a quoted attribute.
  ///
  /// Control characters and marks that reorder text become U+FFFD.
  mutating func text(_ text: String, keepsLines: Bool = false) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": bytes += "&amp;".utf8
      case "<": bytes += "&lt;".utf8
      case ">": bytes += "&gt;".utf8
      case "\"": bytes += "&quot;".utf8
      case "'": bytes += "&#39;".utf8
      case "\n" where keepsLines: bytes.append(0x0A)
      case "\t": bytes.append(0x20)
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{202A}"..."\u{202E}",
        "\u{2066}"..."\u{2069}", "\u{FFFE}", "\u{FFFF}":
        bytes += "\u{FFFD}".utf8
      default: bytes += String(scalar).utf8
      }
    }
  }

  /// Adds a text whose direction has no effect on what stands around it.
  mutating func isolated(_ text: String, keepsLines: Bool = false) {
    raw("<bdi>")
    self.text(text, keepsLines: keepsLines)
    raw("</bdi>")
  }

  /// Bytes as Base64 with padding.
  static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var value: UInt32 = 0
      for byte in part { value = (value << 8) | UInt32(byte) }
      value <<= UInt32(8 * (3 - part.count))
      for index in 0..<4 {
        let shift = UInt32(18 - 6 * index)
        let digit = Int((value >> shift) & 63)
        text.append(index <= part.count ? digits[digit] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
