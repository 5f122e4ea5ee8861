public import OTAManifest

/// New timestamp metadata: the one snapshot that is the newest.
public struct TimestampDocument: Sendable {
  /// The version, from 1.
  public let version: Int64
  /// From this moment on clients refuse it.
  public let expires: Timestamp
  /// The version of the snapshot.
  public let snapshotVersion: Int64
  /// The file of the snapshot.
  public let snapshot: FileEntry
  /// The name of the feed; `nil` for an unnamed feed.
  public let feedName: String?
  /// When it is signed; `nil` when it does not say so.
  public let signedAt: Timestamp?
  /// How many seconds the feed wants between two checks; `nil` when it does not say.
  public let checkInterval: Int64?
  /// Whether the feed has an express file that follows this timestamp.
  public var hasExpress = false

  /// Describes metadata without signatures.
  public init(
    version: Int64, expires: Timestamp, snapshotVersion: Int64, snapshot: FileEntry, feedName: String? = nil,
    signedAt: Timestamp? = nil, checkInterval: Int64? = nil
  ) {
    self.checkInterval = checkInterval
    self.version = version
    self.expires = expires
    self.snapshotVersion = snapshotVersion
    self.snapshot = snapshot
    self.feedName = feedName
    self.signedAt = signedAt
  }

  /// What is to be signed.
  public func document() throws(TrustError) -> SignedDocument {
    let entry = JSONValue.object([JSONMember("version", .integer(snapshotVersion))] + snapshot.members)
    let header = MetadataHeader.members(.timestamp, version: version, expires: expires)
    let added = FeedExtension(
      feedName: feedName, signedAt: signedAt, hasExpress: hasExpress, checkInterval: checkInterval
    ).members
    let meta = JSONMember("meta", .object([JSONMember("snapshot.json", entry)]))
    return try SignedDocument(.object(header + [meta] + added), role: "timestamp")
  }
}
