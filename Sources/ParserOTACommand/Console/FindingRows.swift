/// Findings for people: one a line, aligned, the code first, so that the eye and `grep` find it.
struct FindingRows {
  private var rows: [(code: String, word: String, text: String)] = []

  /// Adds a finding: its stable code, what it means in one word, and the place with the sentence.
  mutating func add(_ code: String, _ word: String, _ text: String) { rows.append((code, word, text)) }

  var count: Int { rows.count }

  /// The lines; of more than `limit` only so many, and how many more there are.
  func lines(limit: Int = .max) -> [String] {
    let codes = rows.map(\.code.count).max() ?? 0
    let words = rows.map(\.word.count).max() ?? 0
    let shown = rows.prefix(limit).map { row in
      Self.padded(row.code, codes) + "  " + Self.padded(row.word, words) + "  " + row.text
    }
    return rows.count > limit ? shown + ["and \(rows.count - limit) more"] : shown
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
