public import OTAManifest
internal import OTATrust

/// What a device believes its releases by, and until when.
public struct TrustStatus: Equatable, Sendable {
  /// Signed metadata of one role as it is stored.
  public struct Role: Equatable, Sendable {
    /// The name: root, timestamp, snapshot or targets.
    public let name: String
    /// The version of the metadata, from 1.
    public let version: Int64
    /// From this moment on it is not trusted any more.
    public let expires: Timestamp
  }

  /// The name of the kind of trust, as in settings.
  public let name: String
  /// The stored metadata; empty for an unsigned feed.
  public let roles: [Role]
  /// The name of the feed; `nil` for an unnamed or an unsigned one.
  public let feedName: String?
  /// The epoch of the root, from 1; `nil` for an unsigned feed.
  public let epoch: Int64?
  /// Why nothing can be believed, such as a root with a weak key; `nil` when trust has a beginning.
  public let obstacle: Problem?

  /// What a client trusts at the moment.
  package init(name: String, _ client: TUFClient) {
    self.init(
      name: name,
      roles: client.headers.map {
        Role(name: $0.role, version: $0.header.version, expires: $0.header.expires)
      }, feedName: client.root.feedName, epoch: client.root.epoch)
  }

  /// Describes what is trusted.
  package init(
    name: String, roles: [Role], obstacle: Problem? = nil, feedName: String? = nil, epoch: Int64? = nil
  ) {
    self.name = name
    self.feedName = feedName
    self.epoch = epoch
    self.roles = roles
    self.obstacle = obstacle
  }

  /// The version of the trusted root; `nil` for an unsigned feed.
  public var rootVersion: Int64? { roles.first { $0.name == "root" }?.version }
}

extension Trust {
  /// Reads what is trusted now, offline: the root, and the metadata that the last update accepted.
  ///
  /// - Throws: when the root itself cannot be used, such as one with a weak key.
  package func status(_ metadata: any TrustedMetadataStore) throws(Problem) -> TrustStatus {
    guard case .root(let bytes) = self else { return TrustStatus(name: name, roles: []) }
    let nowhere = TUFRepository(fetcher: DirectoryFetcher(root: ""), metadataBase: "", targetsBase: "")
    // At the beginning of time nothing has expired: what is out of date is to be shown as well.
    var client = try TUFClient(
      repository: nowhere, store: metadata, shippedRoot: bytes, now: Timestamp(secondsSinceEpoch: 0))
    try client.adoptStored()
    return TrustStatus(name: name, client)
  }

  /// What the app itself ships, before anything was taken from a feed.
  ///
  /// - Throws: when the root cannot be a beginning of trust: malformed, not signed by itself, or with a weak key.
  public func shipped() throws(Problem) -> TrustStatus { try status(OverlayMetadataStore()) }

  /// Refuses a root that cannot be a beginning of trust: malformed, not signed by itself, or with a weak key.
  public func requireUsable() throws(Problem) { _ = try shipped() }
}
