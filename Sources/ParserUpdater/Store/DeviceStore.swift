internal import OTACrypto
internal import OTAManifest
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
  }

  /// What `state.json` turned out to be.
  enum StateReading: Sendable {
    /// There is no state and no release: a fresh store.
    case fresh
    case state(DeviceState)
    /// There is a file or there are releases, but no state that can be read.
    case damaged(reason: String)
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

  /// Opens an existing store to act on what it says: the folder must be ours and not writable for others.
  static func openPrivate(_ path: String) throws(StorageError) -> DeviceStore? {
    let store = try open(path)
    try store?.root.checkPrivate()
    return store
  }

  /// Opens a store and makes its folder when there is none; the folder must be ours and not writable for others.
  static func create(_ path: String) throws(StorageError) -> DeviceStore {
    let root = try Directory.create(path)
    try root.checkPrivate()
    return DeviceStore(root: root)
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
      guard error.kind == .missing else { return .damaged(reason: error.message) }
      return hasReleases ? .damaged(reason: "state.json is missing beside \(Name.releases)/") : .fresh
    } catch let error as InputError {
      return .damaged(reason: "state.json \(error.message)")
    } catch {
      return .damaged(reason: "state.json cannot be read")
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

  private var hasReleases: Bool { !releaseFolders().isEmpty }

  /// Replaces the state durably: the one commit point.
  func writeState(_ state: DeviceState) throws(StorageError) {
    try root.replace(StateFile.name, with: StateFile.encode(state))
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

  /// Whether all files of a release are there with the right sizes.
  func isWhole(_ release: ReleaseReference) -> Bool {
    do {
      return ReleaseFiles.isWhole(try folder(of: release), expecting: release.manifest)
    } catch {
      // A folder that cannot be opened holds nothing that a launch could use.
      return false
    }
  }

  /// The names of the folders below `releases/`; empty when there are none or they cannot be listed.
  func releaseFolders() -> [String] {
    do {
      return try root.subdirectory(Name.releases).entries().filter { $0.kind == .directory }.map(\.name)
    } catch {
      // Without a listing nothing can be rebuilt or collected; both are tried again at the next change.
      return []
    }
  }

  /// Says, until the value goes or the process ends, that a launch goes on.
  func lease(of launch: LaunchID) throws(StorageError) -> LaunchLease {
    LaunchLease(lock: try root.lockNumber(launch.number, in: Name.launches))
  }

  /// The launches of a trial that go on, in whatever process.
  func livingLaunches(of trial: DeviceState.Trial?) throws(StorageError) -> Set<LaunchID> {
    guard let trial, !trial.launches.isEmpty else { return [] }
    let living = try root.lockedNumbers(trial.launches.map(\.number), in: Name.launches)
    return Set(trial.launches.filter { living.contains($0.number) })
  }
}
