internal import OTACrypto
package import OTAManifest
internal import OTAStorage
internal import OTATrust

/// Where a run begins: the newest root that shipped and stored ones lead to, found offline.
struct RootStart {
  /// What is trusted before anything is fetched.
  private(set) var trusted: TrustedMetadataSet
  /// The file of the trusted root.
  private(set) var rootBytes: [UInt8]
  /// The roots that were passed, the trusted one last.
  private(set) var roots: TrustedRoots
  /// Whether the stored metadata belongs to the shipped root.
  private(set) var lineage = StoredLineage.none
  /// Whether stored metadata is passed over, since keys that no longer count may have raised its versions.
  private(set) var forgetsVersions = false
  /// The files as they are stored, to see whether they have to be written.
  private(set) var stored: (roots: [UInt8]?, newest: [UInt8]?) = (nil, nil)

  private let store: any TrustedMetadataStore

  /// Starts from the root that the app ships, which its own keys must have signed.
  ///
  /// - Throws: `TrustError`, `CryptoError` or `StorageError`.
  init(shipped: [UInt8], store: any TrustedMetadataStore, now: Timestamp) throws {
    trusted = try TrustedMetadataSet(trustedRoot: shipped, now: now)
    rootBytes = shipped
    roots = TrustedRoots(
      first: TrustedRoots.Entry(version: trusted.root.version, digest: try sha256(shipped)))
    self.store = store
    stored = (try store.load(.roots), try store.load(.newest(role: "root")))
    if let record = stored.roots.flatMap(Self.record) {
      try adopt(record)
    } else {
      try adoptFilesOfEachRoot()
    }
  }

  /// A damaged file counts as none: the chain is taken from the feed again.
  static func record(_ bytes: [UInt8]) -> TrustedRoots? { try? TrustedRoots(decoding: bytes) }

  /// Goes to the newest stored root, when shipped and newest root are both among those that were passed.
  private mutating func adopt(_ record: TrustedRoots) throws {
    let shipped = roots.entries[0]
    let newest = try newestStored { record.contains($0) }
    guard record.contains(shipped) else { return try connect(record, newest) }
    lineage = .same
    roots = record.through(shipped.version)
    guard let newest, newest.entry.version >= shipped.version else { return }
    take(newest, record.through(newest.entry.version))
  }

  private typealias Stored = (set: TrustedMetadataSet, entry: TrustedRoots.Entry, bytes: [UInt8])

  /// The stored newest root, when it is whole and passes a test.
  private func newestStored(where isKnown: (TrustedRoots.Entry) -> Bool) throws -> Stored? {
    guard let bytes = stored.newest else { return nil }
    let set: TrustedMetadataSet
    do {
      set = try TrustedMetadataSet(trustedRoot: bytes, now: trusted.now)
    } catch {
      // Damaged or forged: the feed gives it again.
      return nil
    }
    let entry = TrustedRoots.Entry(version: set.root.version, digest: try sha256(bytes))
    return isKnown(entry) ? (set, entry, bytes) : nil
  }

  private mutating func take(_ newest: Stored, _ record: TrustedRoots) {
    (trusted, rootBytes, roots) = (newest.set, newest.bytes, record)
  }

  /// Joins a shipped root that was never passed to the stored lineage, when the holders of the same root keys made both.
  private mutating func connect(_ record: TrustedRoots?, _ newest: Stored?) throws {
    let shipped = roots.entries[0]
    guard let newest else { return beForeign() }
    let known = record?.through(newest.entry.version) ?? TrustedRoots(first: newest.entry)
    if shipped.version >= newest.entry.version, newest.set.isContinued(by: rootBytes) {
      lineage = .same
      roots = known
      let startsEpoch = trusted.root.startsEpoch(after: newest.set.root)
      roots.append(shipped, startsEpoch: startsEpoch)
      forgetsVersions = startsEpoch || trusted.root.revokesOnlineKeys(of: newest.set.root)
    } else if shipped.version < newest.entry.version, trusted.isContinued(by: newest.bytes) {
      lineage = .same
      if let record { roots = record.restarted(at: shipped) }
    } else {
      beForeign()
    }
  }

  private mutating func beForeign() {
    lineage = .foreign
    forgetsVersions = true
  }

  // MARK: Stores from before known-roots

  /// Follows the files that earlier versions of this product kept, one for each root.
  private mutating func adoptFilesOfEachRoot() throws {
    while let bytes = try store.load(.root(version: trusted.root.version + 1)) {
      let older = trusted.root
      do {
        try trusted.updateRoot(bytes)
      } catch {
        // Damaged or forged: the feed is asked for this version.
        break
      }
      let entry = TrustedRoots.Entry(version: trusted.root.version, digest: try sha256(bytes))
      roots.append(entry, startsEpoch: trusted.root.startsEpoch(after: older))
      rootBytes = bytes
    }
    if roots.entries.count > 1 || stored.newest == rootBytes {
      lineage = .same
    } else if let newest = try newestStored(where: { _ in true }) {
      try connect(nil, newest)
    } else if let timestamp = try store.load(.newest(role: "timestamp")) {
      var set = trusted
      do {
        try set.adoptStoredTimestamp(timestamp)
        lineage = .same
      } catch {
        beForeign()
      }
    }
  }
}

extension Root {
  /// Whether a key for timestamp or snapshot was taken out, which lets versions start anew (section 5.3.11).
  func revokesOnlineKeys(of older: Root) -> Bool {
    revokes(keysOf: .timestamp, in: older) || revokes(keysOf: .snapshot, in: older)
  }
}

extension Trust {
  /// Whether the stored metadata belongs to the root that the app ships; offline, and without a signature where the
  /// shipped root was passed before.
  ///
  /// - Throws: when the shipped root cannot be used, or the store cannot be read.
  package func lineage(
    of metadata: any TrustedMetadataStore
  ) throws(Problem) -> (lineage: StoredLineage, epoch: TrustEpoch?) {
    guard case .root(let bytes) = self else { return (.none, nil) }
    do {
      if let record = try metadata.load(.roots).flatMap(RootStart.record) {
        let digest = try sha256(bytes)
        if record.entries.contains(where: { $0.digest == digest }) { return (.same, record.epoch) }
      }
      let start = try RootStart(shipped: bytes, store: metadata, now: Timestamp(secondsSinceEpoch: 0))
      return (start.lineage, start.lineage == .same ? start.roots.epoch : nil)
    } catch {
      throw TUFClient.problem(error)
    }
  }
}
