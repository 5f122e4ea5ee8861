internal import OTAManifest

/// How much of a family's code ran on made-up pages: what did not is seen by recordings only.
public struct FamilyCoverage: Equatable, Sendable {
  /// The family, as the catalog names it.
  public let family: String
  /// How many sources it has.
  public let sources: Int
  /// The lines with code in its class.
  public let lines: Int
  /// How many of them are in blocks that ran.
  public let ranLines: Int
  /// The lines of the bundle where blocks begin that never ran.
  public let missed: [Int]

  /// The share that ran, in percent.
  public var percent: Int { lines == 0 ? 100 : ranLines * 100 / lines }

  /// One entry for each family of the catalog that has a class of its name in the bundle.
  static func of(
    _ catalog: SourceCatalog, _ bundle: InstrumentedBundle, _ text: TextPosition, _ run: DryRun
  ) -> [FamilyCoverage] {
    guard !run.coveredBlocks.isEmpty else { return [] }
    var counts: [String: Int] = [:]
    for entry in catalog.entries { counts[entry.family, default: 0] += 1 }
    var blocks: [String: [Int]] = [:]
    for (number, block) in bundle.blocks.enumerated() {
      if let name = block.className, counts[name] != nil { blocks[name, default: []].append(number) }
    }
    return blocks.map { family, numbers in
      measure(family, counts[family] ?? 0, numbers, bundle, text, run.coveredBlocks)
    }.sorted { $0.family < $1.family }
  }

  private static func measure(
    _ family: String, _ sources: Int, _ numbers: [Int], _ bundle: InstrumentedBundle, _ text: TextPosition,
    _ covered: Set<Int>
  ) -> FamilyCoverage {
    // Blocks come from the outside inwards, so the innermost one decides about a line.
    var lines: [Int: Bool] = [:]
    var missed: [Int] = []
    for number in numbers {
      let range = bundle.blocks[number].range
      let first = text.line(of: range.lowerBound)
      let last = text.line(of: max(range.lowerBound, range.upperBound - 1))
      let ran = covered.contains(number)
      if !ran, lines[first] != false { missed.append(first) }
      for line in first...last where text.hasCode(line) { lines[line] = ran }
    }
    return FamilyCoverage(
      family: family, sources: sources, lines: lines.count, ranLines: lines.values.count { $0 },
      missed: Array(Set(missed)).sorted())
  }
}

extension TextPosition {
  /// The line of a byte, from 1.
  fileprivate func line(of offset: Int) -> Int {
    var (low, high) = (0, lineStarts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low + 1
  }

  /// Whether a line has a letter or a digit outside of a comment that fills it.
  fileprivate func hasCode(_ line: Int) -> Bool {
    let end = line < lineStarts.count ? lineStarts[line] : bytes.count
    let words = bytes[lineStarts[line - 1]..<end].drop { $0 <= 0x20 }
    guard let first = words.first, !words.starts(with: "//".utf8), first != UInt8(ascii: "*") else {
      return false
    }
    return words.contains { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
  }
}
