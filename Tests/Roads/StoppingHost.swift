import OTAManifest
import Synchronization

@testable import ParserPublisher

/// A feed in a folder whose publisher is killed after so many writes: from then on nothing happens any more.
final class StoppingHost: FeedHost {
  private struct Books {
    var writesLeft: Int
    var isStopped = false
  }

  private let base: DirectoryHost
  private let books: Mutex<Books>

  init(_ base: DirectoryHost, afterWrites: Int) {
    self.base = base
    books = Mutex(Books(writesLeft: afterWrites))
  }

  /// Whether the publisher was killed before it had finished.
  var isStopped: Bool { books.withLock { $0.isStopped } }

  static let stopped = Problem(.storageFailed, "killed")

  private func count() throws(Problem) {
    let isStopped = books.withLock { books in
      if books.writesLeft == 0 { books.isStopped = true }
      books.writesLeft -= 1
      return books.isStopped
    }
    if isStopped { throw Self.stopped }
  }

  private func requireLife() throws(Problem) { if isStopped { throw Self.stopped } }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    try requireLife()
    return try base.read(path, maxBytes: maxBytes)
  }

  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try count()
    return try base.put(path, bytes)
  }

  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    try count()
    try base.replace(path, with: bytes)
  }

  func list(_ folder: String) async throws(Problem) -> [String] {
    try requireLife()
    return try base.list(folder)
  }

  func remove(_ paths: [String]) async throws(Problem) {
    for path in paths {
      try count()
      try base.remove([path])
    }
  }

  func lock(wait: Duration) async throws(Problem) -> any FeedLock {
    try requireLife()
    return try await base.lock(wait: wait)
  }
}

/// A feed in a folder at which another publisher is at work: it comes and goes just before this one takes the lock.
final class SharedHost: FeedHost {
  private let base: DirectoryHost
  /// All steps of a sequence follow one another, so that nobody else holds what this reaches.
  private nonisolated(unsafe) let other: () async throws -> Void
  private let books = Mutex<(hasCome: Bool, fault: (any Error)?)>((false, nil))

  init(_ base: DirectoryHost, other: @escaping () async throws -> Void) {
    self.base = base
    self.other = other
  }

  /// Whether the other one was there.
  var hasCome: Bool { books.withLock { $0.hasCome } }
  /// What is wrong with what the other one did.
  var fault: (any Error)? { books.withLock { $0.fault } }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    try base.read(path, maxBytes: maxBytes)
  }

  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try base.put(path, bytes)
  }

  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    try base.replace(path, with: bytes)
  }

  func list(_ folder: String) async throws(Problem) -> [String] { try base.list(folder) }

  func remove(_ paths: [String]) async throws(Problem) { try base.remove(paths) }

  func lock(wait: Duration) async throws(Problem) -> any FeedLock {
    if !books.withLock({ books in
      defer { books.hasCome = true }
      return books.hasCome
    }) {
      do { try await other() } catch { books.withLock { $0.fault = error } }
    }
    return try await base.lock(wait: wait)
  }
}
