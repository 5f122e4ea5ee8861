import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserPublisher

/// What a publisher signs is what a device takes: both are the real ones, with a folder between them.
@Suite("A signed feed and a device") struct SignedDeviceTests {
  /// An updater as a new process of the app makes it.
  private func updater(_ feed: SignedFeed) throws -> Updater {
    let app = feed.folder.path("app")
    let configuration = UpdaterConfiguration(
      directory: feed.folder.path("store"), feed: .directory(feed.feed),
      trust: .root(try readTestFile("\(app)/root.json")), embedded: .directory(app))
    return Updater(
      configuration, reader: FeedReader(.directory(feed.feed)), now: { feed.now.withLock { $0 } })
  }

  private func readTestFile(_ path: String) throws -> [UInt8] {
    try readFile(at: path, maxBytes: 1 << 20)
  }

  private func audit(_ feed: SignedFeed) async throws -> AuditReport {
    try await Publisher.audit(
      FeedReader(.directory(feed.feed)), root: try feed.read("metadata/1.root.json"),
      now: feed.now.withLock { $0 })
  }

  /// Runs what the next launch runs and says that it works.
  private func launch(_ feed: SignedFeed) throws -> Int64? {
    let updater = try updater(feed)
    let active = updater.activate()
    updater.confirm(active)
    return active.version?.number
  }

  @Test("publish, embed, take, roll back, refresh: the device follows, and every audit is clean")
  func wholeLife() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    _ = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
    #expect(try await updater(feed).check() == .upToDate(.number(1)))
    try await feed.publish("two")
    #expect(try await updater(feed).update() == .staged(.number(2)))
    #expect(try launch(feed) == 2)
    #expect(try await audit(feed).findings == [])

    _ = try await feed.publisher.rollback(RollbackRequest(signers: [try signer(2)]))
    #expect(try await updater(feed).update() == .staged(.number(3)))
    #expect(try launch(feed) == 3)
    #expect(try updater(feed).status().withdrawn == [.number(2)])
    #expect(try await audit(feed).findings == [])

    feed.wait(days: 25)
    #expect(try await audit(feed).findings.map(\.code) == ["expires-soon"])
    _ = try await feed.publisher.refresh(signers: [try signer(2)])
    #expect(try await audit(feed).findings == [])
    #expect(try await updater(feed).check() == .upToDate(.number(3)))

    feed.wait(days: 31)
    #expect(try await audit(feed).findings.map(\.code) == ["trust-expired"])
    #expect(try launch(feed) == 3)
  }

  @Test("a damaged file of a signed feed is found in a folder and over a network")
  func damage() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let server = try LoopbackServer { HTTPReply.directory(feed.feed, $0) }
    defer { server.stop() }
    let reader = FeedReader(try FeedLocation(server.url), allowsPlainHTTPOnLoopback: true)
    let root = try feed.read("metadata/1.root.json")
    let now = feed.now.withLock { $0 }
    let report = try await Publisher.audit(reader, root: root, now: now)
    #expect(report.findings == [] && report.releases.map(\.number) == [2, 1])
    // What is small is read again for the express file that repeats it.
    let asked = server.requests.map(\.target).filter {
      $0.hasSuffix(".bundle.js") || $0.hasSuffix(".sources.json")
    }
    #expect(Set(asked).count >= asked.count - 1, "one file is read once: \(asked.sorted())")
    let path = try #require(try feed.tree().first { $0.hasSuffix(".sources.json") })
    try durablyReplaceFile(at: "\(feed.feed)/\(path.dropFirst(2))", with: Array("[]".utf8))
    #expect(try await !Publisher.audit(reader, root: root, now: now).isSound)
    #expect(try await !audit(feed).isSound)
  }
}
