import OTAFeed
import OTAManifest
import OTAStorage
import Synchronization

@testable import ParserPublisher

/// A feed in memory that records every write, fails where it is told to, and lets a test look in after each write.
final class MemoryHost: FeedHost {
  struct State {
    var files: [String: [UInt8]] = [:]
    /// Paths in the order of the writes that changed something.
    var puts: [String] = []
    /// Paths in the order in which they were read.
    var reads: [String] = []
    /// The steps that were settled, in order.
    var steps: [FeedStep] = []
    /// The number of the write that fails, counted from 1.
    var failingPut: Int?
    /// A path whose bytes are damaged on their way to the disk.
    var damagedPath: String?
    var isLocked = false
  }

  let state = Mutex(State())
  /// Called after each write, with its path.
  let afterPut: @Sendable (MemoryHost, String) -> Void

  init(afterPut: @escaping @Sendable (MemoryHost, String) -> Void = { _, _ in }) {
    self.afterPut = afterPut
    let settings = FeedSettings(keptReleases: 20).encoded()
    state.withLock { $0.files[FeedLayout.settings] = settings }
  }

  var files: [String: [UInt8]] { state.withLock { $0.files } }
  var puts: [String] { state.withLock { $0.puts } }

  func failAtPut(_ number: Int?) {
    state.withLock {
      $0.puts = []
      $0.failingPut = number
    }
  }

  func read(_ path: String, maxBytes: Int) throws(Problem) -> [UInt8]? {
    state.withLock { $0.reads.append(path) }
    let bytes = files[path]
    guard (bytes?.count ?? 0) <= maxBytes else { throw Problem(.tooLarge, "\(path) is too large") }
    return bytes
  }

  func put(_ path: String, _ bytes: [UInt8]) throws(Problem) -> Bool {
    if files[path] == bytes { return false }
    try write(path, bytes)
    return true
  }

  func replace(_ path: String, with bytes: [UInt8]) throws(Problem) { try write(path, bytes) }

  func list(_ folder: String) -> [String] {
    let names = files.keys.filter { $0.hasPrefix(folder + "/") }
      .map { String($0.dropFirst(folder.count + 1).prefix { $0 != "/" }) }
    return Set(names).sorted()
  }

  func remove(_ paths: [String]) { state.withLock { for path in paths { $0.files[path] = nil } } }

  func settle(_ step: FeedStep) { state.withLock { $0.steps.append(step) } }

  func lock(wait: Duration) throws(Problem) -> any FeedLock {
    let taken = state.withLock { state in
      defer { state.isLocked = true }
      return !state.isLocked
    }
    guard taken else { throw Problem(.busy, "another publisher is at work") }
    return MemoryLock(host: self)
  }

  private struct MemoryLock: FeedLock {
    let host: MemoryHost
    func release() { host.state.withLock { $0.isLocked = false } }
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws(Problem) {
    let written = state.withLock { state in
      if state.failingPut == state.puts.count + 1 { return false }
      state.puts.append(path)
      state.files[path] = path == state.damagedPath ? bytes.dropLast() + [0x21] : bytes
      return true
    }
    guard written else { throw Problem(.storageFailed, "cannot write \(path): the disk is on fire") }
    afterPut(self, path)
  }

  /// What a client would do with the feed as it is now: `nil` when nothing is published, an error when it is broken.
  func clientVersion(_ channel: Channel = .stable) throws -> ReleaseVersion? {
    guard let bytes = files[channel.manifestPath] else { return nil }
    let manifest = try Manifest.decode(bytes)
    for artifact in [manifest.bundle, manifest.sources] {
      guard let content = files[artifact.location.text] else { throw Broken(path: artifact.location.text) }
      guard try ContentLookup.matches(content, artifact) else { throw Broken(path: artifact.location.text) }
    }
    return manifest.version
  }

  struct Broken: Error { let path: String }
}
