/// The lines of a bundle that the live one does not have, or not behind the same line: where a difference in what parsers
/// give comes from.
struct ChangedLines {
  private let numbers: [Int]

  init(_ bundle: [UInt8], since live: [UInt8]) {
    let old = Self.pairs(live)
    let known = Set(old)
    numbers = Self.pairs(bundle).indices(where: { !known.contains($0) }).ranges.flatMap { $0 }.map { $0 + 1 }
  }

  /// The changed lines in their order, from 1.
  var all: [Int] { numbers }

  /// The changed lines within a range of lines.
  func lines(in range: ClosedRange<Int>) -> ArraySlice<Int> {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return numbers[low...].prefix { $0 <= range.upperBound }
  }

  /// For each line the hash of it and of the line before.
  private static func pairs(_ bytes: [UInt8]) -> [Int] {
    var before = 0
    return bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      let hash = Array(line.drop { $0 <= 0x20 }).hashValue
      defer { before = hash }
      return hash &* 31 &+ before
    }
  }
}
