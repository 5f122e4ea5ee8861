internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import Synchronization

/// The lock of a feed on a store: a small file that its holder renews, so that nobody waits for a dead one for long.
///
/// No clock of another machine counts: a lock has run out when whoever waits has seen no change of it for the lease.
final class RemoteLock: FeedLock {
  private struct Books {
    var mark: String?
    var beat: Int64 = 0
    var isOver = false
    var isLost = false
    var heart: Task<Void, Never>?
  }

  private let store: any FileStore
  private let conditions: StoreConditions
  private let patience: HostPatience
  private let holder: String
  private let books: Mutex<Books>

  private init(
    _ store: any FileStore, _ conditions: StoreConditions, _ patience: HostPatience, holder: String,
    mark: String?
  ) {
    self.store = store
    self.conditions = conditions
    self.patience = patience
    self.holder = holder
    books = Mutex(Books(mark: mark))
  }

  /// Whether somebody else took it for that of a dead publisher.
  var isLost: Bool { books.withLock { $0.isLost } }

  // MARK: Taking it

  static func take(
    on store: any FileStore, _ conditions: StoreConditions, _ patience: HostPatience, wait: Duration
  ) async throws(Problem) -> RemoteLock {
    let holder = Digest(bytes: randomBytes(Digest.byteCount))?.hex ?? ""
    let deadline = ContinuousClock.now + wait
    var seen: [UInt8]?
    var since = ContinuousClock.now
    while true {
      let found = try await store.get(FeedLayout.lock, maxBytes: 4096)
      if found?.bytes != seen { (seen, since) = (found?.bytes, .now) }
      let silence = ContinuousClock.now - since
      if LockRecord(found?.bytes).holder == nil || silence > patience.lease {
        if let lock = try await take(over: found, holder, on: store, conditions, patience) { return lock }
      }
      // One that is renewed is in use; one that is silent is that of a dead publisher before long.
      guard ContinuousClock.now < deadline || silence > patience.lease * 0.3 else {
        throw Problem(
          .busy, "another publisher is at work on \(store.place)",
          advice: "wait until it has finished, then run the same command again")
      }
      try await Problem.sleep(min(patience.lease / 20, .milliseconds(500)) * Double.random(in: 0.5...1.5))
    }
  }

  /// Puts the own name in place of what was found; `nil` when somebody was faster.
  private static func take(
    over found: StoredFile?, _ holder: String, on store: any FileStore, _ conditions: StoreConditions,
    _ patience: HostPatience
  ) async throws(Problem) -> RemoteLock? {
    let bytes = LockRecord(holder: holder, beat: 0).encoded()
    let condition: WriteCondition =
      found.map { file in file.mark.map { .unchanged($0) } ?? .always } ?? .absent
    guard try await put(bytes, condition, on: store) else { return nil }
    try await conditions.probe(FeedLayout.lock, bytes)
    if !conditions.areHonoured { try await Problem.sleep(patience.standing) }
    guard let now = try await store.get(FeedLayout.lock, maxBytes: 4096), now.bytes == bytes else {
      return nil
    }
    let lock = RemoteLock(store, conditions, patience, holder: holder, mark: now.mark)
    lock.beginBeating()
    return lock
  }

  private static func put(
    _ bytes: [UInt8], _ condition: WriteCondition, on store: any FileStore
  ) async throws(Problem) -> Bool {
    switch try await store.put(FeedLayout.lock, bytes, when: condition) {
    case .written: true
    // The answer to an earlier attempt may have been lost on the way.
    case .refused: try await store.get(FeedLayout.lock, maxBytes: 4096)?.bytes == bytes
    }
  }

  // MARK: Holding it

  private func beginBeating() {
    let pause = patience.lease / 4
    let heart = Task { [weak self] in
      while !Task.isCancelled {
        // A pause that is cut short ends the loop.
        try? await Task.sleep(for: pause)
        guard !Task.isCancelled, let self, await self.beat() else { return }
      }
    }
    books.withLock { $0.heart = heart }
  }

  /// Shows that the holder lives; `false` when the lock is over.
  private func beat() async -> Bool {
    let (mark, beat, isOver) = books.withLock { ($0.mark, $0.beat + 1, $0.isOver) }
    guard !isOver else { return false }
    let bytes = LockRecord(holder: holder, beat: beat).encoded()
    do throws(Problem) {
      let outcome = try await write(bytes, mark)
      return books.withLock { books in
        switch outcome {
        case .written(let mark): (books.mark, books.beat) = (mark, beat)
        case .refused: books.isLost = !books.isOver
        }
        return !books.isLost
      }
    } catch {
      // What passes, passes; a longer silence is for others to judge.
      return true
    }
  }

  /// Replaces the record as long as it is the own one.
  private func write(_ bytes: [UInt8], _ mark: String?) async throws(Problem) -> WriteOutcome {
    if conditions.areHonoured, let mark {
      let outcome = try await store.put(FeedLayout.lock, bytes, when: .unchanged(mark))
      guard outcome == .refused else { return try await marked(outcome) }
    }
    let now = try await store.get(FeedLayout.lock, maxBytes: 4096)
    guard LockRecord(now?.bytes).holder == holder else { return .refused }
    let condition: WriteCondition =
      conditions.areHonoured ? now?.mark.map { .unchanged($0) } ?? .always : .always
    return try await marked(try await store.put(FeedLayout.lock, bytes, when: condition))
  }

  /// The mark of what was written, asked for where the answer did not tell it.
  private func marked(_ outcome: WriteOutcome) async throws(Problem) -> WriteOutcome {
    guard conditions.areHonoured, outcome == .written(mark: nil) else { return outcome }
    return .written(mark: try await store.get(FeedLayout.lock, maxBytes: 4096)?.mark)
  }

  func release() async {
    let mark = books.withLock { books -> String?? in
      guard !books.isOver else { return nil }
      books.isOver = true
      books.heart?.cancel()
      return .some(books.mark)
    }
    guard let mark else { return }
    // A task of its own, so that a publisher that is interrupted gives its lock back all the same.
    await Task { [self] in
      do throws(Problem) {
        _ = try await write(LockRecord(holder: nil, beat: 0).encoded(), mark)
      } catch {
        // It runs out by itself.
      }
    }.value
  }
}

/// What stands in the file of a lock.
struct LockRecord: Equatable {
  /// Who has it; `nil` when it is free.
  let holder: String?
  let beat: Int64

  init(holder: String?, beat: Int64) { (self.holder, self.beat) = (holder, beat) }

  /// Reads a record; what cannot be read belongs to nobody.
  init(_ bytes: [UInt8]?) {
    let words = String(decoding: bytes ?? [], as: UTF8.self).split(separator: " ")
    let isHeld = words.count >= 2 && words[0] == "held"
    holder = isHeld ? String(words[1]) : nil
    beat = words.count > 2 ? Int64(words[2].filter(\.isNumber)) ?? 0 : 0
  }

  func encoded() -> [UInt8] { Array((holder.map { "held \($0) \(beat)\n" } ?? "free\n").utf8) }
}
