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

/// For every kind of harm that a release key can do: stolen, used, rotated with the root key, and every device is healed by
/// the feed alone.
@Suite("S1, S2: healed without touching a device")
struct HealedDeviceTests {
  /// What a thief does, and the release that the rotation discards.
  struct Harm: Sendable, CustomTestStringConvertible {
    let name: String
    let discards: Int64?
    let act: @Sendable (SignedFeed) async throws -> Void
    var testDescription: String { name }
  }

  private static let farAhead = "2099-01-01T00:00:00Z"

  static let harms = [
    Harm(name: "the largest number", discards: JSONObject.maxExactInteger) { feed in
      try await Thief(feed: feed).publish { $0["version"] = .integer(JSONObject.maxExactInteger) }
    },
    Harm(name: "a date far ahead", discards: 3) { feed in
      try await Thief(feed: feed, signedAt: Timestamp(farAhead)).publish {
        $0["version"] = .integer(3)
        $0["released"] = .string(farAhead)
      }
    },
    Harm(
      name: "the largest number, a date far ahead, and metadata for a century",
      discards: JSONObject.maxExactInteger
    ) { feed in
      let expires = Timestamp("2125-01-01T00:00:00Z") ?? TestFeed.date
      try await Thief(feed: feed, expires: expires, signedAt: Timestamp(farAhead)).publish {
        $0["version"] = .integer(JSONObject.maxExactInteger)
        $0["released"] = .string(farAhead)
      }
    },
    Harm(name: "everything withdrawn", discards: 3) { feed in
      try await Thief(feed: feed).publish {
        $0["version"] = .integer(3)
        $0["withdrawn"] = .array((1...2).map { .integer($0) })
      }
    },
    Harm(name: "withdrawn, and nothing in its place", discards: 3) { feed in
      try await Thief(feed: feed).publish {
        $0["version"] = .integer(3)
        $0["withdrawn"] = .array((1...2).map { .integer($0) })
        $0["contract"] = .integer(999_999)
      }
    },
    Harm(name: "aliases", discards: 3) { feed in
      try await Thief(feed: feed).publish {
        $0["version"] = .integer(3)
        $0["aliases"] = .object([JSONMember("OLD", .string("ABC"))])
      }
    },
    Harm(name: "a contract out of reach", discards: 3) { feed in
      try await Thief(feed: feed).publish {
        $0["version"] = .integer(3)
        $0["contract"] = .integer(JSONObject.maxExactInteger)
      }
    },
    Harm(name: "a feature that no client knows", discards: 3) { feed in
      try await Thief(feed: feed).publish {
        $0["version"] = .integer(3)
        $0["requires"] = .array([.string("magic")])
      }
    },
    Harm(name: "huge metadata", discards: nil) { feed in try await Thief(feed: feed, junk: 8000).sign() },
    Harm(name: "maximal metadata versions", discards: nil) { feed in
      try await Thief(feed: feed, versions: JSONObject.maxExactInteger).sign()
    },
    Harm(name: "maximal versions of everything", discards: JSONObject.maxExactInteger) { feed in
      try await Thief(feed: feed, versions: JSONObject.maxExactInteger).publish {
        $0["version"] = .integer(JSONObject.maxExactInteger)
      }
    },
  ]

  private func updater(_ feed: SignedFeed, _ store: String) throws -> Updater {
    let app = feed.folder.path("app")
    var configuration = UpdaterConfiguration(
      directory: feed.folder.path(store), feed: .directory(feed.feed),
      trust: .root(try readFile(at: "\(app)/root.json", maxBytes: 1 << 20)), embedded: .directory(app))
    configuration.app.contracts = [1]
    return Updater(
      configuration, reader: FeedReader(.directory(feed.feed)), now: { feed.now.withLock { $0 } })
  }

  private func launch(_ feed: SignedFeed, _ store: String) throws -> Int64? {
    let updater = try updater(feed, store)
    let active = updater.activate()
    updater.confirm(active)
    return active.version?.number
  }

  @Test("stolen, used, rotated, healed", arguments: harms)
  func healed(harm: Harm) async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    _ = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
    try await feed.publish("two")
    // One device follows the feed, one sees it only after the rotation.
    for store in ["victim", "sleeper"] {
      _ = try await updater(feed, store).update()
      #expect(try launch(feed, store) == 2)
    }
    try await harm.act(feed)
    // Whatever a device does with it: it saw what the thief signed, and launches twice.
    _ = await problem { _ = try await updater(feed, "victim").update() }
    for _ in 0..<2 { _ = try launch(feed, "victim") }
    feed.wait(days: 1)

    var publisher = feed.publisher
    publisher.allowsClock = true
    let outcome = try await publisher.changeRoot(
      [.replace(keyID: try signer(2).publicKey.metadataID(), with: try signer(5).publicKey, in: .release)],
      signers: [try signer(1), try signer(5)], discarding: Set(harm.discards.map(version).map { [$0] } ?? []))
    guard case .committed = outcome else { throw Unexpected() }

    let live = try Manifest.decode(feed.read("manifest.json"))
    #expect(live.content == version(2) && live.version <= version(4))
    for store in ["victim", "sleeper"] {
      _ = try await updater(feed, store).update()
      #expect(try launch(feed, store) == live.version.number, "\(store)")
      let withdrawn = try updater(feed, store).status().withdrawn
      #expect(!withdrawn.contains { $0 < version(3) || $0 == live.version }, "\(store)")
    }
    let next = live.version.number + 1
    #expect(try await feed.publish("three", keys: [5]).manifest.version == version(next))
    for store in ["victim", "sleeper", "newcomer"] {
      #expect(try await updater(feed, store).update() == .staged(.number(next)), "\(store)")
      #expect(try launch(feed, store) == next, "\(store)")
      #expect(try updater(feed, store).status().clockDoubt == nil, "\(store)")
    }
    let report = try await Publisher.audit(
      FeedReader(.directory(feed.feed)), root: try feed.read("metadata/1.root.json"),
      now: feed.now.withLock { $0 })
    #expect(report.findings.isEmpty, "\(report.findings)")
    // The key is of no use any more.
    let again = await problem { try await Thief(feed: feed).sign() }
    #expect(again == nil)
    _ = await problem { _ = try await updater(feed, "victim").update() }
    #expect(try launch(feed, "victim") == next)
  }

  @Test("B86: a number far too large by mistake is healed by a new epoch, with the same keys")
  func mistake() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    _ = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
    try await feed.publish("two") { request in
      request.version = version(900_000_000_000_000)
      request.allowsVersionJump = true
    }
    _ = try await updater(feed, "victim").update()
    #expect(try launch(feed, "victim") == 900_000_000_000_000)
    let draft = try await feed.publisher.prepareRoot([.newEpoch])
    var signed = draft
    _ = try await signed.sign(with: [signer(1)], previous: nil)
    let report = try await feed.publisher.commitRoot(
      signed, signers: [try signer(2)], discarding: [version(900_000_000_000_000)])
    #expect(report.changes.contains { $0.hasPrefix("epoch 2 begins") })
    #expect(try await feed.publish("two").manifest.version == version(3))
    _ = try await updater(feed, "victim").update()
    #expect(try launch(feed, "victim") == 3)
  }

  struct Unexpected: Error {}
}
