/// Finds the name that was probably meant.
enum NearestName {
  /// The nearest candidate; `nil` when none differs by a few letters only: two, or three in long names.
  static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    let word = Array(name.unicodeScalars)
    var best: (name: String, edits: Int)?
    for candidate in candidates {
      let other = Array(candidate.unicodeScalars)
      let length = max(word.count, other.count)
      let limit = length > 12 ? 3 : min(2, length / 3)
      guard limit > 0, abs(word.count - other.count) <= limit, candidate != name else { continue }
      let edits = distance(word, other)
      // Of two that are equally near the first by name, so that every run says the same.
      if edits <= limit, best.map({ (edits, candidate) < ($0.edits, $0.name) }) ?? true {
        best = (candidate, edits)
      }
    }
    return best?.name
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
  static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var edits = min(
          last[column] + (left[row] == right[column] ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, beforeLast[column - 1] + 1)
        }
        current.append(edits)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
