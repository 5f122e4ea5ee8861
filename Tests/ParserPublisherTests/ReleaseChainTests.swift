import OTAFeed
import OTAManifest
import OTAStorage
import ParserWorkbench
import TestSupport
import Testing

@testable import ParserPublisher

@Suite("The kept releases of a channel, one vouching for the next")
struct ReleaseChainTests {
  /// Stable releases 1, 2 and 4, and release 3 of another channel between them.
  private func feed() async throws -> TestFeed {
    let feed = try await TestFeed()
    for (number, channel) in ["stable", "stable", "beta", "stable"].enumerated() {
      let channel = try #require(Channel(channel))
      try await feed.publish("number \(number + 1)") { $0.channel = channel }
    }
    return feed
  }

  private func chain(_ feed: TestFeed, _ channel: Channel = .stable) async throws -> ReleaseChain {
    try await ReleaseChain(of: channel, from: FeedReader(.directory(feed.feed)), trust: .checksumsOnly)
  }

  /// The path of the lasting manifest of a release.
  private func manifest(_ number: Int, _ feed: TestFeed) throws -> String {
    let path = try feed.tree().first {
      $0.hasPrefix("./files/releases/\(number)/") && $0.hasSuffix(".manifest.json")
    }
    return try "\(feed.feed)/\(#require(path))"
  }

  @Test("the chain has the releases of one channel, oldest first, with their own files")
  func order() async throws {
    let feed = try await feed()
    let stable = try await chain(feed)
    #expect(stable.releases.map(\.version.number) == [1, 2, 4])
    let beta = try await chain(feed, #require(Channel("beta")))
    #expect(beta.releases.map(\.version.number) == [3])
    let bundle = try await stable.bundle(of: stable.releases[1])
    #expect(bundle.text.contains("number 2"))
    #expect(bundle.catalog.entries.count == 2)
  }

  @Test("over a network the chain is the same")
  func network() async throws {
    let feed = try await feed()
    let server = try LoopbackServer { HTTPReply.directory(feed.feed, $0) }
    defer { server.stop() }
    let reader = FeedReader(try FeedLocation(server.url), allowsPlainHTTPOnLoopback: true)
    let chain = try await ReleaseChain(of: .stable, from: reader, trust: .checksumsOnly)
    #expect(chain.releases.map(\.version.number) == [1, 2, 4])
    let bundle = try await chain.bundle(of: chain.releases[0])
    #expect(bundle.text.contains("number 1"))
  }

  @Test("a release that the feed keeps no more ends the chain; one that was changed refuses it")
  func damage() async throws {
    let feed = try await feed()
    let path = try manifest(1, feed)
    try run("/bin/rm", [path]).expectSuccess()
    let rest = try await chain(feed)
    #expect(rest.releases.map(\.version.number) == [2, 4])
    try durablyReplaceFile(at: manifest(2, feed), with: readFile(at: manifest(3, feed), maxBytes: 100_000))
    #expect(await problem { _ = try await chain(feed) }?.code == .digestMismatch)
  }

  @Test("a bundle with other bytes than its manifest says is not run, in a folder and over a network")
  func otherBundle() async throws {
    let feed = try await feed()
    let chain = try await chain(feed)
    let path = "\(feed.feed)/\(chain.releases[0].bundle.location.text)"
    let bytes = try readFile(at: path, maxBytes: 100_000)
    try durablyReplaceFile(at: path, with: bytes.dropLast() + [0x20])
    #expect(await problem { _ = try await chain.bundle(of: chain.releases[0]) }?.code == .feedIncomplete)
    let server = try LoopbackServer { HTTPReply.directory(feed.feed, $0) }
    defer { server.stop() }
    let reader = FeedReader(try FeedLocation(server.url), allowsPlainHTTPOnLoopback: true)
    let remote = try await ReleaseChain(of: .stable, from: reader, trust: .checksumsOnly)
    #expect(await problem { _ = try await remote.bundle(of: remote.releases[0]) }?.code == .digestMismatch)
  }

  @Test("with a root, a newest manifest that nobody signed is refused")
  func forged() async throws {
    // The metadata is dated in the past of whatever clock this machine has.
    let policy = ExpiryPolicy(rootDays: 3650, targetsDays: 3650, snapshotDays: 3650, timestampDays: 3650)
    let feed = try await SignedFeed(expiry: policy)
    try await feed.publish("one")
    let root = try readFile(at: "\(feed.feed)/metadata/1.root.json", maxBytes: 100_000)
    let reader = FeedReader(.directory(feed.feed))
    let chain = try await ReleaseChain(of: .stable, from: reader, trust: .root(root))
    #expect(chain.releases.map(\.version.number) == [1])
    let other = try await SignedFeed(releaseKeys: [3], expiry: policy)
    try await other.publish("two", keys: [3])
    let forged = FeedReader(.directory(other.feed))
    let stranger = try readFile(at: "\(other.feed)/metadata/1.root.json", maxBytes: 100_000)
    #expect(root != stranger)
    let refusal = await problem {
      _ = try await ReleaseChain(of: .stable, from: forged, trust: .root(root))
    }
    #expect(refusal?.code == .trustSignature, "\(String(describing: refusal))")
  }
}
