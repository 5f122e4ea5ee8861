import OTACrypto
import OTAFeed
import OTAManifest
import OTATrust
import ParserPublisher
import TestSupport
import Testing
import UpdaterTestSupport

/// A whole signed feed as a stranger sees it who has nothing but a root.
@Suite("Auditing a signed feed") struct SignedAuditTests {
  private let feed = MemoryFeed(signer: FeedSigner())
  private let now = Timestamp(secondsSinceEpoch: 1_780_000_000)

  private var signer: FeedSigner {
    get throws { try #require(feed.signer) }
  }

  private func audit(days: Int64 = 0, root: [UInt8]? = nil) async throws -> AuditReport {
    try await Publisher.audit(
      feed.reader, root: try root ?? signer.root(), now: now.advanced(bySeconds: days * 86_400))
  }

  private func codes(_ report: AuditReport) -> [String] { report.findings.map(\.code) }

  @Test("a sound feed has no findings, and the report says until when it is good")
  func sound() async throws {
    try feed.publish(31)
    try feed.publish(32)
    let report = try await audit()
    #expect(report.findings == [] && report.isSound)
    #expect(report.trust.rootVersion == 1 && report.trust.roles.count == 4)
    // The pointer and the three files of 32, then its consistent copy and the three files of 31: each once.
    #expect(report.filesChecked == 4 + 4)
  }

  @Test("every signed file is fetched and compared, also of releases that no pointer names")
  func damage() async throws {
    let old = try feed.publish(31)
    let new = try feed.publish(32)
    feed.put(Array("damaged".utf8), at: old.bundlePath)
    feed.remove(new.sourcesPath)
    let report = try await audit()
    #expect(!report.isSound)
    #expect(Set(codes(report)) == ["trust-mismatch", "not-found"])
    #expect(report.findings.contains { $0.place.contains("releases/31/parsers.bundle.js") })
  }

  @Test("a pointer that is not the signed one, or not signed at all, is an error")
  func pointers() async throws {
    let old = try feed.publish(31)
    try feed.publish(32)
    feed.put(old.bytes, at: "manifest.json")
    #expect(codes(try await audit()) == ["pointer-differs"])
    try signer.change { $0.files["manifest.json"] = nil }
    try signer.sign(on: feed)
    #expect(codes(try await audit()).contains("trust-unlisted"))
  }

  @Test("metadata is worth a warning in the last third of its life, and an error when it has expired")
  func expiries() async throws {
    try feed.publish(31)
    #expect(codes(try await audit(days: 19)) == [])
    let late = try await audit(days: 21)
    #expect(codes(late) == ["expires-soon"] && late.isSound)
    #expect(late.findings.first?.place == "metadata/timestamp.json")
    let expired = try await audit(days: 31)
    #expect(codes(expired) == ["trust-expired"] && !expired.isSound)
    #expect(expired.trust.roles.count == 4, "the rest was looked at")
  }

  @Test("the root of another feed finds nothing that it believes")
  func otherRoot() async throws {
    try feed.publish(31)
    let report = try await audit(root: FeedSigner(seed: 100).root())
    #expect(codes(report) == ["trust-signature"] && report.trust.rootVersion == nil)
  }

  @Test("a folder is judged by its own first root, and that is said; a feed on the network needs one")
  func withoutRoot() async throws {
    try feed.publish(31)
    try await withTemporaryDirectory { home in
      feed.write(to: home.path)
      let reader = FeedReader(.directory(home.path))
      let report = try await Publisher.audit(reader, root: nil, now: now)
      #expect(codes(report) == ["root-of-feed"] && report.trust.rootVersion == 1)
    }
    let report = try await Publisher.audit(feed.reader, root: nil, now: now)
    #expect(codes(report) == ["signatures-not-checked"] && report.trust.rootVersion == nil)
  }

  @Test(
    "names that change must not be kept for long by caches",
    arguments: [
      ("max-age=60", false), ("public, max-age=300", false), ("Max-Age=301", true), ("s-maxage=86400", true),
      ("public, immutable", true), ("no-cache", false),
    ])
  func caches(header: String, isTooLong: Bool) async throws {
    try feed.publish(31)
    try await withTemporaryDirectory { home in
      feed.write(to: home.path)
      let server = try LoopbackServer { request in
        guard let bytes = content(home.path + request.path) else { return .notFound }
        let changes = request.path.hasSuffix("timestamp.json") || request.path == "/manifest.json"
        return .ok(bytes, headers: changes ? ["Cache-Control": header] : [:])
      }
      defer { server.stop() }
      let reader = FeedReader(try FeedLocation(server.url), allowsPlainHTTPOnLoopback: true)
      let report = try await Publisher.audit(reader, root: try signer.root(), now: now)
      #expect(codes(report) == (isTooLong ? ["cached-too-long", "cached-too-long"] : []))
      #expect(report.isSound)
    }
  }
}
