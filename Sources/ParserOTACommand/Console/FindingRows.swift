/// Findings for people: a table with the code first, so that the eye and `grep` find it, in lines that fit a terminal.
struct FindingRows {
  private var rows: [(code: String, word: String, text: String, more: [String])] = []
  private let width: Int

  /// - Parameter width: the columns that a line may have.
  init(width: Int = WrappedText.width) { self.width = width }

  /// Adds a finding: its stable code, what it means in one word, the place with the sentence, and the ways out.
  mutating func add(_ code: String, _ word: String, _ text: String, more: [String] = []) {
    rows.append((code, word, text, more))
  }

  var count: Int { rows.count }

  /// The lines; of more than `limit` findings only so many, and how many more there are.
  func lines(limit: Int = .max) -> [String] {
    let codes = rows.map(\.code.count).max() ?? 0
    let words = rows.map(\.word.count).max() ?? 0
    let margin = codes + words + 4
    var shown: [String] = []
    for row in rows.prefix(limit) {
      let text = WrappedText.lines(row.text, firstIndent: margin, indent: margin, width: width)
      shown.append(Self.padded(row.code, codes) + "  " + Self.padded(row.word, words) + "  " + text[0])
      shown += text.dropFirst()
      for line in row.more {
        let wrapped = WrappedText.lines(line, firstIndent: margin, indent: margin + 2, width: width)
        shown.append(String(repeating: " ", count: margin) + wrapped[0])
        shown += wrapped.dropFirst()
      }
    }
    return rows.count > limit ? shown + ["and \(rows.count - limit) more"] : shown
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
