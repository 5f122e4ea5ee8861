public import OTAFeed
public import OTAManifest

/// Which release to put into an archive, and where it is.
public struct ExportRequest: Sendable {
  /// The feed: a folder or an address.
  public var feed: FeedLocation
  /// A root of the feed that the archive must lead to; `nil` takes the feed's own first root.
  public var root: [UInt8]?
  /// The release; `nil` takes the live one of `channel`.
  public var version: ReleaseVersion?
  /// The channel whose live release is taken.
  public var channel = Channel.stable
  /// Whether `http` to this machine is allowed.
  public var allowsPlainHTTPOnLoopback = false

  /// Asks for the live release of a feed.
  public init(_ feed: FeedLocation) { self.feed = feed }
}

/// A release in an archive.
public struct ExportReport: Sendable {
  /// The archive.
  public let archive: [UInt8]
  /// The digest of the archive.
  public let digest: Digest
  /// The manifest of the release.
  public let manifest: Manifest
  /// The digest of that manifest.
  public let manifestDigest: Digest
  /// The name and size of each file, in their order.
  public let files: [(path: String, bytes: Int)]
  /// What the archive is authenticated by.
  public let trust: TrustStatus
}
