internal import OTAManifest

/// Text that cannot end what it stands in, for documents made of what strangers wrote.
package enum MarkupText {
  /// For elements and attributes of HTML and XML; characters that XML 1.0 has no place for become a mark.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += "&#10;"
      case "\t": escaped += "&#9;"
      case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// For a cell of a Markdown table: nothing in it is markup, a link, a mention or a reference.
  package static func markdownCell(_ text: String) -> String {
    var escaped = ""
    for scalar in text.printable(maxCharacters: 300).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // An invisible joiner keeps a name from being told, and an address from becoming a link.
      case "@", "#": escaped += "\(scalar)\u{2060}"
      case ":" where escaped.hasSuffix("http") || escaped.hasSuffix("https"): escaped += "\u{2060}:"
      case "|", "\\", "`", "*", "_", "[", "]", "(", ")", "!", "~", "$": escaped += "\\\(scalar)"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
