import OTACrypto
import OTAManifest
import OTATrust
import Testing
import TrustFixtures

/// Names, epochs and signing dates in signed metadata.
@Suite("the member x-parser-ota")
struct FeedExtensionTests {
  private func start(_ feed: TestFeed) throws -> TrustedMetadataSet {
    try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
  }

  private func named(_ name: String?) throws -> TestFeed {
    var feed = try TestFeed()
    feed.setName(name)
    return feed
  }

  private func failure(_ step: () throws -> Void) -> TrustError? {
    do {
      try step()
      return nil
    } catch {
      return error as? TrustError
    }
  }

  @Test("a feed without it is unnamed, in epoch 1, and gives no signing date")
  func absent() throws {
    var set = try start(TestFeed())
    #expect(set.root.feedName == nil && set.root.epoch == 1)
    _ = try set.updateTimestamp(TestFeed().timestampBytes())
    #expect(set.timestamp?.signedAt == nil)
  }

  @Test("what it says is read, and members that are unknown here are ignored")
  func present() throws {
    var feed = try named("production")
    feed.added["root"] = [JSONMember("epoch", 7), JSONMember("later", ["anything"])]
    feed.added["timestamp"] = [JSONMember("signed", "2026-11-30T22:00:00Z")]
    var set = try start(feed)
    #expect(set.root.feedName == "production" && set.root.epoch == 7)
    _ = try set.updateTimestamp(feed.timestampBytes())
    #expect(set.timestamp?.signedAt == Timestamp("2026-11-30T22:00:00Z"))
    try set.updateSnapshot(feed.snapshotBytes())
    try set.updateTargets(feed.targetsBytes(), of: .top)
  }

  @Test(
    "what is there is read strictly",
    arguments: [
      ("feed", 5), ("feed", ""), ("feed", "two words"), ("feed", "a/b"), ("feed", .null), ("FEED", "x"),
      ("epoch", 0), ("epoch", "2"), ("epoch", .null), ("epoch", -1), ("signed", 5), ("signed", "yesterday"),
    ] as [(String, JSONValue)])
  func strict(name: String, value: JSONValue) throws {
    var feed = try TestFeed()
    for role in Root.Role.allCases { feed.added[role.rawValue] = [JSONMember(name, value)] }
    #expect(failure { _ = try start(feed) }?.reason == .malformed)
    feed.added["root"] = nil
    var set = try start(feed)
    #expect(failure { _ = try set.updateTimestamp(feed.timestampBytes()) }?.reason == .malformed)
  }

  @Test("a member that is no object is refused, and so is one in other letters")
  func shape() throws {
    let feed = try TestFeed()
    for (name, value) in [("x-parser-ota", 1), ("X-Parser-OTA", object([]))] as [(String, JSONValue)] {
      let body = feed.rootBody.with(name, value)
      let problem = failure {
        _ = try TrustedMetadataSet(trustedRoot: signed(body, by: feed.root.keys), now: TestFeed.now)
      }
      #expect(problem?.reason == .malformed, "\(name)")
    }
  }

  @Test(
    "S5: metadata of another feed is refused although the right keys signed it, whichever piece it is",
    arguments: ["timestamp", "snapshot", "targets"], ["staging", nil])
  func otherFeed(role: String, name: String?) throws {
    var feed = try named("production")
    feed.names[role] = name
    var set = try start(feed)
    let problem = failure {
      _ = try set.updateTimestamp(feed.timestampBytes())
      try set.updateSnapshot(feed.snapshotBytes())
      try set.updateTargets(feed.targetsBytes(), of: .top)
    }
    #expect(problem?.reason == .otherFeed)
    #expect(problem?.message.hasPrefix("\(role) belongs to") == true)
    #expect(problem?.message.contains("not to \"production\"") == true)
  }

  @Test("an unnamed root takes named metadata, so that a feed can be named without a gap")
  func unnamedRoot() throws {
    var feed = try named("production")
    feed.names["root"] = nil
    var set = try start(feed)
    _ = try set.updateTimestamp(feed.timestampBytes())
    try set.updateSnapshot(feed.snapshotBytes())
    try set.updateTargets(feed.targetsBytes(), of: .top)
  }

  @Test(
    "S5: a root may name a feed, and never renames it or takes its name away",
    arguments: [
      (nil, nil, true), (nil, "a", true), ("a", "a", true), ("a", nil, false), ("a", "b", false),
      ("a", "A", false),
    ] as [(String?, String?, Bool)])
  func chainOfNames(before: String?, after: String?, isTaken: Bool) throws {
    let feed = try named(before)
    var next = try named(after)
    next.rootVersion = 2
    var set = try start(feed)
    let problem = failure { try set.updateRoot(next.rootBytes()) }
    #expect((problem == nil) == isTaken)
    if !isTaken { #expect(problem?.reason == .otherFeed && set.root.version == 1) }
  }

  @Test(
    "S1: an epoch never goes down",
    arguments: [(nil, 1, true), (2, 2, true), (2, 5, true), (2, 1, false), (2, nil, false)]
      as [(Int64?, Int64?, Bool)])
  func chainOfEpochs(before: Int64?, after: Int64?, isTaken: Bool) throws {
    var feed = try TestFeed()
    feed.added["root"] = before.map { [JSONMember("epoch", .integer($0))] }
    var next = try TestFeed()
    next.rootVersion = 2
    next.added["root"] = after.map { [JSONMember("epoch", .integer($0))] }
    var set = try start(feed)
    let problem = failure { try set.updateRoot(next.rootBytes()) }
    #expect((problem == nil) == isTaken)
    if !isTaken { #expect(problem?.reason == .rollback && set.root.epoch == 2) }
  }

  @Test("S1: a new epoch is one that the root counts, or one that begins with a revoked key of targets")
  func startsEpoch() throws {
    let feed = try TestFeed()
    let first = try start(feed).root
    func root(_ change: (inout TestFeed) throws -> Void) throws -> Root {
      var next = feed
      try change(&next)
      return try start(next).root
    }
    #expect(!first.startsEpoch(after: first))
    #expect(try root { $0.added["root"] = [JSONMember("epoch", 2)] }.startsEpoch(after: first))
    #expect(try root { $0.targets = try TestFeed.Signers(14) }.startsEpoch(after: first))
    #expect(try !root { $0.targets = try TestFeed.Signers(4, 14) }.startsEpoch(after: first))
    #expect(try !root { $0.timestamp = try TestFeed.Signers(12) }.startsEpoch(after: first))
  }

  @Test("what is written is what is read, and the next root keeps it")
  func writing() throws {
    let key = try PrivateKey(seed: [UInt8](repeating: 9, count: 32))
    let expires = Timestamp(secondsSinceEpoch: 1_900_000_000)
    var root = RootDocument(expires: expires)
    for role in Root.Role.allCases { try root.addKey(key.publicKey, to: role) }
    #expect(root.feedName == nil && root.epoch == 1)
    root.setFeedName("production")
    root.setEpoch(3)
    let next = try RootDocument(decoding: Self.file(root.nextVersion(expires: expires).document(), key))
    #expect(next.feedName == "production" && next.epoch == 3 && next.version == 2)
    var set = try TrustedMetadataSet(
      trustedRoot: Self.file(next.document(), key), now: Timestamp(secondsSinceEpoch: 1_800_000_000))
    #expect(set.root.feedName == "production" && set.root.epoch == 3)
    let entry = FileEntry(length: 3, sha256: try sha256(Array("abc".utf8)))
    let moment = Timestamp(secondsSinceEpoch: 1_800_000_000)
    let timestamp = try TimestampDocument(
      version: 1, expires: expires, snapshotVersion: 1, snapshot: entry, feedName: "production",
      signedAt: moment
    ).document()
    _ = try set.updateTimestamp(Self.file(timestamp, key))
    #expect(set.timestamp?.signedAt == moment)
  }

  private static func file(_ document: SignedDocument, _ key: PrivateKey) throws -> [UInt8] {
    var document = document
    document.add(try key.sign(document.canonicalBytes), keyID: try key.publicKey.metadataID())
    return document.encoded()
  }
}
