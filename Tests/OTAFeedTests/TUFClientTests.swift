import OTAFeed
import OTAManifest
import OTATransfer
import OTATrust
import Testing
import TrustFixtures

/// The workflow: what is asked for, what is stored, and what is left when something goes wrong.
@Suite("TUF client")
struct TUFClientTests {
  private let shipped: TestFeed
  private let network: FeedInMemory
  private let store = StoreInMemory()

  init() throws {
    shipped = try TestFeed()
    network = FeedInMemory(try shipped.published())
  }

  private func client() throws -> TUFClient {
    try TUFClient(
      repository: TUFRepository(
        fetcher: network, metadataBase: FeedInMemory.base + "metadata",
        targetsBase: FeedInMemory.base + "files/"),
      store: store, shippedRoot: shipped.rootBytes(), now: TestFeed.now)
  }

  /// Refreshes with a new client; the code of the problem, or `nil`.
  @discardableResult
  private func refresh() async throws -> ProblemCode? {
    var client = try client()
    do {
      try await client.refresh()
      return nil
    } catch {
      return error.code
    }
  }

  private func newest(_ role: String) -> [UInt8]? { store[.newest(role: role)] }

  // MARK: Requests and writes

  @Test("the first refresh asks once for each file, and stores each as received")
  func first() async throws {
    #expect(try await refresh() == nil)
    #expect(
      network.takeRequests().map { $0.split(separator: "/").last ?? "" } == [
        "2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json",
      ])
    #expect(try newest("timestamp") == shipped.timestampBytes())
    #expect(try newest("snapshot") == shipped.snapshotBytes())
    #expect(try newest("targets") == shipped.targetsBytes())
  }

  @Test("with nothing new, two files are asked for and none is written")
  func nothingNew() async throws {
    #expect(try await refresh() == nil)
    _ = (network.takeRequests(), store.takeWrites())
    var client = try client()
    #expect(try await !client.refresh())
    #expect(network.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
    #expect(store.takeWrites().isEmpty)
  }

  @Test("without consistent snapshots, names carry no version and no digest")
  func plainNames() async throws {
    var feed = shipped
    feed.isConsistent = false
    feed.rootVersion = 2
    network.publish(try feed.published())
    let sink = MemorySink()
    var client = try client()
    let target = try #require(try await client.targetInfo("a/file.txt"))
    try await client.download(target, into: sink)
    #expect(sink.bytes == Array("content".utf8))
    #expect(
      network.takeRequests().suffix(3) == [
        "metadata/snapshot.json", "metadata/targets.json", "files/a/file.txt",
      ])
  }

  // MARK: Roots

  @Test("B82: each root of a chain is stored before the next is asked for, and the last one counts")
  func chain() async throws {
    var feed = shipped
    for version: Int64 in 2...4 {
      let older = feed.root.keys
      feed.rootVersion = version
      feed.root = try TestFeed.Signers(UInt8(100 + version))
      network.publish(["metadata/\(version).root.json": try feed.rootBytes(alsoBy: older)])
    }
    network.answer("metadata/4.root.json", with: 500)
    #expect(try await refresh() == .serverError)
    #expect(
      store.takeWrites() == [
        .roots, .newest(role: "root"), .roots, .newest(role: "root"),
      ])
    network.answer("metadata/4.root.json", with: 200)
    #expect(try await refresh() == nil)
    #expect(store.takeWrites().prefix(2) == [.roots, .newest(role: "root")])
    _ = network.takeRequests()
    #expect(try await refresh() == nil)
    #expect(network.takeRequests() == ["metadata/5.root.json", "metadata/timestamp.json"])
  }

  @Test(
    "B52, N32: the chain of roots ends where a host refuses the next one for good, and nowhere else",
    arguments: [400, 403, 404, 410, 424, 451], [401, 405, 407, 408, 421, 425, 429, 500, 501, 502, 503])
  func endOfChain(final: Int, open: Int) async throws {
    network.answer("metadata/2.root.json", with: final)
    #expect(try await refresh() == nil)
    network.answer("metadata/2.root.json", with: open)
    #expect(try await refresh() != nil)
  }

  @Test("more than 256 new roots are taken in two runs")
  func manyRoots() async throws {
    var feed = shipped
    for version: Int64 in 2...260 {
      feed.rootVersion = version
      network.publish(["metadata/\(version).root.json": try feed.rootBytes()])
    }
    #expect(try await refresh() == nil)
    #expect(
      network.takeRequests().filter { $0.hasSuffix("root.json") }.count
        == TrustLimits.standard.maxRootRotations)
    var client = try client()
    #expect(client.root.version == 257)
    try await client.refresh()
    #expect(client.root.version == 260)
  }

  @Test("a root of somebody else is refused, and nothing is stored")
  func foreignRoot() async throws {
    var other = try TestFeed()
    other.root = try TestFeed.Signers(90)
    other.rootVersion = 2
    network.publish(try other.published())
    #expect(try await refresh() == .trustSignature)
    #expect(store.takeWrites().isEmpty)
  }

  // MARK: Recovery

  @Test(
    "damaged or forged local metadata is fetched anew",
    arguments: ["root", "timestamp", "snapshot", "targets"], [[], [0x7B], Array("<html>".utf8)] as [[UInt8]])
  func damaged(role: String, bytes: [UInt8]) async throws {
    var feed = shipped
    feed.rootVersion = 2
    network.publish(try feed.published(alsoBy: shipped.root.keys))
    #expect(try await refresh() == nil)
    let good = newest(role)
    store[.newest(role: role)] = bytes
    #expect(try await refresh() == nil)
    #expect(newest(role) == good)
  }

  @Test("a root that somebody planted in the store changes nothing")
  func plantedRoot() async throws {
    var other = try TestFeed()
    other.root = try TestFeed.Signers(90)
    other.rootVersion = 2
    store[.newest(role: "root")] = try other.rootBytes()
    store[.root(version: 2)] = try other.rootBytes()
    #expect(try client().root.version == 1)
    #expect(try await refresh() == nil)
  }

  @Test("after a stop at any write, the next run reaches the same end")
  func stops() async throws {
    var feed = shipped
    feed.rootVersion = 2
    feed.timestamp = try TestFeed.Signers(12)
    for writes in 0..<12 {
      let attempt = try TUFClientTests()
      #expect(try await attempt.refresh() == nil)
      attempt.network.publish(try feed.published())
      attempt.store.fail(after: writes)
      let problem = try await attempt.refresh()
      #expect(problem == nil || problem == .diskFull)
      attempt.store.fail(after: nil)
      #expect(try await attempt.refresh() == nil)
      #expect(try attempt.newest("timestamp") == feed.timestampBytes())
    }
  }

  @Test("fast-forward: versions may start anew once a key of the timestamp was taken out")
  func fastForward() async throws {
    var feed = shipped
    feed.timestamp = try TestFeed.Signers(2, 12)
    feed.timestampVersion = 1_000_000
    feed.rootVersion = 2
    network.publish(try feed.published())
    #expect(try await refresh() == nil)
    feed.timestampVersion = 3
    network.publish(try feed.published())
    #expect(try await refresh() == .trustRollback)
    // One key goes; signatures of the other one would still be believed.
    feed.timestamp = try TestFeed.Signers(12)
    feed.rootVersion = 3
    network.publish(try feed.published())
    #expect(try await refresh() == nil)
    #expect(try newest("timestamp") == feed.timestampBytes())
  }

  @Test("a new key beside the old ones is no reason to forget versions")
  func addedKey() async throws {
    var feed = shipped
    feed.timestampVersion = 5
    network.publish(try feed.published())
    #expect(try await refresh() == nil)
    feed.rootVersion = 2
    feed.timestamp = try TestFeed.Signers(2, 12)
    feed.timestampVersion = 4
    network.publish(try feed.published())
    #expect(try await refresh() == .trustRollback)
  }

  @Test("a newer root that an update of the app ships is used at once, over an older stored chain")
  func newerShippedRoot() async throws {
    var feed = shipped
    feed.rootVersion = 2
    network.publish(try feed.published())
    #expect(try await refresh() == nil)
    var later = feed
    later.rootVersion = 7
    later.root = try TestFeed.Signers(77)
    later.timestampVersion = 2
    network.publish(try later.published())
    var client = try TUFClient(
      repository: TUFRepository(
        fetcher: network, metadataBase: FeedInMemory.base + "metadata",
        targetsBase: FeedInMemory.base + "files"),
      store: store, shippedRoot: later.rootBytes(), now: TestFeed.now)
    _ = network.takeRequests()
    #expect(try await client.refresh())
    // Nothing leads from the stored root to this one, so what is stored beside it counts for nothing.
    #expect(network.takeRequests().first == "metadata/8.root.json")
    #expect(client.root.version == 7 && client.lineage == .foreign)
  }

  // MARK: Limits and expiry

  @Test("B18: metadata beyond its limit is refused while it streams")
  func limits() async throws {
    let padding = [UInt8](repeating: 0x20, count: TrustLimits.standard.maxTimestampBytes)
    network.publish(["metadata/timestamp.json": try shipped.timestampBytes() + padding])
    #expect(try await refresh() == .tooLarge)
    #expect(newest("timestamp") == nil)
  }

  @Test("expired metadata is refused, and what was trusted stays")
  func expired() async throws {
    #expect(try await refresh() == nil)
    let good = newest("timestamp")
    var feed = shipped
    feed.timestampVersion = 2
    feed.expiry["timestamp"] = "2026-05-01T00:00:00Z"
    network.publish(try feed.published())
    #expect(try await refresh() == .trustExpired)
    #expect(newest("timestamp") == good)
  }

  // MARK: Targets

  @Test("a target is handed over only when all of its bytes are right")
  func download() async throws {
    var client = try client()
    let target = try #require(try await client.targetInfo("a/file.txt"))
    let path = try #require(network.paths(endingIn: "file.txt").first)
    for (bytes, code) in [
      ("contenT", ProblemCode.trustMismatch), ("conten", .trustMismatch), ("contents", .tooLarge),
    ] {
      network.publish([path: Array(bytes.utf8)])
      let problem = await #expect(throws: Problem.self) {
        try await client.download(target, into: MemorySink())
      }
      #expect(problem?.code == code)
    }
    let sink = MemorySink()
    network.publish([path: Array("content".utf8)])
    try await client.download(target, into: sink)
    #expect(sink.bytes == Array("content".utf8))
  }

  @Test("a path that no role vouches for is no target, and a delegated one is found by its own request")
  func delegated() async throws {
    var feed = shipped
    let key = try TestKey(40)
    let role = TestFeed.role(
      try TestFeed.Signers(40), [JSONMember("name", "../odd role"), JSONMember("paths", ["odd/*"])])
    feed.delegations = object([
      JSONMember("keys", object([JSONMember(key.id, key.entry)])), JSONMember("roles", [role]),
    ])
    let bytes = try signed(feed.targetsBody(["odd/file": [1], "other/file": [1]]), by: [key])
    feed.delegated["../odd role"] = bytes
    network.publish(try feed.published())
    network.publish(["metadata/1...%2Fodd%20role.json": bytes])
    var client = try client()
    #expect(try await client.targetInfo("other/file") == nil)
    #expect(!network.takeRequests().contains { $0.contains("odd") })
    #expect(try await client.targetInfo("odd/file")?.length == 1)
    #expect(try await client.targetInfo("odd/none") == nil)
    #expect(network.takeRequests() == ["metadata/1...%2Fodd%20role.json"])
    #expect(newest("../odd role") == bytes)
  }

  @Test(
    "B68: a target path that leads out of its folder is never asked for",
    arguments: ["../x", "/x", "a/../../x", "a//x", "a/./x", "a/", "."])
  func paths(path: String) async throws {
    var feed = shipped
    feed.files = [:]
    feed.targetsVersion = 2
    let body = try feed.targetsBody([:], 2).with("targets", object([JSONMember(path, TestFeed.target([1]))]))
    network.publish([
      "metadata/2.targets.json": try signed(body, by: feed.targets.keys),
      "metadata/1.snapshot.json": try feed.snapshotBytes(),
    ])
    var client = try client()
    let target = try #require(try await client.targetInfo(path))
    _ = network.takeRequests()
    let problem = await #expect(throws: Problem.self) {
      try await client.download(target, into: MemorySink())
    }
    #expect(problem?.code == .trustMalformed)
    #expect(network.takeRequests().isEmpty)
  }

  @Test("a role that one delegator vouches for is not believed for another one, not even from memory")
  func diamond() async throws {
    var feed = shipped
    feed.delegations = try delegations([("left", 40, "a/*"), ("right", 40, "b/*")])
    for (parent, key, path) in [("left", UInt8(41), "a/*"), ("right", 42, "b/*")] {
      let body = try feed.targetsBody([:]).with("delegations", delegations([("shared", key, path)]))
      feed.delegated[parent] = try signed(body, by: [TestKey(40)])
    }
    feed.delegated["shared"] = try signed(feed.targetsBody(["a/x": [1], "b/x": [2]]), by: [TestKey(41)])
    network.publish(try feed.published())
    var client = try client()
    #expect(try await client.targetInfo("a/x") != nil)
    let problem = await #expect(throws: Problem.self) { try await client.targetInfo("b/x") }
    #expect(problem?.code == .trustSignature)
  }

  private func delegations(_ roles: [(name: String, key: UInt8, path: String)]) throws -> JSONValue {
    let keys = try Set(roles.map(\.key)).map { try TestKey($0) }
    let entries = try roles.map { role in
      TestFeed.role(
        try TestFeed.Signers(role.key),
        [JSONMember("name", .string(role.name)), JSONMember("paths", [.string(role.path)])])
    }
    return object([
      JSONMember("keys", object(keys.map { JSONMember($0.id, $0.entry) })),
      JSONMember("roles", .array(entries)),
    ])
  }
}
