package import OTAManifest

/// A place that holds the files of a feed and that a publisher can write to.
///
/// Paths are below the feed's root, with `/` between plain names.
package protocol FeedHost: Sendable {
  /// The bytes of a file; `nil` only when it certainly does not exist.
  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]?

  /// The size of a file; `nil` only when it certainly does not exist.
  func size(of path: String) async throws(Problem) -> Int?

  /// Makes `path` hold `bytes`, durably, whatever stands there: a link, an empty folder, another file.
  func replaceDamaged(_ path: String, with bytes: [UInt8]) async throws(Problem)

  /// Makes `path` hold `bytes`, durably; `false` when it did already and nothing was written.
  ///
  /// The name says what the bytes must be, so other bytes under it are damage and are replaced.
  func putImmutable(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool

  /// Puts `bytes` at `path` durably; every reader sees the whole old or the whole new content.
  func replacePointer(_ path: String, with bytes: [UInt8]) async throws(Problem)

  /// The names in a folder, in order; none when there is no such folder.
  func list(_ folder: String) async throws(Problem) -> [String]

  /// Removes a file; missing is fine.
  func remove(_ path: String) async throws(Problem)

  /// Removes files, of which none comes back once it returned, whatever happens to the machine.
  func removeDurably(_ paths: [String]) async throws(Problem)

  /// Keeps every other publisher out, or throws `busy` after `wait`.
  func lock(wait: Duration) async throws(Problem) -> any FeedLock
}

extension FeedHost {
  /// Where sizes are not told, the file says it.
  package func size(of path: String) async throws(Problem) -> Int? {
    try await read(path, maxBytes: Int(Limits.standard.maxBundleBytes))?.count
  }

  /// Where nothing but files can stand.
  package func replaceDamaged(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    _ = try await putImmutable(path, bytes)
  }

  /// Where a removal is final, there is nothing more to do.
  package func removeDurably(_ paths: [String]) async throws(Problem) {
    for path in paths { try await remove(path) }
  }
}

/// The right to write to a feed, held until it is released or the process ends.
package protocol FeedLock: Sendable {
  /// Lets others have it; a second call does nothing.
  func release()
}
