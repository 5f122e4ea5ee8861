import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import TestSupport
import Testing

@Suite struct AuditTests {
  private func feed() async throws -> TestFeed {
    let feed = try await TestFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let beta = try #require(Channel("beta"))
    try await feed.publish("three") { $0.channel = beta }
    return feed
  }

  private func findings(_ feed: TestFeed) async throws -> [AuditFinding] {
    try await Publisher.audit(.directory(feed.feed), allowsPlainHTTPOnLoopback: false).findings
  }

  @Test("a sound feed has no findings, and each file was read once")
  func sound() async throws {
    let feed = try await feed()
    let report = try await Publisher.audit(.directory(feed.feed), allowsPlainHTTPOnLoopback: false)
    #expect(report.isSound && report.findings.isEmpty)
    #expect(report.channels.map(\.name) == ["stable", "beta"])
    #expect(report.releases.map(\.number) == [3, 2, 1])
    // Three bundles, one catalog, three lasting manifests, two pointers.
    #expect(report.filesChecked == 9)
    #expect(report.bytesChecked > 6000)
  }

  @Test("B51: over a network the whole chain of releases is checked, also files with CRLF")
  func network() async throws {
    let feed = try await TestFeed()
    let server = try LoopbackServer { HTTPReply.directory(feed.feed, $0) }
    defer { server.stop() }
    try await feed.publish("one")
    let crlf = String(decoding: Fixtures.smallCatalog(ids: ["ABC", "DEF"]), as: UTF8.self)
      .replacing("\n", with: "\r\n")
    let request = try feed.request(
      bundle: Fixtures.bundle(marker: "two", bytes: 2000), sources: Array(crlf.utf8))
    _ = try await feed.publisher.publish(request)
    let location = try FeedLocation(server.url)
    let report = try await Publisher.audit(location, allowsPlainHTTPOnLoopback: true)
    #expect(report.findings.isEmpty && report.releases.map(\.number) == [2, 1])
    #expect(report.filesChecked == 7)
    #expect(Set(server.requests.map(\.target)).count == server.requests.count)

    try run("/bin/rm", ["\(feed.feed)/\(try feed.live().sources.location.text)"]).expectSuccess()
    let broken = try await Publisher.audit(location, allowsPlainHTTPOnLoopback: true)
    #expect(broken.findings.map(\.code) == ["not-found"] && !broken.isSound)
  }

  @Test("damage, loss and a pointer that is no copy are errors with a place")
  func damage() async throws {
    let feed = try await feed()
    let live = try feed.live()
    let path = live.bundle.location.text
    try durablyReplaceFile(at: "\(feed.feed)/\(path)", with: Fixtures.bundle(marker: "bad", bytes: 2000))
    let damaged = try await findings(feed)
    #expect(damaged.map(\.code) == ["feed-incomplete"] && damaged.first?.place == path)
    #expect(damaged.first?.message.contains("release 2: ") == true)

    let other = try await self.feed()
    let releases = try await other.publisher.releases()
    let lasting = "files/releases/1/\(releases[2].manifestDigest).manifest.json"
    try durablyReplaceFile(at: "\(other.feed)/\(lasting)", with: try other.read("manifest.json"))
    let renamed = try await findings(other)
    #expect(renamed.map(\.code) == ["digest-mismatch"] && renamed.first?.place == lasting)
  }

  @Test("a lost pointer of a channel is an error; an old feed without lasting manifests is a warning")
  func pointers() async throws {
    let feed = try await feed()
    try run("/bin/rm", ["\(feed.feed)/channels/beta/manifest.json"]).expectSuccess()
    let lost = try await findings(feed)
    #expect(lost.map(\.code) == ["feed-incomplete"] && lost.first?.place == "channels/beta/manifest.json")

    let old = try OldFeed()
    let report = try await Publisher.audit(.directory(old.folder.path), allowsPlainHTTPOnLoopback: false)
    #expect(report.isSound && report.findings.map(\.code) == ["no-immutable-manifest"])
    #expect(report.releases == [version(37)])
  }

  @Test("content that clients refuse although its digest is right is an error")
  func invalidContent() async throws {
    let feed = try await TestFeed()
    let old = try OldFeed()
    let page = Array("<!doctype html><p>not a bundle".utf8)
    try durablyReplaceFile(at: "\(feed.feed)/parsers.bundle.js", with: page)
    try durablyReplaceFile(at: "\(feed.feed)/sources.json", with: old.sources)
    let sum = try run("/usr/bin/sha256sum", ["\(feed.feed)/parsers.bundle.js"]).output.prefix(64)
    let manifest = try Manifest.decode(old.manifest)
    let text = #"""
      {"version":5,"bundle":{"url":"parsers.bundle.js","sha256":"\#(sum)","bytes":\#(page.count)},
      "sources":{"url":"http://plain.example/sources.json","sha256":"\#(manifest.sources.sha256)","bytes":\#(old.sources.count)}}
      """#
    try durablyReplaceFile(at: "\(feed.feed)/manifest.json", with: Array(text.utf8))
    #expect(
      try await findings(feed).map(\.code) == ["no-immutable-manifest", "bundle-invalid", "forbidden-url"])
  }

  @Test(
    "a feed that waits for its first release is whole; a newest manifest that is gone, or a page, is a fault")
  func noManifest() async throws {
    let feed = try await TestFeed()
    #expect(try await findings(feed).isEmpty)
    try await feed.publish("one")
    try Directory.open(feed.feed).remove("manifest.json")
    #expect(try await findings(feed).map(\.code) == ["feed-incomplete"])
    try durablyReplaceFile(at: "\(feed.feed)/manifest.json", with: Array("<html>".utf8))
    #expect(await problem { _ = try await findings(feed) }?.code == .manifestInvalid)
  }
}

extension ChildResult {
  /// Fails the test when the program did not do what it was asked.
  func expectSuccess() { #expect(status == .exited(0), "\(errors)") }
}
