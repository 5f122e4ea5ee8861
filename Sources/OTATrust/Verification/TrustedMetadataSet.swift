public import OTAManifest

/// All that is trusted at one moment, and the rules by which it may change; a value without files, network or clock.
///
/// Steps go in the order root, timestamp, snapshot, targets. A step that throws leaves the set as it was. Stored
/// metadata may be taken on although it is out of date: then it guards against rollback alone, and the next step refuses.
/// Source: The Update Framework specification 1.0.34, section 5.
public struct TrustedMetadataSet: Sendable {
  /// The moment of the whole run; nothing that expires during a run makes it fail.
  public let now: Timestamp
  /// The trusted root.
  public private(set) var root: Root
  /// The trusted timestamp, once there is one.
  public private(set) var timestamp: TimestampMetadata?
  /// The snapshot that the trusted timestamp announces, once there is one.
  public private(set) var snapshot: Snapshot?
  /// The newest snapshot that was ever trusted; versions may not go back behind it.
  private var snapshotSeen: Snapshot?
  private var targets: [DelegationEdge: Targets] = [:]

  /// Starts from a root that the caller trusts already; it must be signed by its own keys (section 5.2).
  public init(trustedRoot bytes: [UInt8], now: Timestamp) throws(TrustError) {
    let envelope = try Envelope(bytes, role: "root", maxBytes: TrustLimits.standard.maxRootBytes)
    let root = try Root(envelope)
    try root.keys(of: .root).requireThreshold(on: envelope)
    self.root = root
    self.now = now
  }

  /// Takes on the next root (section 5.3): signed by the keys of the old and of the new one, and exactly one higher.
  ///
  /// It may name an unnamed feed and begin a new epoch, but never take either back.
  public mutating func updateRoot(_ bytes: [UInt8]) throws(TrustError) {
    guard timestamp == nil else {
      throw TrustError(.unlisted, role: "root", "is asked for after the timestamp")
    }
    let envelope = try Envelope(bytes, role: "root", maxBytes: TrustLimits.standard.maxRootBytes)
    try root.keys(of: .root).requireThreshold(on: envelope)
    let new = try Root(envelope)
    guard new.version == root.version + 1 else {
      throw TrustError(
        .rollback, role: "root", "has version \(new.version) where version \(root.version + 1) must follow")
    }
    try new.keys(of: .root).requireThreshold(on: envelope)
    try new.requireSameFeed(as: root)
    root = new
  }

  /// Whether the holders of this root's keys made a root that is as new or newer, though not necessarily the next one.
  ///
  /// Says that two roots belong together. It is no reason to trust the other one: `updateRoot` takes each step.
  package func isContinued(by bytes: [UInt8]) -> Bool {
    do {
      let envelope = try Envelope(bytes, role: "root", maxBytes: TrustLimits.standard.maxRootBytes)
      let other = try Root(envelope)
      try root.keys(of: .root).requireThreshold(on: envelope)
      try other.requireSameFeed(as: root)
      return other.version >= root.version
    } catch {
      // What is refused continues nothing.
      return false
    }
  }

  /// Refuses to go on from a root that has expired (section 5.3.10).
  public func requireFreshRoot() throws(TrustError) { try root.header.requireFresh(at: now, role: "root") }

  /// Takes on a timestamp that was trusted before, also when it has expired by now.
  public mutating func adoptStoredTimestamp(_ bytes: [UInt8]) throws(TrustError) {
    timestamp = try verifiedTimestamp(bytes)
  }

  /// Takes on a timestamp of the feed (section 5.4); `false` when it is no newer than the trusted one, which stays.
  public mutating func updateTimestamp(_ bytes: [UInt8]) throws(TrustError) -> Bool {
    try requireFreshRoot()
    guard snapshot == nil else {
      throw TrustError(.unlisted, role: "timestamp", "is asked for after the snapshot")
    }
    let new = try verifiedTimestamp(bytes)
    if let trusted = timestamp {
      guard new.version != trusted.version else { return false }
      guard new.version > trusted.version else {
        throw TrustError(
          .rollback, role: "timestamp",
          "has version \(new.version), older than \(trusted.version), which was seen",
          lag: FeedLag(
            seen: trusted.version, served: new.version, signedAt: new.signedAt, seenAt: trusted.signedAt,
            expires: new.header.expires))
      }
      guard new.snapshot.version >= trusted.snapshot.version else {
        throw TrustError(
          .rollback, role: "timestamp",
          "takes the snapshot back from version \(trusted.snapshot.version) to \(new.snapshot.version)")
      }
    }
    try new.header.requireFresh(at: now, role: "timestamp")
    timestamp = new
    return true
  }

  /// Takes on a snapshot that was trusted before; `false` when it is not the one that the timestamp announces now.
  public mutating func adoptStoredSnapshot(_ bytes: [UInt8]) throws(TrustError) -> Bool {
    let announced = try freshTimestamp().snapshot
    let stored = try verifiedSnapshot(bytes)
    snapshotSeen = stored
    guard stored.version == announced.version, now < stored.header.expires else { return false }
    do {
      try announced.check(bytes, role: "snapshot")
      snapshot = stored
      return true
    } catch  where error.reason == .mismatch {
      // Same version, other bytes: still a guard against rollback, and the feed is asked for the announced ones.
      return false
    }
  }

  /// Takes on a snapshot of the feed (section 5.5).
  public mutating func updateSnapshot(_ bytes: [UInt8]) throws(TrustError) {
    let announced = try freshTimestamp().snapshot
    try announced.check(bytes, role: "snapshot")
    let new = try verifiedSnapshot(bytes)
    try requireVersion(new.header, announced.version, role: "snapshot")
    if let seen = snapshotSeen { try new.requireNoRollback(from: seen, role: "snapshot") }
    try new.header.requireFresh(at: now, role: "snapshot")
    (snapshot, snapshotSeen) = (new, new)
  }

  /// Takes on targets metadata, of the feed or stored, as its delegator and the snapshot want it (section 5.6).
  @discardableResult
  public mutating func updateTargets(_ bytes: [UInt8], of edge: DelegationEdge) throws(TrustError) -> Targets
  {
    let announced = try description(of: edge.role)
    try announced.check(bytes, role: edge.role)
    let envelope = try Envelope(bytes, role: edge.role, maxBytes: TrustLimits.standard.maxTargetsBytes)
    try keys(for: edge).requireThreshold(on: envelope)
    let new = try Targets(envelope)
    if edge == .top { try new.header.requireFeed(of: root, role: edge.role) }
    try requireVersion(new.header, announced.version, role: edge.role)
    try new.header.requireFresh(at: now, role: edge.role)
    targets[edge] = new
    return new
  }

  /// Targets metadata that this delegator vouches for, once it was taken on.
  public func targets(of edge: DelegationEdge) -> Targets? { targets[edge] }

  /// Version and expiry of all that is trusted so far, in the order of the specification.
  public var headers: [(role: String, header: MetadataHeader)] {
    [
      ("root", root.header), ("timestamp", timestamp?.header), ("snapshot", snapshot?.header),
      ("targets", targets[.top]?.header),
    ].compactMap { role, header in header.map { (role, $0) } }
  }

  /// What the snapshot announces for a role.
  public func description(of role: String) throws(TrustError) -> MetadataDescription {
    guard let snapshot else { throw TrustError(.unlisted, role: role, "is asked for before the snapshot") }
    guard let description = snapshot.description(of: role) else {
      throw TrustError(.unlisted, role: role, "is delegated to, but is not part of the snapshot")
    }
    return description
  }

  /// The trusted timestamp, unless it has expired.
  public func freshTimestamp() throws(TrustError) -> TimestampMetadata {
    guard let timestamp else {
      throw TrustError(.unlisted, role: "snapshot", "is asked for before the timestamp")
    }
    try timestamp.header.requireFresh(at: now, role: "timestamp")
    return timestamp
  }

  private func keys(for edge: DelegationEdge) throws(TrustError) -> RoleKeys {
    guard let delegator = edge.delegator else { return try root.keys(of: .targets) }
    guard let role = targets[delegator]?.delegations.role(named: edge.role) else {
      throw TrustError(.unlisted, role: edge.role, "is asked for before its delegator")
    }
    return role.keys
  }

  private func verifiedTimestamp(_ bytes: [UInt8]) throws(TrustError) -> TimestampMetadata {
    let envelope = try Envelope(bytes, role: "timestamp", maxBytes: TrustLimits.standard.maxTimestampBytes)
    try root.keys(of: .timestamp).requireThreshold(on: envelope)
    let timestamp = try TimestampMetadata(envelope)
    try timestamp.header.requireFeed(of: root, role: "timestamp")
    return timestamp
  }

  private func verifiedSnapshot(_ bytes: [UInt8]) throws(TrustError) -> Snapshot {
    let envelope = try Envelope(bytes, role: "snapshot", maxBytes: TrustLimits.standard.maxSnapshotBytes)
    try root.keys(of: .snapshot).requireThreshold(on: envelope)
    let snapshot = try Snapshot(envelope)
    try snapshot.header.requireFeed(of: root, role: "snapshot")
    return snapshot
  }

  private func requireVersion(_ header: MetadataHeader, _ version: Int64, role: String) throws(TrustError) {
    guard header.version == version else {
      throw TrustError(
        .mismatch, role: role, "has version \(header.version), but version \(version) is announced")
    }
  }
}
