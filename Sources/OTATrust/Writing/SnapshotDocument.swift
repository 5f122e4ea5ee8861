public import OTAManifest

/// New snapshot metadata: the one targets file that belongs to it.
public struct SnapshotDocument: Sendable {
  /// The version, from 1.
  public let version: Int64
  /// From this moment on clients refuse it.
  public let expires: Timestamp
  /// The version of the targets metadata.
  public let targetsVersion: Int64
  /// The file of the targets metadata.
  public let targets: FileEntry
  /// The name of the feed; `nil` for an unnamed feed.
  public let feedName: String?

  /// Describes metadata without signatures.
  public init(
    version: Int64, expires: Timestamp, targetsVersion: Int64, targets: FileEntry, feedName: String? = nil
  ) {
    self.version = version
    self.expires = expires
    self.targetsVersion = targetsVersion
    self.targets = targets
    self.feedName = feedName
  }

  /// What is to be signed.
  public func document() throws(TrustError) -> SignedDocument {
    let entry = JSONValue.object([JSONMember("version", .integer(targetsVersion))] + targets.members)
    let header = MetadataHeader.members(.snapshot, version: version, expires: expires)
    let added = FeedExtension(feedName: feedName).members
    let meta = JSONMember("meta", .object([JSONMember("targets.json", entry)]))
    return try SignedDocument(.object(header + [meta] + added), role: "snapshot")
  }
}
