internal import OTAArchive
internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Makes and signs the metadata that follows what is live; writes nothing.
struct MetadataBuilder: Sendable {
  /// The root by which clients will judge.
  let root: Root
  /// What is live; `nil` for a feed that is being made.
  let live: MetadataState?
  let signers: RoleSigners
  /// Who signs for clients that have not seen the root yet; `nil` when the given signers are too few for that.
  private(set) var former: RoleSigners?
  let expiry: ExpiryPolicy
  let date: Timestamp
  /// The versions to go on from where live ones ran away and clients forget them under this root; empty otherwise.
  var restart: [Root.Role: Int64] = [:]

  init(
    root: Root, live: MetadataState?, signers: [any MetadataSigner], expiry: ExpiryPolicy, date: Timestamp
  ) {
    self.root = root
    self.live = live
    self.signers = RoleSigners(root: root, signers: signers)
    self.expiry = expiry
    self.date = date
  }

  /// Lets the keys of the root before sign as well, where there are enough of them.
  mutating func signAlso(under root: Root, _ signers: [any MetadataSigner]) {
    let former = RoleSigners(root: root, signers: signers)
    do {
      for role in [Root.Role.targets, .snapshot, .timestamp] { _ = try former.enough(for: role) }
      self.former = root.version == self.root.version ? nil : former
    } catch {
      // A key that is lost or must not be used any more is the usual reason for a new root.
      self.former = nil
    }
  }

  /// Leaves the keys of the root before out, whoever holds them.
  mutating func signForNewRootAlone() { former = nil }

  /// New targets, and what follows from them.
  func plan(files: [String: FileEntry]) async throws(Problem) -> MetadataPlan {
    for role in [Root.Role.targets, .snapshot, .timestamp] { _ = try signers.enough(for: role) }
    let version = try version(after: live?.targets.version, .targets)
    let expires = expiry.expiry(of: .targets, signedAt: date)
    let targets = try await file(.targets, version) { () throws(TrustError) in
      try TargetsDocument(
        version: version, expires: expires, files: files, feedName: root.feedName
      ).document()
    }
    var plan = try await plan(targets: targets, version: version)
    plan.versioned.insert(targets, at: 0)
    plan.made[.targets] = .init(version: version, expires: expires, bytes: targets.bytes)
    plan.files = files
    return plan
  }

  /// A new snapshot of the targets that are live, and a timestamp.
  func planSnapshot(of live: MetadataState) async throws(Problem) -> MetadataPlan {
    let path = FeedLayout.metadata("targets", live.targets.version)
    return try await plan(
      targets: FeedWrite(path: path, bytes: live.targets.bytes), version: live.targets.version)
  }

  /// A new timestamp of the snapshot that is live.
  func planTimestamp(of live: MetadataState) async throws(Problem) -> MetadataPlan {
    let path = FeedLayout.metadata("snapshot", live.snapshot.version)
    return try await plan(
      snapshot: FeedWrite(path: path, bytes: live.snapshot.bytes), version: live.snapshot.version)
  }

  private func plan(targets: FeedWrite, version targetsVersion: Int64) async throws(Problem) -> MetadataPlan {
    let version = try version(after: live?.snapshot.version, .snapshot)
    let expires = expiry.expiry(of: .snapshot, signedAt: date)
    let entry = try Self.entry(of: targets.bytes)
    let snapshot = try await file(.snapshot, version) { () throws(TrustError) in
      try SnapshotDocument(
        version: version, expires: expires, targetsVersion: targetsVersion, targets: entry,
        feedName: root.feedName
      ).document()
    }
    var plan = try await plan(snapshot: snapshot, version: version)
    plan.versioned = [snapshot]
    plan.made[.snapshot] = .init(version: version, expires: expires, bytes: snapshot.bytes)
    return plan
  }

  private func plan(snapshot: FeedWrite, version snapshotVersion: Int64) async throws(Problem) -> MetadataPlan
  {
    let version = try version(after: live?.timestamp.version, .timestamp)
    let interval = expiry.interval(after: live?.checkInterval)
    let expires = expiry.expiry(of: .timestamp, signedAt: date)
    let entry = try Self.entry(of: snapshot.bytes)
    let timestamp = try await file(.timestamp, nil) { () throws(TrustError) in
      var document = TimestampDocument(
        version: version, expires: expires, snapshotVersion: snapshotVersion, snapshot: entry,
        feedName: root.feedName, signedAt: date, checkInterval: interval)
      document.hasExpress = Zstd.isAvailable
      return try document.document()
    }
    let made = MetadataState.File(version: version, expires: expires, bytes: timestamp.bytes)
    return MetadataPlan(
      timestamp: timestamp, made: [.timestamp: made], signedAt: date, checkInterval: interval)
  }

  private func file(
    _ role: Root.Role, _ version: Int64?, _ make: () throws(TrustError) -> SignedDocument
  ) async throws(Problem) -> FeedWrite {
    let path = version.map { FeedLayout.metadata(role.rawValue, $0) } ?? FeedLayout.timestamp
    var document: SignedDocument
    do {
      document = try make()
    } catch {
      throw Problem(onFeed: error, path)
    }
    var signing = try signers.enough(for: role)
    for extra in try former?.enough(for: role) ?? []
    where !signing.contains(where: { $0.keyID == extra.keyID }) {
      signing.append(extra)
    }
    for (keyID, signer) in signing { try await document.sign(with: signer, keyID: keyID) }
    return FeedWrite(path: path, bytes: document.encoded())
  }

  static func entry(of bytes: [UInt8]) throws(Problem) -> FileEntry {
    FileEntry(length: bytes.count, sha256: try ContentLookup.digest(of: bytes))
  }

  /// Versions beyond this are not counted but set, by a thief or by mistake.
  static let maxCountedVersion: Int64 = 1 << 52

  private func version(after live: Int64?, _ role: Root.Role) throws(Problem) -> Int64 {
    let next = (live ?? 0) + 1
    if next > Self.maxCountedVersion, let start = restart[role] { return start + 1 }
    guard next <= JSONObject.maxExactInteger else {
      throw Problem(
        .versionRefused, "the \(role.rawValue) metadata has the largest version: none can follow it",
        advice: "revoke the key that signed it: parser-ota key rotate --feed DIR --role release")
    }
    return next
  }
}
