public import OTAManifest

/// One release that a feed keeps.
public struct ReleaseSummary: Equatable, Sendable {
  /// Its number.
  public let version: ReleaseVersion
  /// Its channel.
  public let channel: Channel
  /// When it was made.
  public let released: Timestamp?
  /// The release whose bytes it has; itself unless it is a roll back.
  public let content: ReleaseVersion
  /// What changed, for people.
  public let notes: String?
  /// Whether it is the newest of its channel for clients.
  public let isLive: Bool
  /// Whether the live release of its channel calls it withdrawn.
  public let isWithdrawn: Bool
  /// The parser bundle.
  public let bundle: Artifact
  /// The source catalog.
  public let sources: Artifact
  /// The digest of its manifest.
  public let manifestDigest: Digest
}
