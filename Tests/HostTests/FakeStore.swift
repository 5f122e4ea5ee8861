import OTAFeed
import OTAManifest
import OTATransfer
import Synchronization

@testable import ParserPublisher

/// An object store in memory that speaks as the real ones do, and can be told to be one of the odd ones.
final class FakeStore: HostTransport {
  /// What is odd about a store.
  enum Oddity: Sendable {
    /// Takes every write, whatever it depends on.
    case ignoresConditions
    /// Knows a mark in a condition only without its quotes.
    case wantsPlainMarks
    /// Says 403 for what is missing.
    case forbidsMissing
  }

  private struct Books {
    var objects: [String: [UInt8]] = [:]
    var versions: [String: Int] = [:]
    var fields: [String: [String: String]] = [:]
    var writes = 0
    var requests: [String] = []
  }

  private let books = Mutex(Books())
  private let oddities: [Oddity]

  init(_ oddities: Oddity...) { self.oddities = oddities }

  /// Every request so far, as method and path.
  var requests: [String] { books.withLock { $0.requests } }
  func fields(of key: String) -> [String: String] { books.withLock { $0.fields[key] ?? [:] } }
  func bytes(of key: String) -> [UInt8]? { books.withLock { $0.objects[key] } }
  var keys: [String] { books.withLock { $0.objects.keys.sorted() } }

  func send(_ request: HostRequest) async throws(TransferError) -> HostAnswer {
    let tail = request.url.split(separator: "/", maxSplits: 2).last ?? ""
    let parts = tail.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let key = parts[0].percentDecoded ?? ""
    let query = parts.count > 1 ? String(parts[1]) : ""
    let fields = Dictionary(request.fields.map { ($0.name.lowercased(), $0.value) }) { $1 }
    return books.withLock { books in
      books.requests.append("\(request.method) \(key)")
      if fields["authorization"]?.contains("Signature=") != true { return HostAnswer(status: 403) }
      switch request.method {
      case "GET" where query.contains("list-type=2"): return list(query, books)
      case "GET", "HEAD": return read(key, request.method, books)
      case "PUT": return put(key, request.body ?? [], fields, &books)
      case "DELETE":
        books.objects[key] = nil
        return HostAnswer(status: 204)
      default: return HostAnswer(status: 405)
      }
    }
  }

  private func list(_ query: String, _ books: Books) -> HostAnswer {
    let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    let prefix = pairs.first { $0[0] == "prefix" }.flatMap { $0.count > 1 ? $0[1].percentDecoded : "" } ?? ""
    var (names, folders): (Set<String>, Set<String>) = ([], [])
    for key in books.objects.keys {
      let inner = String(key.dropFirst("bucket/".count))
      guard inner.hasPrefix(prefix) else { continue }
      let rest = inner.dropFirst(prefix.count)
      if let slash = rest.firstIndex(of: "/") {
        folders.insert(prefix + rest[...slash])
      } else {
        names.insert(inner)
      }
    }
    let text =
      "<ListBucketResult>" + names.sorted().map { "<Contents><Key>\($0)</Key></Contents>" }.joined()
      + folders.sorted().map { "<CommonPrefixes><Prefix>\($0)</Prefix></CommonPrefixes>" }.joined()
      + "<IsTruncated>false</IsTruncated></ListBucketResult>"
    return HostAnswer(status: 200, body: Array(text.utf8))
  }

  private func read(_ key: String, _ method: String, _ books: Books) -> HostAnswer {
    guard let bytes = books.objects[key] else {
      guard oddities.contains(.forbidsMissing) else {
        return HostAnswer(status: 404, body: Array("<Error><Code>NoSuchKey</Code></Error>".utf8))
      }
      return HostAnswer(
        status: 403, body: method == "HEAD" ? [] : Array("<Error><Code>AccessDenied</Code></Error>".utf8))
    }
    return HostAnswer(
      status: 200, etag: mark(key, books), length: bytes.count, body: method == "HEAD" ? [] : bytes)
  }

  private func put(
    _ key: String, _ bytes: [UInt8], _ fields: [String: String], _ books: inout Books
  ) -> HostAnswer {
    if !oddities.contains(.ignoresConditions) {
      if fields["if-none-match"] == "*", books.objects[key] != nil { return HostAnswer(status: 412) }
      if let wanted = fields["if-match"] {
        let own = mark(key, books)
        let known = oddities.contains(.wantsPlainMarks) ? own?.filter { $0 != "\"" } : own
        guard wanted == known else { return HostAnswer(status: books.objects[key] == nil ? 404 : 412) }
      }
    }
    books.writes += 1
    books.objects[key] = bytes
    books.versions[key] = books.writes
    books.fields[key] = fields
    return HostAnswer(status: 200, etag: mark(key, books))
  }

  private func mark(_ key: String, _ books: Books) -> String? {
    books.objects[key] == nil ? nil : "\"v\(books.versions[key] ?? 0)\""
  }
}

/// The line to a store of one publisher, which is killed after so many requests: from then on nothing happens any more.
final class MortalTransport: HostTransport {
  private let base: any HostTransport
  private let books: Mutex<(left: Int?, isDead: Bool, sent: Int)>

  init(_ base: any HostTransport, diesAfter requests: Int? = nil) {
    self.base = base
    books = Mutex((requests, false, 0))
  }

  /// Kills it at once.
  func kill() { books.withLock { $0.left = 0 } }

  var isDead: Bool { books.withLock { $0.isDead } }
  var sent: Int { books.withLock { $0.sent } }

  func send(_ request: HostRequest) async throws(TransferError) -> HostAnswer {
    let isDead = books.withLock { books in
      if books.left == 0 { books.isDead = true }
      books.left = books.left.map { $0 - 1 }
      books.sent += 1
      return books.isDead
    }
    // Nothing is retried for a dead one.
    if isDead { throw TransferError(.cancelled, url: request.url, detail: "the publisher was killed") }
    return try await base.send(request)
  }
}

/// A host whose publisher is killed after so many changes: from then on nothing happens any more.
final class MortalHost: FeedHost {
  private let base: any FeedHost
  private let books: Mutex<(left: Int, isDead: Bool)>
  static let death = Problem(.storageFailed, "killed")

  init(_ base: any FeedHost, diesAfter changes: Int) {
    self.base = base
    books = Mutex((changes, false))
  }

  var isDead: Bool { books.withLock { $0.isDead } }

  private func live(_ isChange: Bool) throws(Problem) {
    let isDead = books.withLock { books in
      if isChange, books.left == 0 { books.isDead = true }
      if isChange { books.left -= 1 }
      return books.isDead
    }
    if isDead { throw Self.death }
  }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    try live(false)
    return try await base.read(path, maxBytes: maxBytes)
  }

  func size(of path: String) async throws(Problem) -> Int? {
    try live(false)
    return try await base.size(of: path)
  }

  func list(_ folder: String) async throws(Problem) -> [String] {
    try live(false)
    return try await base.list(folder)
  }

  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try live(true)
    return try await base.put(path, bytes)
  }

  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    try live(true)
    try await base.replace(path, with: bytes)
  }

  func remove(_ paths: [String]) async throws(Problem) {
    for path in paths {
      try live(true)
      try await base.remove([path])
    }
  }

  func settle(_ step: FeedStep) async throws(Problem) {
    try live(true)
    try await base.settle(step)
  }

  /// The system frees a lock of a folder, and others run out: giving it back is what comes to the same.
  func lock(wait: Duration) async throws(Problem) -> any FeedLock {
    try live(false)
    return try await base.lock(wait: wait)
  }
}
