import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import TestSupport
import Testing
import TrustFixtures

/// From signed metadata to a manifest.
@Suite("Signed feeds")
struct TUFAuthorityTests {
  private static let stable = """
    {"version":3,"bundle":{"url":"files/b.js","sha256":"\(String(repeating: "a", count: 64))","bytes":5},
    "sources":{"url":"files/s.json","sha256":"\(String(repeating: "b", count: 64))","bytes":6}}
    """

  private let network = FeedInMemory()

  private func newest(_ channel: Channel = .stable, of files: [String: String]) async throws
    -> VerifiedManifest
  {
    var feed = try TestFeed()
    feed.files = files.mapValues { Array($0.utf8) }
    network.publish(try feed.published())
    let authority = TUFAuthority(
      shippedRoot: try feed.rootBytes(), store: StoreInMemory(), now: { TestFeed.now })
    let reader = FeedReader(
      try FeedLocation(FeedInMemory.base), fetcher: network, allowsPlainHTTPOnLoopback: false)
    return try await authority.newestManifest(of: channel, from: reader)
  }

  @Test("the manifest of a channel is the signed one")
  func signed() async throws {
    let manifest = try await newest(of: ["manifest.json": Self.stable])
    #expect(manifest.bytes == Array(Self.stable.utf8))
    #expect(manifest.manifest.bundle.bytes == 5)
  }

  @Test("B35: a manifest that is only there, and not signed, is none")
  func unsigned() async throws {
    network.publish([
      "manifest.json": Array(Self.stable.utf8), "files/manifest.json": Array(Self.stable.utf8),
    ])
    let problem = await #expect(throws: Problem.self) { try await newest(of: [:]) }
    #expect(problem?.code == .trustUnlisted)
  }

  @Test("a signed feed in a folder is read like one behind a server")
  func folder() async throws {
    try await withTemporaryDirectory { folder in
      var feed = try TestFeed()
      feed.files = ["manifest.json": Array(Self.stable.utf8)]
      for (path, bytes) in try feed.published() {
        var names = path.split(separator: "/").map(String.init)
        let name = names.removeLast()
        try Directory.create(folder.path(names.joined(separator: "/"))).replace(name, with: bytes)
      }
      let authority = TUFAuthority(
        shippedRoot: try feed.rootBytes(), store: StoreInMemory(), now: { TestFeed.now })
      let reader = FeedReader(.directory(folder.path))
      #expect(try await authority.newestManifest(of: .stable, from: reader).manifest.sources.bytes == 6)
    }
  }

  @Test("B35: digests that are empty, short or of an unknown kind alone are not digests")
  func digests() async throws {
    var feed = try TestFeed()
    feed.files = ["manifest.json": Array(Self.stable.utf8)]
    let cases: [(JSONValue, ProblemCode)] = [
      (object([]), .trustMalformed), (object([JSONMember("sha256", "")]), .trustMalformed),
      (object([JSONMember("sha256", "abcd")]), .trustMalformed),
      (object([JSONMember("md5", "00000000000000000000000000000000")]), .trustCannotVerify),
    ]
    for (hashes, code) in cases {
      let body = try feed.targetsBody(feed.files)
      let entry = body["targets"]["manifest.json"].with("hashes", hashes)
      network.publish(try feed.published())
      network.publish([
        "metadata/1.targets.json": try TrustFixtures.signed(
          body.with("targets", object([JSONMember("manifest.json", entry)])), by: feed.targets.keys)
      ])
      _ = network.takeRequests()
      let authority = TUFAuthority(
        shippedRoot: try feed.rootBytes(), store: StoreInMemory(), now: { TestFeed.now })
      let reader = FeedReader(
        try FeedLocation(FeedInMemory.base), fetcher: network, allowsPlainHTTPOnLoopback: false)
      let problem = await #expect(throws: Problem.self) {
        try await authority.newestManifest(of: .stable, from: reader)
      }
      #expect(problem?.code == code)
      #expect(!network.takeRequests().contains { $0.hasPrefix("files/") })
    }
  }

  @Test("a signed manifest is read as strictly as any other")
  func strict() async throws {
    let cases: [(String, ProblemCode)] = [
      (Self.stable.replacing("\"version\":3", with: "\"version\":3,\"version\":4"), .manifestInvalid),
      (Self.stable.replacing("\"version\":3", with: "\"version\":3,\"channel\":\"beta\""), .wrongChannel),
      (Self.stable + String(repeating: " ", count: 65_536), .tooLarge),
    ]
    for (text, code) in cases {
      let problem = await #expect(throws: Problem.self) { try await newest(of: ["manifest.json": text]) }
      #expect(problem?.code == code)
    }
  }
}
