/// How many recorded sources fare how, as it stands in a manifest.
public struct FixtureScore: Equatable, Sendable {
  /// The sources that were compared.
  public let sources: Int
  /// Those that give the same as before.
  public let same: Int
  /// Those that give as much as before, with other content.
  public let changed: Int
  /// Those that give more than before.
  public let better: Int
  /// Those that give less than before.
  public let worse: Int

  /// Counts.
  public init(sources: Int, same: Int, changed: Int, better: Int, worse: Int) {
    (self.sources, self.same, self.changed, self.better, self.worse) = (sources, same, changed, better, worse)
  }

  /// The score in words, without a full stop.
  public var sentence: String {
    "\(sources) recorded \(sources == 1 ? "source" : "sources"): \(same) same, \(changed) changed, "
      + "\(better) better, \(worse) worse"
  }
}
