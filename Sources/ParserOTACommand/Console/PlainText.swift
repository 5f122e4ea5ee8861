/// Text that cannot steer a terminal, and stays one line.
enum PlainText {
  /// Shows control characters, newlines included, as escapes; tabs stay.
  ///
  /// Text from a feed must pass here on its way to a person: it could otherwise move the cursor or fake a `hint:` line.
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
    case "\t": false
    case "\0"..<" ", "\u{7F}"..."\u{9F}": true
    // Marks that reorder text, so that a name cannot be shown as another one.
    case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
    default: false
    }
  }
}
