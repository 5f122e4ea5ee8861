public import OTAManifest

/// New targets metadata: the files of a feed by their paths.
public struct TargetsDocument: Sendable {
  /// The version, from 1.
  public let version: Int64
  /// From this moment on clients refuse it.
  public let expires: Timestamp
  /// The files, by the path below the base of all targets.
  public let files: [String: FileEntry]
  /// The name of the feed; `nil` for an unnamed feed.
  public let feedName: String?

  /// Describes metadata without signatures.
  public init(
    version: Int64, expires: Timestamp, files: [String: FileEntry], feedName: String? = nil
  ) {
    self.version = version
    self.expires = expires
    self.files = files
    self.feedName = feedName
  }

  /// What is to be signed; paths in the order of their bytes.
  public func document() throws(TrustError) -> SignedDocument {
    let sorted = files.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    let targets = sorted.map { path, entry in JSONMember(path, .object(entry.members)) }
    let header = MetadataHeader.members(.targets, version: version, expires: expires)
    let added = FeedExtension(feedName: feedName).members
    return try SignedDocument(
      .object(header + [JSONMember("targets", .object(targets))] + added), role: "targets")
  }
}
