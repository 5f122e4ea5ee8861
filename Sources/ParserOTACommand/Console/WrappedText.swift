/// Text in lines that fit a terminal; words that are longer than a line stay whole.
enum WrappedText {
  /// The columns of a terminal that nobody made wider.
  static let width = 80

  /// The lines of a text, the first after `indent` columns that something else fills.
  static func lines(_ text: String, firstIndent: Int, indent: Int, width: Int = width) -> [String] {
    var lines: [String] = []
    var line = ""
    var room = width - firstIndent
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !line.isEmpty, line.count + 1 + word.count > room {
        lines.append(line)
        line = ""
        room = width - indent
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    lines.append(line)
    let margin = String(repeating: " ", count: indent)
    return lines.enumerated().map { $0.offset == 0 ? $0.element : margin + $0.element }
  }
}
