import OTACrypto
import OTAFeed
import OTAManifest
import OTATransfer
import OTATrust
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// A device that follows a signed feed.
@Suite("A signed feed")
struct SignedStories {
  private let feed = MemoryFeed(signer: FeedSigner())

  private var signer: FeedSigner {
    get throws { try #require(feed.signer) }
  }

  private static let day: Int64 = 86_400

  // MARK: Requests

  @Test("an update asks for the fewest files that the specification allows, and a launch runs the release")
  func firstUpdate() async throws {
    let device = try Device(feed: feed)
    let release = try feed.publish(31)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(
      feed.takeRequests() == [
        "metadata/2.root.json", "metadata/timestamp.json", "metadata/1.snapshot.json",
        "metadata/1.targets.json", "files/\(release.digest).manifest.json", release.bundlePath,
        release.sourcesPath,
      ])
    #expect(device.launchAndConfirm() == 31)
  }

  @Test("a check with nothing new asks for two files and writes none")
  func nothingNew() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    _ = feed.takeRequests()
    let before = Inventory(device.store)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(feed.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    #expect(feed.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
    #expect(Inventory(device.store) == before)
  }

  @Test("a release that only changed the catalog brings the catalog and the metadata, nothing twice")
  func onlyTheCatalog() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    var content = SampleRelease.Content(of: 31)
    content.sources = Fixtures.smallCatalog(ids: ["NEW"])
    _ = feed.takeRequests()
    let release = try feed.publish(32, content)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(
      feed.takeRequests() == [
        "metadata/2.root.json", "metadata/timestamp.json", "metadata/2.snapshot.json",
        "metadata/2.targets.json", "files/\(release.digest).manifest.json", release.sourcesPath,
      ])
  }

  @Test("a check on a device without a store makes none, and the next one asks again")
  func checkWithoutStore() async throws {
    let device = try Device(feed: feed)
    try feed.publish(31)
    #expect(try await device.updater().check() == .available(.number(31), notes: nil))
    #expect(content(device.store) == nil && tree(device.home.path("")).filter { $0.hasPrefix("store") } == [])
    #expect(feed.takeRequests().count == 5)
  }

  @Test("a release that may not be used here is fetched once: its manifest is remembered")
  func unusableRelease() async throws {
    let device = try Device(feed: feed)
    device.configuration.app.contracts = [1]
    try feed.publish(31) { $0.contract = 9 }
    #expect(try await device.update().obstacle == "needs-other-contract")
    _ = feed.takeRequests()
    let before = Inventory(device.store)
    #expect(try await device.updater().check().obstacle == "needs-other-contract")
    #expect(try await device.update().obstacle == "needs-other-contract")
    #expect(feed.takeRequests().count == 4)
    #expect(Inventory(device.store) == before)
  }

  @Test("another channel has a pointer of its own among the signed files")
  func otherChannel() async throws {
    let device = try Device(feed: feed)
    try feed.publish(31)
    try feed.publish(32) { $0.channel = try #require(Channel("beta")) }
    device.configuration.channel = try #require(Channel("beta"))
    #expect(try await device.update() == .staged(.number(32)))
    device.configuration.channel = try #require(Channel("nightly"))
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .notFound && problem?.message.contains("channels/nightly/manifest.json") == true)
  }

  // MARK: Stale feeds and clocks

  @Test("an expired feed: what runs goes on, nothing new comes, the state says since when, until a refresh")
  func stale() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    let expiry = device.now.advanced(bySeconds: 30 * Self.day)
    device.wait(seconds: 29 * Self.day)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    device.wait(seconds: 2 * Self.day)
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .trustExpired && problem?.since == expiry)
    #expect(problem?.message.contains("timestamp") == true)
    let status = try device.updater().status()
    #expect(status.stale?.since == expiry && status.lastProblem?.code == "trust-expired")
    let before = Inventory(device.store)
    #expect(await ParserUpdaterTests.problem { try await device.update() }?.code == .trustExpired)
    #expect(Inventory(device.store) == before, "the same staleness is written once")
    #expect(device.launchAndConfirm() == 31)
    try signer.change { $0.now = device.now }
    try signer.sign([.timestamp], on: feed)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(try device.updater().status().stale == nil)
    #expect(try device.updater().status().lastProblem == nil)
  }

  @Test("a refresh alone ends the staleness, even when the release itself cannot be had")
  func refreshEndsStaleness() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    device.wait(seconds: 31 * Self.day)
    #expect(await problem { try await device.update() }?.code == .trustExpired)
    try signer.change { $0.now = device.now }
    let release = try feed.publish(32)
    feed.answer(release.bundlePath, .failure(.server, status: 500))
    #expect(await problem { try await device.update() }?.code == .serverError)
    let status = try device.updater().status()
    #expect(status.stale == nil && status.lastProblem?.code == "server-error")
  }

  @Test("a small step back of the clock, as time services make it, is no news")
  func smallStep() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    device.wait(seconds: -200)
    #expect(try device.updater().status().clockDoubt == nil)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
  }

  // MARK: Roots

  @Test("a root that is many versions old leads to the newest one, and the chain is kept for the next run")
  func manyRotations() async throws {
    let device = try Device(feed: feed)
    for step in 0..<12 {
      try signer.rotateRoot(on: feed, rootKeys: [FeedSigner.key(UInt8(40 + step))]) { root in
        for id in root.keyIDs(of: .root) { root.removeKey(id, from: .root) }
        try root.addKey(FeedSigner.key(UInt8(40 + step)).publicKey, to: .root)
      }
    }
    try feed.publish(31)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(feed.takeRequests().prefix(12) == (2...13).map { "metadata/\($0).root.json" }[...])
    device.launchAndConfirm()
    _ = feed.takeRequests()
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(feed.takeRequests() == ["metadata/14.root.json", "metadata/timestamp.json"])
    #expect(try device.updater().status().trust.rootVersion == 13)
  }

  @Test("a newer app that ships a newer root than the stored ones wins")
  func newerShippedRoot() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    for _ in 0..<3 { try signer.rotateRoot(on: feed) }
    let newKey = FeedSigner.key(77)
    try signer.replaceReleaseKey(by: newKey, on: feed)
    device.configuration.trust = .root(try signer.root(5))
    _ = feed.takeRequests()
    try feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(feed.takeRequests().first == "metadata/6.root.json")
    #expect(try device.updater().status().trust.rootVersion == 5)
  }

  @Test(
    "damaged, foreign and missing files in metadata/ are replaced from the feed, starting at the shipped root",
    arguments: ["cut", "flip", "empty", "folder", "gone", "all"])
  func damagedMetadata(how: String) async throws {
    let device = try Device(feed: feed)
    try signer.rotateRoot(on: feed)
    try await device.take(31)
    let folder = "\(device.store)/metadata"
    for path in tree(folder) where !path.hasSuffix("/") {
      damage("\(folder)/\(path)", how)
    }
    if how == "all" { try removeTree(folder) }
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    try feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    _ = feed.takeRequests()
    #expect(try await device.updater().check() == .staged(.number(32)))
    #expect(feed.takeRequests() == ["metadata/3.root.json", "metadata/timestamp.json"])
    #expect(device.launchAndConfirm() == 32)
  }

  private func damage(_ path: String, _ how: String) {
    switch how {
    case "cut": plant(Array((content(path) ?? []).dropLast(7)), at: path)
    case "flip": flipByte(in: path)
    case "empty": plant([], at: path)
    case "folder":
      try? removeTree(path)
      plant("x", at: "\(path)/y")
    case "gone": try? removeTree(path)
    default: break
    }
  }

  @Test("the status shows trust, versions and expiries from what is stored")
  func statusOfTrust() async throws {
    let device = try Device(feed: feed)
    #expect(try device.updater().status().trust.roles.map(\.name) == ["root"])
    let start = device.now
    try await device.take(31)
    let trust = try device.updater().status().trust
    #expect(trust.name == "root" && trust.roles.map(\.name) == ["root", "timestamp", "snapshot", "targets"])
    #expect(trust.roles.map(\.version) == [1, 1, 1, 1])
    #expect(
      trust.roles.map(\.expires) == [730, 30, 180, 180].map { start.advanced(bySeconds: $0 * Self.day) })
  }

  @Test("a root with a key that anybody can sign for is refused with the id of the key")
  func weakRoot() async throws {
    let device = try Device(feed: feed)
    let (root, id) = try WeakRoot.make()
    device.configuration.trust = .root(root)
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .trustWeakKey && problem?.message.contains(id) == true)
    #expect(feed.takeRequests() == [])
    #expect(
      await ParserUpdaterTests.problem { try device.configuration.trust.requireUsable() }?.code
        == .trustWeakKey)
    #expect(device.launch().version == 30, "a launch needs no root")
    #expect(try device.updater().status().trust.obstacle?.code == .trustWeakKey)
  }
}
