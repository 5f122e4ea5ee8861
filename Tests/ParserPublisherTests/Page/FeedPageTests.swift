import OTACrypto
import OTAFeed
import OTAManifest
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// The page for people, without a browser; `ci/page` looks at it in one.
@Suite struct FeedPageTests {
  private func page(_ feed: TestFeed) throws -> String {
    String(decoding: try feed.read("index.html"), as: UTF8.self)
  }

  /// A catalog whose entries have these titles.
  private static func catalog(titles: [String]) -> [UInt8] {
    let entries = titles.enumerated().map { index, title in
      JSONValue.object([
        JSONMember("id", .string("S\(index)")), JSONMember("className", .string("S\(index)")),
        JSONMember("title", .string(title)), JSONMember("locale", .string("en")),
        JSONMember("domain", .string("s\(index).example")), JSONMember("family", .string(title)),
        JSONMember("isNsfw", .bool(index % 2 == 1)), JSONMember("overrides", .object([])),
      ])
    }
    return JSONValue.array(entries).encoded(indented: false)
  }

  @Test(
    "publish and roll back write it: live, withdrawn, sources with the release that changed them, notes, checks"
  )
  func story() async throws {
    let feed = try await TestFeed(baseURL: "https://parsers.example/feed/")
    try await feed.publish("one") { $0.notes = "First release" }
    let first = try page(feed)
    #expect(first.contains("release 1") && first.contains("First release"))
    #expect(first.contains("https://parsers.example/feed/manifest.json"))
    #expect(first.contains("not signed"))
    try await feed.publish("two", ids: ["ABC", "DEF", "GHI"]) { $0.notes = "GHI is new" }
    let second = try page(feed)
    #expect(second.contains("added GHI") && second.contains("GHI is new"))
    let row = second.split(separator: "\n").first { $0.contains("<code>GHI</code>") }
    #expect(row?.contains("<td>2</td></tr>") == true, "\(row ?? "")")
    _ = try await feed.publisher.rollback(RollbackRequest(to: ReleaseVersion(1), date: TestFeed.date))
    let third = try page(feed)
    #expect(third.contains("withdrawn") && third.contains("a roll back to the content of release 1"))
    #expect(!third.contains("<code>GHI</code>"), "what is not in the live catalog is not in the table")
    try await feed.checkAsClient()
  }

  @Test("a page that people wrote stays; one that init used to write, or that was made here, is replaced")
  func owners() async throws {
    let feed = try await TestFeed()
    let host = DirectoryHost(root: feed.feed)
    try await feed.publish("one")
    try host.replace("index.html", with: Array("<h1>My own page</h1>".utf8))
    try await feed.publish("two")
    #expect(try page(feed) == "<h1>My own page</h1>")
    try host.replace("index.html", with: Array(FirstPage.html(isSigned: false).utf8))
    try await feed.publish("three")
    #expect(try page(feed).contains("release 3"))
    try host.replace(FeedLayout.pageMemory, with: Array("{\"format\":1,\"releases\":7}".utf8))
    let report = try await feed.publish("four")
    #expect(report.warnings.isEmpty, "a memory that is damaged is forgotten: \(report.warnings)")
    #expect(try page(feed).contains("release 4"))
  }

  @Test("the same feed gives the same page, whatever the hour")
  func reproducible() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let before = try page(feed)
    #expect(
      await Publisher(feed: feed.feed) { Timestamp(secondsSinceEpoch: 1_999_999_999) }.refreshPage() == [])
    #expect(try page(feed) == before)
  }

  @Test("a signed feed shows the digest of its first root and when each role expires, anew after a refresh")
  func signed() async throws {
    let feed = try await SignedFeed()
    _ = try await feed.publish("one")
    let host = DirectoryHost(root: feed.feed)
    func page() throws -> String {
      String(decoding: try #require(try host.read("index.html", maxBytes: 1 << 20)), as: UTF8.self)
    }
    let root = try #require(try host.read("metadata/1.root.json", maxBytes: 1 << 20))
    #expect(try page().contains(try ContentLookup.digest(of: root).hex))
    #expect(try page().contains("<h1><bdi>parsers</bdi></h1>"))
    let before = try page()
    feed.now.withLock { $0 = $0.advanced(bySeconds: 20 * 86_400) }
    _ = try await feed.publisher.refresh(signers: [try signer(2)])
    #expect(try page() != before)
    let expires = try await feed.publisher.status().roles.map(\.expires.description)
    for moment in expires { #expect(try page().contains("datetime=\"\(moment)\"")) }
  }

  @Test(
    "hostile text stays text, in content and in attributes",
    arguments: [
      "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'onmouseover='alert(1)", "</title><b>",
      "&lt;", "\u{202E}drowssap", "javascript:alert(1)", "<!--", "</script>", "a\u{7}b",
    ])
  func hostile(text: String) async throws {
    let feed = try await TestFeed()
    _ = try await feed.publisher.publish(
      try feed.request(
        bundle: Fixtures.bundle(marker: "x", bytes: 2000), sources: Self.catalog(titles: [text, "fine"])
      ) {
        $0.notes = text
        $0.allowedRemovals = []
      })
    let page = try page(feed)
    let own = try page.wholeMatchCount(of: "<script>")
    #expect(own == 1, "one script, which is ours")
    for part in [
      "<img", "<b>", "onerror=alert(1)>", "'onmouseover", "\u{202E}", "\u{7}", "href=\"javascript",
    ] {
      #expect(!page.contains(part), "\(part)")
    }
  }

  @Test(
    "without its data it is under 60 kB, names no other host, and its policy has the digests of what it runs")
  func rules() throws {
    let model = FeedPageModel(
      title: "x", lives: [], sourcesOf: nil, sources: [], releases: [],
      roles: [("root", "2027-01-01T00:00:00Z")],
      rootDigest: String(repeating: "0", count: 64), address: nil)
    let page = try FeedPage(model).bytes()
    #expect(page.count < 60_000)
    let text = String(decoding: page, as: UTF8.self)
    for part in ["src=", "@import", "url(", "fetch(", "<link", "style=\"", "onclick"] {
      #expect(!text.contains(part), "\(part)")
    }
    for part in [FeedPageTemplate.style, FeedPageTemplate.script] {
      let digest = HTMLText.base64(try ContentLookup.digest(of: Array(part.utf8)).bytes)
      #expect(text.contains("'sha256-\(digest)'"))
    }
    #expect(FeedPage.isGenerated(page))
  }

  @Test("Base64 as RFC 4648 has it")
  func base64() {
    for (plain, encoded) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
    ] {
      #expect(HTMLText.base64(Array(plain.utf8)) == encoded)
    }
  }

  @Test("the memory is read as it was written, and forgets what is gone")
  func memory() throws {
    var memory = PageMemory()
    let catalog = try SourceCatalog.decode(Fixtures.smallCatalog(ids: ["ABC", "DEF"]))
    let release = Manifest(
      version: try #require(ReleaseVersion(3)),
      bundle: Artifact(
        location: .relative(try RelativePath("b")), sha256: try ContentLookup.digest(of: [1]), bytes: 1),
      sources: Artifact(
        location: .relative(try RelativePath("s")), sha256: try ContentLookup.digest(of: [2]), bytes: 1))
    let digest = try ContentLookup.digest(of: [3])
    memory.learn(ReleaseNews(nil, nil, nil, first: catalog), of: release, digest: digest)
    #expect(memory.changed["stable"] == ["ABC": 3, "DEF": 3])
    #expect(PageMemory(decoding: memory.encoded()) == memory)
    memory.keep(releases: [], sources: ["ABC"], of: "stable")
    #expect(memory.changed["stable"] == ["ABC": 3] && memory.releases.isEmpty)
  }
}

extension String {
  /// How often a text stands in this one.
  fileprivate func wholeMatchCount(of text: String) throws -> Int { ranges(of: text).count }
}
