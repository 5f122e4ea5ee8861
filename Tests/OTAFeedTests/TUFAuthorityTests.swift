import OTAFeed
import OTAManifest
import OTATrust
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
