internal import OTAFeed
internal import OTAManifest
internal import Synchronization

/// A feed on a store of the network: files by path, a lock that outlives nobody, and pointers that move only from what was
/// read.
final class RemoteHost: FeedHost {
  private struct Books {
    /// The mark of each file that may change, as it was read or written last; `nil` inside for "not there".
    var marks: [String: String?] = [:]
    /// Files whose names say what they are.
    var kept: [String: [UInt8]] = [:]
    var lock: RemoteLock?
  }

  let store: any FileStore
  let patience: HostPatience
  private let books = Mutex(Books())
  private let conditions: StoreConditions

  init(_ store: any FileStore, patience: HostPatience = HostPatience()) {
    self.store = store
    self.patience = patience
    conditions = StoreConditions(store: store)
  }

  var warnings: [String] { conditions.warnings }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    let isImmutable = FeedLayout.kind(of: path) == .immutable
    if isImmutable, let bytes = books.withLock({ $0.kept[path] }), bytes.count <= maxBytes { return bytes }
    let file = try await store.get(path, maxBytes: maxBytes)
    books.withLock { books in
      if let file, file.mark == nil { books.marks[path] = nil } else { books.marks[path] = .some(file?.mark) }
      if isImmutable, let file { books.kept[path] = file.bytes }
    }
    return file?.bytes
  }

  func size(of path: String) async throws(Problem) -> Int? {
    if let bytes = books.withLock({ $0.kept[path] }) { return bytes.count }
    return try await store.size(of: path)
  }

  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try requireLock()
    do throws(Problem) {
      if try await store.get(path, maxBytes: bytes.count)?.bytes == bytes { return false }
    } catch  where error.code == .tooLarge {
      // Another file, which is damage under such a name.
    }
    books.withLock { $0.kept[path] = nil }
    _ = try await store.put(path, bytes, when: .always)
    return true
  }

  /// Puts a pointer where nothing changed since it was read; a store that ignores conditions cannot tell.
  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    try requireLock()
    let condition = condition(for: path)
    let outcome = try await store.put(path, bytes, when: condition)
    switch outcome {
    case .written(let mark): note(path, mark)
    case .refused:
      // The answer to an earlier attempt may have been lost on the way.
      let now = try await store.get(path, maxBytes: Limits.standard.maxManifestBytes)
      guard now?.bytes == bytes else { throw FeedCommit.changed(path) }
      note(path, now?.mark)
    }
  }

  private func condition(for path: String) -> WriteCondition {
    guard conditions.areHonoured, let known = books.withLock({ $0.marks[path] }) else { return .always }
    return known.map { .unchanged($0) } ?? .absent
  }

  private func note(_ path: String, _ mark: String?) {
    books.withLock { books in
      if let mark { books.marks[path] = .some(mark) } else { books.marks[path] = nil }
    }
  }

  func list(_ folder: String) async throws(Problem) -> [String] { try await store.list(folder) }

  func remove(_ paths: [String]) async throws(Problem) {
    try requireLock()
    for path in paths {
      try await store.remove(path)
      books.withLock { books in
        books.kept[path] = nil
        books.marks[path] = nil
      }
    }
  }

  /// Waits for whoever is at work; one that was killed is waited for until its lock has run out.
  func lock(wait: Duration) async throws(Problem) -> any FeedLock {
    let lock = try await RemoteLock.take(on: store, conditions, patience, wait: wait)
    books.withLock { books in
      books.lock = lock
      books.marks = [:]
    }
    return lock
  }

  /// Whoever stalled for so long that others went on must not write any more.
  private func requireLock() throws(Problem) {
    guard books.withLock({ $0.lock?.isLost }) == true else { return }
    throw Problem(
      .conflict, "the lock of \(store.place) was lost: this publisher was silent for too long",
      advice: "run the same command again")
  }
}

/// Whether a store honours conditions, found out by asking it.
final class StoreConditions: Sendable {
  private let store: any FileStore
  private let finding = Mutex<Bool?>(nil)

  init(store: any FileStore) { self.store = store }

  /// Whether writes can be made to depend on what is there; false until that is known.
  var areHonoured: Bool { finding.withLock { $0 } ?? false }

  /// What is lost on a store that ignores conditions.
  var warnings: [String] {
    finding.withLock { $0 } == false
      ? [
        "\(store.place) ignores conditional writes: publishers keep out of each other's way by a lock, but nothing stops"
          + " one that stalled for long in the middle; let one machine publish"
      ] : []
  }

  /// Asks once, with a file that is there and whose content stays the same.
  func probe(_ path: String, _ bytes: [UInt8]) async throws(Problem) {
    guard finding.withLock({ $0 }) == nil else { return }
    let conditions: [WriteCondition] = [.absent, .unchanged("\"00000000000000000000000000000000\"")]
    var isHonoured = true
    for condition in conditions where try await store.put(path, bytes, when: condition) != .refused {
      isHonoured = false
    }
    if try await store.get(path, maxBytes: 4096)?.mark == nil { isHonoured = false }
    let found = isHonoured
    finding.withLock { $0 = found }
  }
}
