public import OTAFeed
public import OTAManifest
public import ParserEngine

/// What the releases of a feed make of a recording.
public struct BisectReport: Sendable {
  /// One release that was tried.
  public struct Row: Sendable {
    /// The release.
    public let version: ReleaseVersion
    /// When it was published.
    public let released: Timestamp?
    /// Whether it makes of the pages at least what was recorded.
    public let isGood: Bool
    /// What it makes of them.
    public let summary: String
  }

  /// The number of releases that the feed keeps.
  public let kept: Int
  /// The releases that were tried, oldest first.
  public let rows: [Row]
  /// The last release that broke the source; `nil` when none that was tried did, or none is good.
  public let broken: ReleaseVersion?
  /// Whether a later release is good again.
  public let isUndone: Bool
  /// The release that undid it: the first good one after it that was tried.
  public let undoneBy: ReleaseVersion?
  /// The release before it.
  public let lastGood: ReleaseVersion?
  /// Whether the newest release is good.
  public let isGood: Bool
  /// How the feed was authenticated.
  public let trust: Trust
  /// Whether the answer rests on the assumption that the fault came once and stayed.
  public let assumesOneChange: Bool

  /// How often a release is bad after a good one, among those that were tried.
  public var breaks: Int { zip(rows, rows.dropFirst()).count { $0.isGood && !$1.isGood } }
}

/// Why a search gave no answer.
public enum BisectFailure: Error, Sendable {
  /// The feed, or a release of it, cannot be read.
  case feed(Problem)
  /// The engine itself is missing, broken or cancelled.
  case engine(EngineError)
}
