/// Finds the word that was probably meant.
enum Spelling {
  /// The nearest candidate within two edits, else the only one that begins with the word; `nil` when nothing is near.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    var best: (word: String, edits: Int)?
    for candidate in candidates {
      let edits = distance(Array(word), Array(candidate))
      if edits <= 2 && edits < bare(candidate) && edits < best?.edits ?? .max { best = (candidate, edits) }
    }
    if let best { return best.word }
    let longer = candidates.filter { bare(word) > 0 && $0.hasPrefix(word) }
    return longer.count == 1 ? longer[0] : nil
  }

  /// The number of characters that are not leading dashes: a word must keep at least one of them to be near.
  private static func bare(_ word: String) -> Int { word.drop { $0 == "-" }.count }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var edits = min(replaced, last[column + 1] + 1, current[column] + 1)
        if row > 0 && column > 0 && left[row] == right[column - 1] && left[row - 1] == right[column] {
          edits = min(edits, beforeLast[column - 1] + 1)
        }
        current.append(edits)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
