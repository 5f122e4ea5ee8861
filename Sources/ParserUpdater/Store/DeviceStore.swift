internal import OTACrypto
internal import OTAFeed
package import OTAManifest
internal import OTAStorage

/// The folder of a device: one folder a release, and one state file whose replacement is the only commit point.
final class DeviceStore: Sendable {
  /// The names inside a store.
  enum Name {
    static let lock = "lock"
    static let launches = "launches"
    static let releases = "releases"
    static let incoming = "incoming"
    static let partial = "partial"
    static let history = "history.jsonl"
    static let damagedState = "state.json.damaged"
    static let damagedHistory = "history.jsonl.damaged"

    /// Whether a name below `releases/` is one that this program makes: a number and half a digest.
    static func isRelease(_ name: String) -> Bool { isNumbered(name) }

    /// Whether a name below `incoming/` is one that this program makes.
    static func isScratch(_ name: String) -> Bool {
      let replaced = "replaced-"
      return isNumbered(name)
        || (name.hasPrefix(replaced) && isHex(name.dropFirst(replaced.count), count: 16))
    }

    /// Whether a name below `partial/` is one that this program makes: the digest of a file.
    static func isPartial(_ name: String) -> Bool { isHex(name[...], count: 64) }

    private static func isNumbered(_ name: String) -> Bool {
      let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let number = Int64(parts[0]), String(number) == parts[0] else { return false }
      return ReleaseVersion(number) != nil && isHex(parts[1], count: 16)
    }

    private static func isHex(_ text: Substring, count: Int) -> Bool {
      text.utf8.count == count
        && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
  }

  /// What `state.json` turned out to be.
  enum StateReading: Sendable {
    /// There is no state and no release: a fresh store.
    case fresh
    case state(DeviceState)
    /// There is a file or there are releases, but the state is not one.
    case damaged(reason: String)
    /// The system does not let us look: the state may be whole. Nothing may be changed by it.
    case unknown(Problem)
  }

  let root: Directory

  private init(root: Directory) { self.root = root }

  /// Opens an existing store; `nil` when there is no folder yet.
  static func open(_ path: String) throws(StorageError) -> DeviceStore? {
    do {
      return DeviceStore(root: try Directory.open(path))
    } catch  where error.kind == .missing {
      return nil
    }
  }

  /// Opens an existing store to act on what it says; `nil` when there is no folder yet.
  ///
  /// - Throws: `foreign-folder` for a folder with other data, `not-private` for one that others own or can write to.
  static func openPrivate(_ path: String) throws(Problem) -> DeviceStore? {
    do {
      guard let store = try open(path) else { return nil }
      try store.requireOurs()
      return store
    } catch {
      throw (error as? Problem) ?? (error as? StorageError).map { Problem($0) }
        ?? Problem(.storageFailed, "\(path) cannot be used as a store")
    }
  }

  /// Opens a store, and makes its folder when there is none; an empty folder becomes a store and gets its mark.
  static func create(_ path: String) throws(Problem) -> DeviceStore {
    do {
      let store = DeviceStore(root: try Directory.create(path))
      if try store.requireOurs() != .marked { store.setMark() }
      return store
    } catch {
      throw (error as? Problem) ?? (error as? StorageError).map { Problem($0) }
        ?? Problem(.storageFailed, "\(path) cannot be used as a store")
    }
  }

  /// Refuses a folder of somebody else and one with other data: nothing in it is made, changed or removed.
  @discardableResult
  private func requireOurs() throws -> StoreRecognition.Finding {
    try root.checkPrivate()
    let finding = try StoreRecognition.look(at: root)
    guard case .foreign(let name) = finding else { return finding }
    throw Problem(
      .foreignFolder,
      "\(root.path) has data in it that belongs to no store (\(name.printable(maxCharacters: 60)))",
      kept: "everything in it", advice: "give the store an empty folder of its own")
  }

  /// Writes the mark; a store without one is known by what is in it.
  private func setMark() {
    do {
      var lock = try root.appendFile(Name.lock)
      if lock.size == 0 { try lock.write(StoreRecognition.mark) }
    } catch {
      // Something else in its place, or a disk that takes nothing: whatever needs the lock says so.
    }
  }

  /// Takes the lock that every change of the state needs; released by the kernel when the process dies.
  func lock(wait: Duration) throws(StorageError) -> FileLock {
    try root.lock(Name.lock, .exclusive, wait: wait)
  }

  /// Reads the state; never throws, since a launch goes on without one.
  func readState() -> StateReading {
    do {
      return .state(try StateFile.decode(try stateBytes()))
    } catch let error as StorageError {
      return readingWithoutState(error)
    } catch let error as InputError {
      return .damaged(reason: "state.json \(error.message)")
    } catch {
      return .damaged(reason: "state.json cannot be read")
    }
  }

  private func readingWithoutState(_ error: StorageError) -> StateReading {
    if error.leavesUnknown { return .unknown(Problem(error)) }
    guard error.kind == .missing else { return .damaged(reason: error.message) }
    do {
      guard try !releaseFolders().isEmpty else { return .fresh }
      return .damaged(reason: "state.json is missing beside \(Name.releases)/")
    } catch {
      return .unknown(Problem(error))
    }
  }

  /// The state to decide by, and why it had to be rebuilt from the releases on disk; nothing is written.
  ///
  /// - Throws: the reason why the state is unknown; then nothing may be changed.
  func state() throws(Problem) -> (state: DeviceState, damage: String?) {
    switch readState() {
    case .fresh: return (DeviceState(), nil)
    case .state(let state): return (state, nil)
    case .damaged(let reason): return (try StateRecovery.rebuild(from: self), reason)
    case .unknown(let problem): throw problem
    }
  }

  /// Asks twice where the disk or the system had no answer: giving up a good state costs its pin and its confirmation.
  private func stateBytes() throws(StorageError) -> [UInt8] {
    let limit = Limits.standard.maxStateBytes
    do {
      return try root.read(StateFile.name, maxBytes: limit)
    } catch  where error.kind == .io {
      return try root.read(StateFile.name, maxBytes: limit)
    }
  }

  /// Why a launch could not be recorded just now; `nil` when nothing is known to be in the way. Changes nothing.
  var obstacleToRecording: Problem? {
    do {
      try root.checkWritable()
      try root.checkWritable(Name.lock)
      guard try !root.isLocked(Name.lock) else {
        return Problem(.busy, "another process holds the lock of \(root.path)")
      }
      // A state is small: a disk that does not hold one more is full.
      guard try root.freeBytes() >= Limits.standard.maxStateBytes / 16 else {
        return Problem(.diskFull, "the disk of \(root.path) is full", advice: "free some space")
      }
      return nil
    } catch {
      return Problem(error)
    }
  }

  /// Replaces the state durably: the one commit point.
  func writeState(_ state: DeviceState) throws(StorageError) {
    try root.replace(StateFile.name, with: StateFile.encode(state))
  }

  /// Writes events into the history, under the lock; what it does not take is counted in the state, and told later.
  ///
  /// - Parameter state: the state as it is on the disk.
  /// - Returns: why the events were not written; what they tell of has happened all the same.
  @discardableResult
  func record(_ events: [HistoryEvent], _ state: DeviceState, at date: Timestamp) -> Problem? {
    guard !events.isEmpty else { return nil }
    var (after, problem) = (state, Problem?.none)
    do {
      let loss = state.historyLoss.map { [HistoryEvent(.lost, nil, $0.sentence)] } ?? []
      try HistoryFile(root: root).append(loss + events, at: date)
      after.historyLoss = nil
    } catch {
      after.lose(events.count, error.message, at: date)
      problem = Problem(error)
    }
    do {
      if after != state { try writeState(after) }
    } catch {
      // The caller hears of the loss; the next event that is not written is counted again.
    }
    return problem
  }

  /// Makes what the state says outlive a power cut, for whoever finds nothing to change in it: a process that was killed in
  /// the middle of a replacement leaves a state that everybody sees and that nothing holds on to yet.
  func holdState() throws(StorageError) { try root.sync() }

  /// Moves a state that cannot be read out of the way, for whoever wants to look at it.
  func setDamagedStateAside() throws(StorageError) {
    guard try root.kind(of: StateFile.name) != nil else { return }
    try root.removeTree(Name.damagedState)
    try root.rename(StateFile.name, to: Name.damagedState, in: root)
  }

  /// The folder of a release.
  func folder(of release: ReleaseReference) throws(StorageError) -> Directory {
    try root.subdirectory(Name.releases).subdirectory(release.folderName)
  }

  /// Whether all files of a release are there and are the ones of its manifest, by the same reading as a launch.
  ///
  /// - Throws: the reason why that cannot be known.
  func isWhole(_ release: ReleaseReference) throws(Problem) -> Bool {
    do {
      try verify(release)
      return true
    } catch {
      if let unknown = error.unknown { throw unknown }
      return false
    }
  }

  /// Reads and hashes the files of a release; throws what is wrong with them.
  func verify(_ release: ReleaseReference) throws(ReleaseFiles.Damage) {
    try ReleaseFiles.verify(openFolder(of: release), expecting: release.manifest)
  }

  /// The folder of a release, for its files.
  func openFolder(of release: ReleaseReference) throws(ReleaseFiles.Damage) -> Directory {
    do {
      return try folder(of: release)
    } catch {
      throw ReleaseFiles.Damage(error, "cannot be opened: \(error.message)")
    }
  }

  /// The names of the folders below `releases/`; empty when there is no such folder.
  func releaseFolders() throws(StorageError) -> [String] {
    do {
      return try root.subdirectory(Name.releases).entries().filter { $0.kind == .directory }.map(\.name)
    } catch  where error.kind == .missing || error.kind == .wrongKind {
      return []
    }
  }

  /// The releases that live processes run, as far as that can be known: each holds a lock on its folder.
  func releasesInUse() -> [ReleaseVersion] {
    var versions: [ReleaseVersion] = []
    do {
      let releases = try root.subdirectory(Name.releases)
      for name in try releaseFolders() where Name.isRelease(name) {
        guard let number = name.split(separator: "-").first.flatMap({ Int64($0) }),
          let version = ReleaseVersion(number), try releases.subdirectory(name).isSelfLocked()
        else { continue }
        versions.append(version)
      }
    } catch {
      // Collected meanwhile, or not to be opened: what runs there is not known, and nothing depends on it.
    }
    return versions
  }

  /// Says, until the value goes or the process ends, that a launch goes on.
  func lease(of launch: LaunchID) throws(StorageError) -> LaunchLease {
    LaunchLease(lock: try root.lockNumber(launch.number, in: Name.launches))
  }

  /// The launches of a trial that go on, in whatever process; `nil` when that cannot be known.
  ///
  /// Something else in place of the file is damage: then none goes on, since a bad release must go away by itself.
  func livingLaunches(of trial: DeviceState.Trial?) -> (living: Set<LaunchID>?, problem: Problem?) {
    guard let trial, !trial.launches.isEmpty else { return ([], nil) }
    do {
      let living = try root.lockedNumbers(trial.launches.map(\.number), in: Name.launches)
      return (Set(trial.launches.filter { living.contains($0.number) }), nil)
    } catch {
      // A file system without such locks is no reason to try a bad release for ever.
      let isUnknown = error.leavesUnknown && (error.operation != "lock" || error.kind == .notPermitted)
      return (isUnknown ? nil : [], Problem(error))
    }
  }
}

/// Makes an empty folder a store, or finds that it is one already.
///
/// - Throws: `foreign-folder` for a folder with other data, in which nothing was changed.
package func prepareStore(at path: String) throws(Problem) { _ = try DeviceStore.create(path) }
