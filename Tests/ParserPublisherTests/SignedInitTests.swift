import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import TestSupport
import Testing

@testable import ParserPublisher

@Suite struct SignedInitTests {
  private func trust(_ root: [UInt8], _ release: [UInt8], _ thresholds: (Int, Int) = (1, 1)) throws
    -> InitTrust
  {
    .signed(
      rootSigners: try root.map(signer), releaseSigners: try release.map(signer), rootThreshold: thresholds.0,
      releaseThreshold: thresholds.1)
  }

  @Test(
    "a signed feed is a repository from its first moment, and init again with the same keys changes nothing")
  func created() async throws {
    let feed = try await SignedFeed()
    #expect(
      try feed.tree() == [
        "./.nojekyll", "./.parser-ota/feed.json", "./.parser-ota/lock", "./404.html", "./_headers",
        "./index.html",
        "./metadata/1.root.json",
        "./metadata/1.snapshot.json", "./metadata/1.targets.json", "./metadata/express.tar.zst",
        "./metadata/timestamp.json",
      ])
    #expect(try await feed.clientVersion() == nil)
    let before = try feed.contents()
    let again = try await Publisher.initialise(
      InitRequest(directory: feed.feed, trust: try trust([1], [2]), date: TestFeed.date))
    #expect(again.outcome == .alreadyInitialised)
    #expect(try await Publisher.initialise(InitRequest(directory: feed.feed)).outcome == .alreadyInitialised)
    #expect(try feed.contents() == before)
    #expect(String(decoding: try feed.read("index.html"), as: UTF8.self).contains("is signed"))
  }

  @Test("B55: a signed feed refuses other keys, other thresholds and a step back to checksums")
  func otherKeys() async throws {
    let feed = try await SignedFeed()
    let before = try feed.contents()
    for wish in [try trust([3], [2]), try trust([1], [3]), try trust([1], [2, 3]), .checksumsOnly] {
      let refused = await problem {
        _ = try await Publisher.initialise(
          InitRequest(directory: feed.feed, trust: wish, date: TestFeed.date))
      }
      #expect(refused?.code == .inputRefused)
    }
    #expect(try feed.contents() == before)
  }

  @Test("thresholds that the keys cannot reach, and a missing date, are refused before anything is made")
  func unreachable() async throws {
    let folder = try TemporaryDirectory()
    let wishes: [(InitTrust, Timestamp?)] = [
      (try trust([1], [2], (2, 1)), TestFeed.date), (try trust([1], [2], (1, 2)), TestFeed.date),
      (try trust([1], []), TestFeed.date), (try trust([1], [2]), nil),
    ]
    for (wish, date) in wishes {
      let path = folder.path("feed")
      let refused = await problem {
        _ = try await Publisher.initialise(InitRequest(directory: path, trust: wish, date: date))
      }
      #expect(refused?.code == .inputRefused || refused?.code == .misuse)
      #expect(try folder.names().isEmpty)
    }
  }

  @Test("a feed with checksums only becomes a signed one with all its releases; old clients notice nothing")
  func converted() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let pointer = try feed.read("manifest.json")
    let report = try await Publisher.initialise(
      InitRequest(directory: feed.feed, trust: try trust([1], [2]), date: TestFeed.date))
    #expect(report.outcome == .updated(changes: ["the feed is signed now"]))
    #expect(try feed.read("manifest.json") == pointer)
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    #expect(try await client.version(DirectoryHost(root: feed.feed)) == version(2))
    #expect(try await feed.publisher.releases().map(\.version.number) == [2, 1])
    let keys = [try signer(2)]
    try await feed.publish("three") { $0.signers = keys }
    #expect(try await client.version(DirectoryHost(root: feed.feed)) == version(3))
    try await feed.checkAsClient()
  }

  @Test(
    "a feed of the old format is taken over and signed, with its files under the names that are signed")
  func adopted() async throws {
    let old = try OldFeed()
    let folder = try TemporaryDirectory()
    let report = try await Publisher.initialise(
      InitRequest(
        directory: folder.path("feed"), adopt: .directory(old.folder.path("")), trust: try trust([1], [2]),
        date: TestFeed.date))
    #expect(report.adopted == version(37))
    let root = try readFile(at: folder.path("feed/metadata/1.root.json"), maxBytes: 100_000)
    let host = DirectoryHost(root: folder.path("feed"))
    #expect(try await SignedClient(firstRoot: root).version(host) == version(37))
    let live = try Manifest.decode(readFile(at: folder.path("feed/manifest.json"), maxBytes: 10_000))
    #expect(live.pair == (try Manifest.decode(old.manifest)).pair)
  }

  @Test("settings that were lost or changed by hand never turn a signed feed into one without signatures")
  func lostSettings() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let settings = try feed.read(".parser-ota/feed.json")
    try durablyReplaceFile(at: "\(feed.feed)/.parser-ota/feed.json", with: FeedSettings().encoded())
    #expect(await problem { try await feed.publish("two", keys: []) }?.code == .feedIncomplete)
    #expect(
      await problem { _ = try await Publisher.initialise(InitRequest(directory: feed.feed)) }?.code
        == .inputRefused)
    _ = try await Publisher.initialise(
      InitRequest(directory: feed.feed, trust: try trust([1], [2]), date: TestFeed.date))
    #expect(try feed.read(".parser-ota/feed.json") == settings)
    #expect(try await feed.publish("two").manifest.version == version(2))
  }

  @Test("a second root holder and thresholds stand in the root, which more keys than needed may sign")
  func thresholds() async throws {
    let folder = try TemporaryDirectory()
    _ = try await Publisher.initialise(
      InitRequest(
        directory: folder.path("feed"), trust: try trust([1, 3], [2, 4], (2, 2)), date: TestFeed.date))
    let bytes = try readFile(at: folder.path("feed/metadata/1.root.json"), maxBytes: 100_000)
    let root = try RootDocument(decoding: bytes)
    #expect(root.threshold(of: .root) == 2 && root.threshold(of: .snapshot) == 2)
    #expect(
      root.keyIDs(of: .root) == [try signer(1).publicKey.metadataID(), try signer(3).publicKey.metadataID()])
    #expect(try SignedDocument(decoding: bytes, role: "root", maxBytes: 100_000).signatures.count == 2)
    #expect(root.expires == TestFeed.date.advanced(bySeconds: 730 * 86_400))
  }

  @Test(
    "an init that stopped before the commit point leaves a feed without signatures, and init again finishes it"
  )
  func interrupted() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let settings = try feed.read(".parser-ota/feed.json")
    let wish = try trust([1], [2])
    _ = try await Publisher.initialise(InitRequest(directory: feed.feed, trust: wish, date: TestFeed.date))
    try durablyReplaceFile(at: "\(feed.feed)/.parser-ota/feed.json", with: settings)
    #expect(try run("/bin/rm", ["\(feed.feed)/metadata/timestamp.json"]).status == .exited(0))
    #expect(try await feed.publish("two").manifest.version == version(2))
    let later = TestFeed.date.advanced(bySeconds: 60)
    let report = try await Publisher.initialise(InitRequest(directory: feed.feed, trust: wish, date: later))
    #expect(report.outcome == .updated(changes: ["the feed is signed now"]))
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    #expect(try await client.version(DirectoryHost(root: feed.feed), at: later) == version(2))
  }
}
