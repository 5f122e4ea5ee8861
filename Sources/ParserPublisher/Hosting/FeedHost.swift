internal import OTAFeed
package import OTAManifest

/// A place that holds the files of a feed and that a publisher can write to.
///
/// It knows nothing of releases or signatures. Paths are below the feed's root, with `/` between plain names. What is
/// written may wait until `settle`: a reader of this host sees it at once, everybody else after that call at the latest.
package protocol FeedHost: Sendable {
  /// The bytes of a file; `nil` only when it certainly does not exist.
  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]?

  /// The size of a file; `nil` only when it certainly does not exist.
  func size(of path: String) async throws(Problem) -> Int?

  /// Makes `path` hold `bytes`, durably; `false` when it did already and nothing was written.
  ///
  /// The name says what the bytes must be, so other bytes under it are damage and are replaced.
  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool

  /// Puts `bytes` at `path` durably, whatever stands there; every reader sees the whole old or the whole new content.
  ///
  /// - Throws: `conflict` where the host can tell that another publisher changed the file since it was read here.
  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem)

  /// The names in a folder, in order; none when there is no such folder.
  func list(_ folder: String) async throws(Problem) -> [String]

  /// Removes files, of which none comes back once it returned, whatever happens to the machine; missing is fine.
  func remove(_ paths: [String]) async throws(Problem)

  /// Ends a step: returns once all that was written so far is what readers of the host get.
  ///
  /// - Throws: `conflict` when another publisher was faster; then nothing of the step is on the host.
  func settle(_ step: FeedStep) async throws(Problem)

  /// What a person should know of this host, each a sentence.
  var warnings: [String] { get }

  /// Keeps every other publisher out, or throws `busy` after `wait`.
  func lock(wait: Duration) async throws(Problem) -> any FeedLock
}

/// The steps of a change to a feed, each of which must be out before the next one begins.
package enum FeedStep: String, CaseIterable, Sendable {
  /// Files under names that say what they are: nobody asks for them yet.
  case files
  /// Signed metadata under new versions.
  case metadata
  /// What readers ask for first, and so the change itself.
  case pointers
  /// What nobody needs any more is gone.
  case removal
}

extension FeedHost {
  /// Where sizes are not told, the file says it.
  package func size(of path: String) async throws(Problem) -> Int? {
    try await read(path, maxBytes: Int(Limits.standard.maxBundleBytes))?.count
  }

  /// Where there is nothing to know.
  package var warnings: [String] { [] }

  /// Where every write is out at once.
  package func settle(_ step: FeedStep) async throws(Problem) {}

  /// Does something while every other publisher is kept out, and lets readers have all of it.
  func locked<Outcome>(
    wait: Duration = .seconds(10), _ work: () async throws(Problem) -> Outcome
  ) async throws(Problem) -> Outcome {
    let lock = try await lock(wait: wait)
    do {
      let outcome = try await work()
      try await settle(.removal)
      await lock.release()
      return outcome
    } catch {
      await lock.release()
      throw error
    }
  }
}

/// The right to write to a feed, held until it is released or the process ends.
package protocol FeedLock: Sendable {
  /// Lets others have it, and forgets what was written and never settled; a second call does nothing.
  func release() async
}
