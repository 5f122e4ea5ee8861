import OTAFeed
import OTAManifest
import OTATransfer
import OTATrust
import Testing
import TrustFixtures

/// What a store keeps of the roots that it passed: lineage, epoch, and little space.
@Suite("the roots that a store has passed")
struct KnownRootsTests {
  private let first: TestFeed
  private let network: FeedInMemory
  private let store = StoreInMemory()

  init() throws {
    first = try TestFeed()
    network = FeedInMemory(try first.published())
  }

  private func client(_ shipped: TestFeed? = nil) throws -> TUFClient {
    try TUFClient(
      repository: TUFRepository(
        fetcher: network, metadataBase: FeedInMemory.base + "metadata",
        targetsBase: FeedInMemory.base + "files/"),
      store: store, shippedRoot: (shipped ?? first).rootBytes(), now: TestFeed.now)
  }

  private func refresh(_ shipped: TestFeed? = nil) async throws -> TUFClient {
    var client = try client(shipped)
    try await client.refresh()
    return client
  }

  private func lineage(_ shipped: TestFeed) throws -> StoredLineage {
    try Trust.root(shipped.rootBytes()).lineage(of: store).lineage
  }

  private func next(
    _ feed: TestFeed, _ version: Int64, _ change: (inout TestFeed) throws -> Void = { _ in }
  ) throws -> TestFeed {
    var next = feed
    next.rootVersion = version
    try change(&next)
    network.publish(try next.published(alsoBy: feed.root.keys))
    return next
  }

  // MARK: Space

  @Test("S6: of a hundred roots, the newest and a line for each are kept, and nothing is asked for twice")
  func space() async throws {
    var feed = first
    for version: Int64 in 2...100 { feed = try next(feed, version) }
    #expect(try await refresh().root.version == 100)
    let bytes = [.roots, .newest(role: "root")].compactMap { store[$0]?.count }.reduce(0, +)
    #expect(bytes < 16_000)
    #expect((2...100).allSatisfy { store[.root(version: $0)] == nil })
    _ = (network.takeRequests(), store.takeWrites())
    #expect(try await refresh().root.version == 100)
    #expect(network.takeRequests() == ["metadata/101.root.json", "metadata/timestamp.json"])
    #expect(store.takeWrites().isEmpty)
    // An app of long ago, or of today, over the same store.
    for shipped in [try next(first, 1), feed] { #expect(try client(shipped).root.version == 100) }
  }

  @Test("the files of each root that older versions kept are followed, then replaced")
  func migration() async throws {
    let second = try next(first, 2)
    let third = try next(second, 3)
    store[.root(version: 2)] = try second.rootBytes()
    store[.root(version: 3)] = try third.rootBytes()
    store[.newest(role: "root")] = try third.rootBytes()
    #expect(try lineage(first) == .same)
    #expect(try client().root.version == 3)
    _ = try await refresh()
    #expect(network.takeRequests().first == "metadata/4.root.json")
    #expect(store.takeWrites().contains(.roots))
    store[.root(version: 2)] = nil
    #expect(try client().root.version == 3)
  }

  // MARK: Damage

  @Test(
    "a damaged or foreign record is no reason to trust anything: the chain is taken from the feed again",
    arguments: [
      [], Array("{}".utf8), Array(#"{"lineage":"x","epoch":0,"roots":[]}"#.utf8),
    ] as [[UInt8]])
  func damagedRecord(bytes: [UInt8]) async throws {
    var other = try TestFeed()
    other.root = try TestFeed.Signers(90)
    other.rootVersion = 9
    _ = try next(first, 2)
    _ = try await refresh()
    let good = store[.roots]
    store[.roots] = bytes
    #expect(try await refresh().root.version == 2)
    #expect(store[.roots] == good)
    store[.newest(role: "root")] = try other.rootBytes()
    #expect(try client().root.version == 1)
    #expect(try await refresh().root.version == 2)
  }

  @Test("a stop between the two writes of a root leaves what the next run continues from")
  func stops() async throws {
    for writes in 0..<8 {
      let attempt = try KnownRootsTests()
      _ = try await attempt.refresh()
      _ = try attempt.next(attempt.next(first, 2), 3) { $0.targets = try TestFeed.Signers(44) }
      attempt.store.fail(after: writes)
      _ = try? await attempt.refresh()
      attempt.store.fail(after: nil)
      #expect(try attempt.lineage(first) == .same)
      #expect(try await attempt.refresh().epoch.rootVersion == 3)
    }
  }

  // MARK: Lineage

  @Test("A6: another root over an old store is foreign, offline and before anything is fetched")
  func foreign() async throws {
    #expect(try lineage(first) == .none)
    _ = try await refresh()
    #expect(try lineage(first) == .same)
    var other = try TestFeed()
    other.root = try TestFeed.Signers(90)
    #expect(try lineage(other) == .foreign)
    let epoch = try client().epoch
    // The same release keys signed both: versions that the old root's feed had come to must not shut the new one out.
    var old = first
    old.timestampVersion = 900
    network.publish(try old.published())
    _ = try await refresh()
    network.publish(try other.published())
    let joined = try await refresh(other)
    #expect(joined.lineage == .foreign && joined.epoch.startsAnew(after: epoch))
    #expect(try lineage(other) == .same && lineage(first) == .foreign)
  }

  @Test("A6: the same without known-roots: a store of an older version, with one root and no file of it")
  func foreignOverOldStore() async throws {
    store[.newest(role: "timestamp")] = try first.timestampBytes()
    #expect(try lineage(first) == .same)
    var other = try TestFeed()
    other.root = try TestFeed.Signers(90)
    other.timestamp = try TestFeed.Signers(92)
    #expect(try lineage(other) == .foreign)
  }

  @Test("an app update that ships a newer root of the same root keys goes on with the store")
  func newerShipped() async throws {
    let epoch = try await refresh().epoch
    let fifth = try next(first, 5) { $0.timestampVersion = 2 }
    #expect(try lineage(fifth) == .same)
    let client = try await refresh(fifth)
    #expect(client.lineage == .same && !client.epoch.startsAnew(after: epoch))
    #expect(try lineage(first) == .same && lineage(fifth) == .same)
    // The older app again, as after a restored backup: the chain in between is asked for.
    for version: Int64 in 2...4 { _ = try next(first, version) }
    network.publish(try fifth.published())
    #expect(try await refresh().root.version == 5)
  }

  @Test("S1: an app update may ship the root that revokes a key of targets: that is a new epoch, too")
  func newerShippedEpoch() async throws {
    var poisoned = first
    poisoned.timestampVersion = JSONObject.maxExactInteger
    poisoned.snapshotVersion = JSONObject.maxExactInteger
    poisoned.targetsVersion = JSONObject.maxExactInteger
    network.publish(try poisoned.published())
    let epoch = try await refresh().epoch
    let fifth = try next(first, 5) { $0.targets = try TestFeed.Signers(44) }
    let client = try await refresh(fifth)
    #expect(client.lineage == .same && client.epoch.startsAnew(after: epoch))
    #expect(client.epoch.rootVersion == 5)
  }

  // MARK: Epochs

  @Test(
    "S1: every version that a thief of a release key raised is forgotten with the key",
    arguments: [["targets"], ["targets", "snapshot"], ["targets", "snapshot", "timestamp"]])
  func maximalVersions(roles: [String]) async throws {
    let epoch = try await refresh().epoch
    var poisoned = first
    // Who holds the key of targets alone makes the online keys announce what it signed.
    poisoned.targetsVersion = JSONObject.maxExactInteger
    poisoned.snapshotVersion = roles.contains("snapshot") ? JSONObject.maxExactInteger : 2
    poisoned.timestampVersion = roles.contains("timestamp") ? JSONObject.maxExactInteger : 2
    network.publish(try poisoned.published())
    _ = try await refresh()
    let healed = try next(first, 2) { feed in
      if roles.contains("targets") { feed.targets = try TestFeed.Signers(44) }
      if roles.contains("snapshot") { feed.snapshot = try TestFeed.Signers(43) }
      if roles.contains("timestamp") { feed.timestamp = try TestFeed.Signers(42) }
      (feed.timestampVersion, feed.snapshotVersion, feed.targetsVersion) = (3, 3, 3)
    }
    let client = try await refresh()
    #expect(client.epoch.startsAnew(after: epoch) && client.epoch.rootVersion == 2)
    #expect(client.topTargets?.version == healed.targetsVersion)
  }

  @Test("an epoch by name, with the same keys, forgets versions as well")
  func namedEpoch() async throws {
    var ahead = first
    (ahead.timestampVersion, ahead.snapshotVersion, ahead.targetsVersion) = (50, 50, 50)
    network.publish(try ahead.published())
    let epoch = try await refresh().epoch
    _ = try next(first, 2) { feed in
      feed.added["root"] = [JSONMember("epoch", 2)]
      (feed.timestampVersion, feed.snapshotVersion, feed.targetsVersion) = (7, 7, 7)
    }
    let client = try await refresh()
    #expect(client.epoch.startsAnew(after: epoch) && client.topTargets?.version == 7)
    // Later roots of the same epoch begin nothing.
    _ = try next(first, 3) { feed in
      feed.added["root"] = [JSONMember("epoch", 2)]
      feed.timestampVersion = 8
      (feed.snapshotVersion, feed.targetsVersion) = (7, 7)
    }
    let later = try await refresh()
    #expect(later.root.version == 3 && later.epoch == client.epoch)
  }
}
