/// Text that cannot steer a terminal.
enum PlainText {
  /// Shows control characters as escapes; newlines and tabs stay. Text from a feed must pass here on its way to a person.
  static func visible(_ text: String) -> String {
    if !text.unicodeScalars.contains(where: isControl) { return text }
    var visible = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        visible += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\n", "\t": false
    case "\0"..<" ", "\u{7F}"..."\u{9F}": true
    // Marks that reorder text, so that a name cannot be shown as another one.
    case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: false
    }
  }
}
