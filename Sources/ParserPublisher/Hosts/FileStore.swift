internal import OTAManifest
internal import OTATransfer

/// A place on the network that keeps files by their paths, and gives each version of a file a mark of its own.
protocol FileStore: Sendable {
  /// What messages call it.
  var place: String { get }

  /// A file and its mark; `nil` only when it certainly does not exist.
  func get(_ path: String, maxBytes: Int) async throws(Problem) -> StoredFile?

  /// The size of a file in bytes; `nil` only when it certainly does not exist.
  func size(of path: String) async throws(Problem) -> Int?

  /// Puts a file as a whole, or nothing when the condition does not hold.
  func put(
    _ path: String, _ bytes: [UInt8], when condition: WriteCondition
  ) async throws(Problem) -> WriteOutcome

  /// Removes a file; missing is fine.
  func remove(_ path: String) async throws(Problem)

  /// The names in a folder, in order; none when there is no such folder.
  func list(_ folder: String) async throws(Problem) -> [String]
}

/// A file as a store has it.
struct StoredFile: Equatable, Sendable {
  let bytes: [UInt8]
  /// What the store calls this version; `nil` where it tells none that a condition can name.
  let mark: String?
}

/// When a file may be written.
enum WriteCondition: Equatable, Sendable {
  case always
  /// Nothing has its name.
  case absent
  /// It is still the version with this mark.
  case unchanged(String)
}

/// What became of a write.
enum WriteOutcome: Equatable, Sendable {
  /// It is there; its mark where the store tells it.
  case written(mark: String?)
  /// The condition did not hold, and nothing was written.
  case refused
}

/// How long the parts of a publish may take on a host that is not a folder.
struct HostPatience: Sendable {
  /// After so long without a sign of life, the lock of a publisher counts as that of a dead one.
  var lease: Duration = .seconds(30)
  /// On a store that ignores conditions: how long a lock must stand before it counts as taken.
  var standing: Duration = .seconds(2)
  /// The pause before the first retry of a request; each further one doubles it.
  var retryPause: Duration = .milliseconds(300)
  /// How often a request is sent at most, for what can pass.
  var attempts = 4
}

/// A store that is asked over HTTP: the one way to read a file of it.
protocol HTTPFileStore: FileStore {
  /// Sends a request for a path of the feed.
  func request(_ method: String, _ path: String, maxAnswerBytes: Int) async throws(Problem) -> HostAnswer

  /// Throws unless the answer says that the file certainly does not exist.
  func requireMissing(_ answer: HostAnswer, _ method: String, _ path: String) async throws(Problem)
}

extension HTTPFileStore {
  func get(_ path: String, maxBytes: Int) async throws(Problem) -> StoredFile? {
    let answer: HostAnswer
    do throws(Problem) {
      answer = try await request("GET", path, maxAnswerBytes: max(maxBytes, 64 << 10))
    } catch  where error.code == .tooLarge {
      throw Problem(.tooLarge, "\(path) has more than \(maxBytes) bytes")
    }
    guard answer.status == 200 else {
      try await requireMissing(answer, "GET", path)
      return nil
    }
    guard answer.body.count <= maxBytes else {
      throw Problem(.tooLarge, "\(path) has \(answer.body.count) bytes, more than \(maxBytes)")
    }
    return StoredFile(bytes: answer.body, mark: ObjectStore.mark(answer.etag))
  }

  func size(of path: String) async throws(Problem) -> Int? {
    let answer = try await request("HEAD", path, maxAnswerBytes: 64 << 10)
    guard answer.status == 200 else {
      try await requireMissing(answer, "HEAD", path)
      return nil
    }
    if let length = answer.length { return length }
    return try await get(path, maxBytes: Int(Limits.standard.maxBundleBytes))?.bytes.count
  }
}
