import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import TestSupport
import Testing

/// A feed as the format before this tool had it: a manifest with three fields and absolute addresses.
struct OldFeed {
  let folder: TemporaryDirectory
  let manifest: [UInt8]
  let bundle = Fixtures.bundle(marker: "old", bytes: 2000)
  let sources = Fixtures.smallCatalog(ids: ["ABC", "DEF"])

  init(address: String = "https://old.example/parsers/") throws {
    let folder = try TemporaryDirectory()
    self.folder = folder
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
      try durablyReplaceFile(at: folder.path(name), with: bytes)
      let sum = try run("/usr/bin/sha256sum", [folder.path(name)]).output.prefix(64)
      return #"{"url":"\#(address)\#(name)","sha256":"\#(sum)","bytes":\#(bytes.count)}"#
    }
    let bundle = try file("parsers.bundle.js", bundle)
    let sources = try file("sources.json", sources)
    let manifest = Array(#"{"version":37,"bundle":\#(bundle),"sources":\#(sources)}"#.utf8)
    try durablyReplaceFile(at: folder.path("manifest.json"), with: manifest)
    self.manifest = manifest
  }
}

@Suite struct InitTests {
  @Test("init makes an empty feed with a page, and running it again changes nothing")
  func created() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("sites/feed")
    let first = try await Publisher.initialise(InitRequest(directory: path))
    #expect(first.outcome == .created && first.adopted == nil && first.directory == path)
    let tree = try listTree(path)
    #expect(
      tree == [
        "./.nojekyll", "./.parser-ota/feed.json", "./.parser-ota/lock", "./404.html", "./_headers",
        "./index.html",
      ])
    let page = try readFile(at: "\(path)/index.html", maxBytes: 10_000)
    #expect(try await Publisher.initialise(InitRequest(directory: path)).outcome == .alreadyInitialised)
    #expect(try listTree(path) == tree)
    #expect(!String(decoding: page, as: UTF8.self).contains("innerHTML"))
    #expect(try await Publisher(feed: path) { TestFeed.date }.releases().isEmpty)
  }

  @Test("settings that are given again are changed, the others stay, and a page that somebody wrote is kept")
  func updated() async throws {
    let feed = try await TestFeed(keptReleases: 5)
    let page = "\(feed.feed)/index.html"
    try durablyReplaceFile(at: page, with: Array("mine".utf8))
    let base = try WebAddress("https://feed.example/p")
    let report = try await Publisher.initialise(
      InitRequest(directory: feed.feed, baseURL: base, keptReleases: 7))
    #expect(
      report.outcome
        == .updated(changes: ["base URL is now https://feed.example/p/", "kept releases are now 7"]))
    #expect(try await Publisher.initialise(InitRequest(directory: feed.feed)).outcome == .alreadyInitialised)
    #expect(try readFile(at: page, maxBytes: 100) == Array("mine".utf8))
    #expect(
      try String(decoding: feed.read(".parser-ota/feed.json"), as: UTF8.self) == """
        {
          "format": 1,
          "trust": "checksums-only",
          "keptReleases": 7,
          "baseURL": "https://feed.example/p/"
        }

        """)
  }

  @Test("values that no feed can have are refused before anything is made")
  func refusedValues() async throws {
    let folder = try TemporaryDirectory()
    let requests = [
      InitRequest(directory: folder.path("a"), baseURL: try WebAddress("http://feed.example/")),
      InitRequest(directory: folder.path("a"), baseURL: try WebAddress("https://feed.example/?x=1")),
      InitRequest(directory: folder.path("a"), keptReleases: 0),
    ]
    for request in requests {
      #expect(await problem { _ = try await Publisher.initialise(request) }?.code == .inputRefused)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test(
    "settings that are damaged or newer stop everything",
    arguments: [
      "", "{}", #"{"format":2,"trust":"checksums-only","keptReleases":20}"#,
      #"{"format":1,"trust":"none","keptReleases":20}"#,
      #"{"format":1,"trust":"checksums-only","keptReleases":0}"#,
    ])
  func damagedSettings(content: String) async throws {
    let feed = try await TestFeed()
    try durablyReplaceFile(at: "\(feed.feed)/.parser-ota/feed.json", with: Array(content.utf8))
    let refused = await problem { try await feed.publish("one") }
    #expect(refused?.code == .feedIncomplete)
    #expect(refused?.message.hasPrefix(".parser-ota/feed.json") == true)
    #expect(await problem { _ = try await Publisher.initialise(InitRequest(directory: feed.feed)) } != nil)
  }

  @Test("a live feed of the old shape is taken over, and the next publish is live + 1 on top of it")
  func adopt() async throws {
    let old = try OldFeed()
    let feed = try await TestFeed()
    let report = try await Publisher.initialise(
      InitRequest(directory: feed.feed, adopt: .directory(old.folder.path)))
    #expect(report.adopted == version(37))
    #expect(try feed.live().bundle.location.text.hasPrefix("https://old.example/parsers/files/releases/37/"))
    #expect(try await feed.publish("old").outcome == .nothingToPublish)
    let sum = try run("/usr/bin/sha256sum", ["\(feed.feed)/manifest.json"]).output.prefix(64)
    let next = try await feed.publish("new")
    #expect(next.manifest.version == version(38) && next.manifest.parentVersion == version(37))
    #expect(next.manifest.parent?.hex == String(sum))
    #expect(try await feed.publisher.releases().map(\.version.number) == [38, 37])
    #expect(try await feed.publisher.rollback(RollbackRequest()).manifest.content == version(37))
    try await feed.checkAsClient()
  }

  @Test("a feed behind a server is taken over with everything verified; a wrong byte or a page stops it")
  func adoptOverHTTP() async throws {
    let holder = try TemporaryDirectory()
    let server = try LoopbackServer { HTTPReply.directory(holder.path, $0) }
    defer { server.stop() }
    let old = try OldFeed(address: server.url)
    #expect(try run("/bin/cp", ["-r", "\(old.folder.path)/.", holder.path]).status == .exited(0))
    let location = try FeedLocation(server.url)
    func adopt(into name: String) async throws(Problem) -> InitReport {
      try await Publisher.initialise(
        InitRequest(directory: holder.path(name), adopt: location, allowsPlainHTTPOnLoopback: true))
    }
    #expect(try await adopt(into: "new").adopted == version(37))
    try durablyReplaceFile(at: holder.path("sources.json"), with: old.sources.dropLast() + [0x20])
    #expect(await problem { _ = try await adopt(into: "wrong") }?.code == .digestMismatch)
    try durablyReplaceFile(at: holder.path("manifest.json"), with: Array("<html>".utf8))
    #expect(await problem { _ = try await adopt(into: "page") }?.code == .htmlInstead)
    for name in ["wrong", "page"] { #expect(!(try listTree(holder.path(name)).contains("./manifest.json"))) }
  }

  @Test("another feed is not taken over on top of a release; the same one again is fine")
  func adoptTwice() async throws {
    let (first, second) = (try OldFeed(), try OldFeed(address: "https://other.example/"))
    let feed = try await TestFeed()
    func adopt(_ old: OldFeed) async throws(Problem) -> InitReport {
      try await Publisher.initialise(InitRequest(directory: feed.feed, adopt: .directory(old.folder.path)))
    }
    #expect(try await adopt(first).adopted == version(37))
    #expect(try await adopt(first).adopted == version(37))
    #expect(await problem { _ = try await adopt(second) }?.code == .inputRefused)
    #expect(try feed.live().version == version(37))
  }

  @Test(
    "an adopted manifest cannot choose the feed's own files",
    arguments: [".parser-ota/feed.json", "manifest.json", "channels/beta/manifest.json", "index.html"])
  func hostileAdoption(path: String) async throws {
    let old = try TemporaryDirectory()
    let other = try OldFeed()
    let text = String(decoding: other.manifest, as: UTF8.self)
      .replacing("https://old.example/parsers/parsers.bundle.js", with: path)
      .replacing("https://old.example/parsers/", with: "")
    let manifest = try Manifest.decode(Array(text.utf8))
    let own = "files/releases/37/\(manifest.bundle.sha256).parsers.bundle.js"
    _ = try Directory.create(old.path("files/releases/37"))
    try durablyReplaceFile(at: old.path(own), with: other.bundle)
    try durablyReplaceFile(at: old.path("sources.json"), with: other.sources)
    try durablyReplaceFile(at: old.path("manifest.json"), with: Array(text.utf8))
    let feed = try await TestFeed()
    let before = try feed.read(".parser-ota/feed.json")
    let refused = await problem {
      _ = try await Publisher.initialise(InitRequest(directory: feed.feed, adopt: .directory(old.path)))
    }
    #expect(refused?.code == .forbiddenURL)
    #expect(try feed.read(".parser-ota/feed.json") == before)
  }

  @Test("a folder that holds an old feed becomes one as it is; without its files it says what to do")
  func inPlace() async throws {
    let old = try OldFeed()
    let report = try await Publisher.initialise(InitRequest(directory: old.folder.path))
    #expect(report.outcome == .created && report.adopted == version(37))
    let inputs = try await TestFeed()
    let publisher = Publisher(feed: old.folder.path) { TestFeed.date }
    let next = try await publisher.publish(try inputs.request("new", ids: ["ABC", "DEF", "GHI"]))
    #expect(next.manifest.version == version(38) && next.diff?.added.count == 1)
    #expect(try await publisher.releases().map(\.version.number) == [38, 37])

    let bare = try OldFeed()
    #expect(try run("/bin/rm", [bare.folder.path("sources.json")]).status == .exited(0))
    let refused = await problem {
      _ = try await Publisher.initialise(InitRequest(directory: bare.folder.path))
    }
    #expect(refused?.code == .feedIncomplete && refused?.advice?.contains("--adopt") == true)
    #expect(refused?.message.contains("sources.json") == true)
  }
}
