public import OTAFeed
public import OTAManifest

/// How to make a feed whole again.
public struct RepairRequest: Sendable {
  /// Copies of the feed to restore files from, in order; the feed's own public address comes last.
  public var sources: [FeedLocation]
  /// Whether a source may be plain `http` on this machine.
  public var allowsPlainHTTPOnLoopback = false
  /// Whether to stop before anything is written.
  public var dryRun = false
  /// The moment that new metadata counts from; `nil` asks the clock.
  public var date: Timestamp?
  /// Who signs, when a release has to be dropped from a signed feed.
  public var signers: [any MetadataSigner] = []

  /// Asks for a repair from these copies.
  public init(sources: [FeedLocation] = []) { self.sources = sources }
}

/// What `Publisher.repair` did.
public struct RepairReport: Equatable, Sendable {
  /// How it ended.
  public enum Outcome: String, Sendable {
    /// The feed is whole again.
    case repaired
    /// Everything is there and as it was published.
    case nothingToRepair = "nothing-to-repair"
    /// A dry run: the feed could be repaired as it is described here.
    case wouldRepair = "would-repair"
  }

  /// One file that was restored, and where its bytes came from.
  public struct Restored: Equatable, Sendable {
    /// The path below the feed.
    public let path: String
    /// The source as it was given, or the other name on the feed.
    public let source: String
  }

  /// A release that is gone, and why.
  public struct Dropped: Equatable, Sendable {
    /// Its number.
    public let version: ReleaseVersion
    /// The end of a sentence: which file is lost.
    public let reason: String
  }

  /// How it ended.
  public let outcome: Outcome
  /// What was restored, in the order of writing.
  public let restored: [Restored]
  /// Releases that nothing could restore; they are off the list.
  public let dropped: [Dropped]
  /// What a person should know, each a sentence.
  public let warnings: [String]
}
