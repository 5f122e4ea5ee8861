import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserPublisher

/// One slip at the publisher, or a thief with the release key, and the one ceremony that frees devices from it.
@Suite("A mistake that no later release could follow, healed by one ceremony")
struct HealingStories {
  private func updater(_ feed: SignedFeed, _ name: String = "store") throws -> Updater {
    let app = feed.folder.path("app")
    let configuration = UpdaterConfiguration(
      directory: feed.folder.path(name), feed: .directory(feed.feed),
      trust: .root(try readFile(at: "\(app)/root.json", maxBytes: 1 << 20)), embedded: .directory(app))
    return Updater(
      configuration, reader: FeedReader(.directory(feed.feed)), now: { feed.now.withLock { $0 } })
  }

  /// A feed with two releases, an app that ships the first, and a device that runs the second.
  private func scene() async throws -> SignedFeed {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    _ = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
    try await feed.publish("two")
    #expect(try await take(feed) == 2)
    return feed
  }

  /// Takes what the feed has; the number that the next launch runs and confirms.
  private func take(_ feed: SignedFeed) async throws -> Int64? {
    _ = try await updater(feed).update()
    return try launch(feed)
  }

  private func launch(_ feed: SignedFeed) throws -> Int64? {
    let updater = try updater(feed)
    let active = updater.activate()
    updater.confirm(active)
    return active.version?.number
  }

  private func rotate(_ feed: SignedFeed, discarding: [Int64]) async throws {
    let outcome = try await feed.publisher.changeRoot(
      [.replace(keyID: try signer(2).publicKey.metadataID(), with: try signer(5).publicKey, in: .release)],
      signers: [try signer(1), try signer(5)], discarding: Set(discarding.map(version)))
    guard case .committed = outcome else {
      Issue.record("the ceremony wants more signatures")
      return
    }
  }

  private func audit(_ feed: SignedFeed) async throws -> [AuditFinding] {
    try await Publisher.audit(
      FeedReader(.directory(feed.feed)), root: try feed.read("metadata/1.root.json"),
      now: feed.now.withLock { $0 }
    ).findings
  }

  @Test("B86: a maximal number by mistake is healed by one ceremony")
  func number() async throws {
    let feed = try await scene()
    try await feed.publish("slip") {
      $0.version = version(ReleaseNumbering.cap)
      $0.allowsVersionJump = true
    }
    #expect(try await take(feed) == ReleaseNumbering.cap)
    feed.wait(days: 1)
    try await rotate(feed, discarding: [ReleaseNumbering.cap])
    #expect(try await take(feed) == 3)
    #expect(try await feed.publish("three", keys: [5]).manifest.version == version(4))
    #expect(try await take(feed) == 4)
    #expect(try await audit(feed) == [])
  }

  @Test("B81: a date far ahead by mistake is healed by one ceremony, without allowing a clock")
  func date() async throws {
    let feed = try await scene()
    let far = feed.now.withLock { $0 }.advanced(bySeconds: 40 * 86_400)
    _ = try await Publisher(feed: feed.feed) { far }.publish(try feed.request("far"))
    #expect(try await take(feed) == 3)
    feed.wait(days: 1)
    #expect(await problem { try await feed.publish("three") }?.code == .clockImplausible)
    try await rotate(feed, discarding: [3])
    #expect(try await take(feed) == 4)
    #expect(try await feed.publish("three", keys: [5]).manifest.version == version(5))
    #expect(try await take(feed) == 5)
    #expect(try await audit(feed) == [])
  }

  @Test("S1: everything withdrawn by a thief runs again after the ceremony")
  func withdrawn() async throws {
    let feed = try await scene()
    try await feed.publish("evil")
    _ = try await feed.publisher.rollback(RollbackRequest(to: version(1), signers: [try signer(2)]))
    #expect(try await take(feed) == 4)
    #expect(try updater(feed).status().withdrawn == [.number(2), .number(3)])
    feed.wait(days: 1)
    try await rotate(feed, discarding: [3, 4])
    #expect(try await take(feed) == 5)
    #expect(try updater(feed).status().withdrawn == [.number(3), .number(4)])
    #expect(try await audit(feed) == [])
  }

  @Test("numbers go on after what was discarded, unless it had leapt")
  func numbering() throws {
    func next(_ head: Int64, _ discarded: [Int64]) throws -> Int64 {
      try Republication.number(after: version(head), discarded: discarded.map(version)).number
    }
    #expect(try next(2, [3]) == 4 && next(2, [3, 4]) == 5 && next(2, [4, 3]) == 5)
    #expect(try next(2, [ReleaseNumbering.cap]) == 3 && next(2, [3, ReleaseNumbering.cap]) == 4)
    #expect(try next(2, [1]) == 3 && next(2, [1002]) == 1003 && next(2, [1003]) == 3)
  }
}
