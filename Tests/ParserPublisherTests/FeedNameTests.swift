import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import ParserUpdater
import TestSupport
import Testing

@testable import ParserPublisher

/// Two feeds of one publisher, staging and production, signed with the same keys and served for each other.
@Suite("S5: feeds have names")
struct FeedNameTests {
  private struct Feeds {
    let folder: TemporaryDirectory
    let names: [String]

    init(_ names: [String] = ["staging", "production"]) async throws {
      folder = try TemporaryDirectory()
      self.names = names
      for name in names {
        _ = try await Publisher.initialise(
          InitRequest(
            directory: folder.path(name),
            trust: .signed(rootSigners: [try signer(1)], releaseSigners: [try signer(2)]),
            date: TestFeed.date,
            name: name))
        _ = try await publisher(name).publish(signedRequest(folder, name, ids: ["ABC"], keys: [2]))
      }
    }

    func publisher(_ name: String) -> Publisher { Publisher(feed: folder.path(name)) { TestFeed.date } }

    func read(_ name: String, _ path: String) throws -> [UInt8] {
      try readFile(at: folder.path("\(name)/\(path)"), maxBytes: 10_000_000)
    }

    /// Puts files of one feed in the place of those of the other.
    func serve(_ wrong: String, as right: String, _ choose: (String) -> Bool) throws {
      for path in try listTree(folder.path(wrong)).map({ String($0.dropFirst(2)) }) where choose(path) {
        let target = folder.path("\(right)/\(path)")
        _ = try Directory.create(String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)]))
        try durablyReplaceFile(at: target, with: try read(wrong, path))
      }
    }
  }

  @Test("init names a feed: as it was told, or by chance, and never the same twice")
  func names() async throws {
    let feeds = try await Feeds()
    for name in feeds.names {
      #expect(try await feeds.publisher(name).liveRoot().feedName == name)
      for file in ["timestamp.json", "2.snapshot.json", "2.targets.json"] {
        let text = String(decoding: try feeds.read(name, "metadata/\(file)"), as: UTF8.self)
        #expect(text.contains("\"feed\": \"\(name)\""), "\(file)")
      }
    }
    let (one, two) = (try await SignedFeed(name: nil), try await SignedFeed(name: nil))
    let random = try await [one.publisher.liveRoot().feedName, two.publisher.liveRoot().feedName]
    #expect(random.allSatisfy { $0?.utf8.count == 32 } && random[0] != random[1])
    #expect(try await one.publisher.keys().feedName == random[0])
  }

  @Test(
    "a device, verify and the rehearsal refuse the other feed, whichever part of it is served",
    arguments: ["all but the root", "timestamp alone", "everything"],
    [["staging", "production"], ["production", "staging"]])
  func swapped(part: String, order: [String]) async throws {
    let feeds = try await Feeds()
    let (wrong, right) = (order[0], order[1])
    let root = try feeds.read(right, "metadata/1.root.json")
    let device = SignedClient(firstRoot: root)
    #expect(try await device.version(DirectoryHost(root: feeds.folder.path(right))) == version(1))
    // One refresh more, so that no version number gives the exchange away.
    _ = try await feeds.publisher(wrong).refresh(signers: [try signer(2)], force: true)
    try feeds.serve(wrong, as: right) { path in
      switch part {
      case "timestamp alone": path == "metadata/timestamp.json"
      case "everything": !path.hasPrefix(".parser-ota")
      default: !path.hasPrefix(".parser-ota") && !path.hasSuffix(".root.json")
      }
    }
    let host = DirectoryHost(root: feeds.folder.path(right))
    for client in [device, SignedClient(firstRoot: root)] {
      let refused = await problem { _ = try await client.version(host) }
      #expect(refused?.code == .trustOtherFeed)
      #expect(refused?.message.contains("the feed \"\(wrong)\", not to \"\(right)\"") == true)
    }
    let report = try await Publisher.audit(
      FeedReader(.directory(feeds.folder.path(right))), root: root, now: TestFeed.date)
    #expect(report.findings.map(\.code).contains("trust-other-feed"))
    guard part != "everything" else { return }
    let mixed = await problem {
      _ = try await feeds.publisher(right).publish(
        signedRequest(feeds.folder, "next", ids: ["ABC"], keys: [2]))
    }
    #expect(mixed?.code == .trustOtherFeed)
  }

  @Test("a feed of an older version has no name, gets one with the next root, and keeps it")
  func naming() async throws {
    let feed = try await UnnamedFeed.make()
    try await feed.publish("one")
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    #expect(try await client.version(feed.host) == version(1))
    #expect(try await feed.publisher.keys().feedName == nil)
    let outcome = try await feed.publisher.changeRoot(
      [.name("production")], signers: [try signer(1), try signer(2)], date: TestFeed.date)
    guard case .committed(let report) = outcome else { throw Unexpected() }
    #expect(report.changes.contains("the feed is named production"))
    #expect(report.resigned == ["targets", "snapshot", "timestamp"])
    #expect(try await client.version(feed.host) == version(1))
    #expect(try await feed.clientVersion() == version(1))
    let renamed = await problem {
      _ = try await feed.publisher.changeRoot([.name("other")], signers: [try signer(1), try signer(2)])
    }
    #expect(renamed?.code == .inputRefused && renamed?.message.contains("renames") == true)
    // A name is no epoch: nothing is forgotten for it.
    #expect(try await feed.publisher.liveRoot().epoch == 1)
    try await feed.publish("two")
    #expect(try await client.version(feed.host) == version(2))
  }

  @Test("metadata from before the name is continued; that of another feed never is")
  func continued() async throws {
    let feed = try await UnnamedFeed.make()
    try await feed.publish("one")
    let unnamed = try feed.read("metadata/timestamp.json")
    _ = try await feed.publisher.changeRoot(
      [.name("production")], signers: [try signer(1), try signer(2)], date: TestFeed.date)
    // A stop before the timestamp.
    try durablyReplaceFile(at: "\(feed.feed)/metadata/timestamp.json", with: unnamed)
    #expect(try await feed.publisher.keys().needsRefresh)
    _ = try await feed.publisher.refresh(signers: [try signer(2)])
    #expect(try await feed.clientVersion() == version(1))
    let other = try await Feeds(["staging"])
    for path in try listTree(other.folder.path("staging/metadata")) where !path.hasSuffix(".root.json") {
      let name = path.dropFirst(2)
      try durablyReplaceFile(
        at: "\(feed.feed)/metadata/\(name)", with: try other.read("staging", "metadata/\(name)"))
    }
    let refused = await problem { _ = try await feed.publisher.refresh(signers: [try signer(2)]) }
    #expect(refused?.code == .trustOtherFeed)
  }

  struct Unexpected: Error {}
}

/// A feed as versions without names made it.
enum UnnamedFeed {
  static func make() async throws -> SignedFeed {
    let feed = try await SignedFeed()
    var root = RootDocument(expires: TestFeed.date.advanced(bySeconds: 730 * 86_400))
    try root.addKey(signer(1).publicKey, to: .root)
    for role in [Root.Role.targets, .snapshot, .timestamp] { try root.addKey(signer(2).publicKey, to: role) }
    var document = try root.document()
    try await document.sign(with: signer(1), keyID: signer(1).publicKey.metadataID())
    try durablyReplaceFile(at: "\(feed.feed)/metadata/1.root.json", with: document.encoded())
    // Signed again, without the name that init gave.
    _ = try await feed.publisher.refresh(signers: [try signer(2)], force: true)
    return feed
  }
}
