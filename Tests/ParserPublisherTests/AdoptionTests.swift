import OTAFeed
import OTAManifest
import OTAStorage
import TestSupport
import Testing

@testable import ParserPublisher

/// How the feed that takes over is authenticated.
enum AdoptedTrust: String, CaseIterable, CustomTestStringConvertible {
  case checksumsOnly, signed

  var testDescription: String { rawValue }

  func wish() throws -> InitTrust {
    self == .signed
      ? .signed(rootSigners: [try signer(1)], releaseSigners: [try signer(2)]) : .checksumsOnly
  }
  func keys() throws -> [any MetadataSigner] { self == .signed ? [try signer(2)] : [] }
}

/// Where an old feed is taken over from.
enum AdoptionSource: String, CaseIterable, CustomTestStringConvertible {
  case folder, server, inPlace

  var testDescription: String { rawValue }
}

/// A live feed of the oldest form behind a server, and the feed that goes on with it in `path`.
final class TakeOver {
  static let name = "https://parsers.example/feed/"
  let old: OldFeed
  let folder: TemporaryDirectory
  let server: LoopbackServer
  let trust: AdoptedTrust
  let base: String
  var path: String { folder.path("feed") }
  var publisher: Publisher { Publisher(feed: path) { TestFeed.date } }

  init(_ trust: AdoptedTrust) throws {
    let folder = try TemporaryDirectory()
    let live = folder.path("live")
    _ = try Directory.create(live)
    server = try LoopbackServer { HTTPReply.directory(live, $0) }
    base = server.url
    old = try OldFeed(address: base)
    #expect(try run("/bin/cp", ["-r", "\(old.folder.path)/.", live]).status == .exited(0))
    (self.folder, self.trust) = (folder, trust)
  }

  deinit { server.stop() }

  @discardableResult
  func adopt(
    _ source: AdoptionSource = .server, change: (inout InitRequest) -> Void = { _ in }
  ) async throws -> InitReport {
    var request = InitRequest(
      directory: path, baseURL: try WebAddress(base), allowsPlainHTTPOnLoopback: true,
      trust: try trust.wish(), date: TestFeed.date)
    switch source {
    case .folder: request.adopt = .directory(old.folder.path)
    case .server: request.adopt = try FeedLocation(base)
    case .inPlace: #expect(try run("/bin/cp", ["-r", old.folder.path, path]).status == .exited(0))
    }
    change(&request)
    return try await Publisher.initialise(request)
  }

  func publish(_ marker: String) async throws -> PublishReport {
    try await publisher.publish(
      try signedRequest(folder, marker, ids: ["ABC", "DEF"], keys: trust == .signed ? [2] : []) {
        $0.date = TestFeed.date
      })
  }

  /// Puts the feed where clients read it.
  func deploy() throws {
    #expect(try run("/bin/rm", ["-rf", folder.path("live")]).status == .exited(0))
    #expect(try run("/bin/cp", ["-r", path, folder.path("live")]).status == .exited(0))
  }

  func read(_ name: String) throws -> [UInt8] { try readFile(at: "\(path)/\(name)", maxBytes: 1 << 20) }

  /// What a client finds that knows three fields, at the addresses that the manifest has.
  func oldClient(_ manifest: [UInt8]? = nil) async throws -> Int64 {
    let reader = FeedReader(try FeedLocation(base), allowsPlainHTTPOnLoopback: true)
    let bytes = try manifest ?? read("manifest.json")
    let live = try Manifest.decode(bytes)
    for file in FeedLayout.ContentFile.allCases {
      _ = try await ReleaseContent(reader: reader).bytes(of: file, in: live)
    }
    return live.version.number
  }

  /// The feed is whole in its folder and behind its server, for a new device too.
  func checkWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let root = trust == .signed ? try read("metadata/1.root.json") : nil
    for location in [FeedLocation.directory(path), try FeedLocation(base)] {
      let reader = FeedReader(location, allowsPlainHTTPOnLoopback: true)
      let report = try await Publisher.audit(reader, root: root, now: TestFeed.date)
      #expect(report.findings == [], sourceLocation: sourceLocation)
    }
  }
}

@Suite("Taking over a live feed") struct AdoptionTests {
  @Test(
    "D1: a feed is whole after it was taken over, after each publish and after the roll back to the old release",
    arguments: AdoptedTrust.allCases, AdoptionSource.allCases)
  func wholeAllAlong(trust: AdoptedTrust, source: AdoptionSource) async throws {
    let scene = try TakeOver(trust)
    let report = try await scene.adopt(source)
    #expect(report.adopted == version(37) && report.warnings.isEmpty, "\(report)")
    #expect(report.oldNames.sorted() == ["parsers.bundle.js", "sources.json"])
    #expect(report.oldNamesUntil == version(40))
    try scene.deploy()
    try await scene.checkWhole()
    #expect(try await scene.oldClient() == 37)
    #expect(
      try await scene.oldClient(scene.old.manifest) == 37, "who read the old manifest before the switch")
    #expect(try await scene.publish("new").manifest.version == version(38))
    try scene.deploy()
    try await scene.checkWhole()
    #expect(try await scene.oldClient(scene.old.manifest) == 37)
    let back = try await scene.publisher.rollback(RollbackRequest(signers: try trust.keys()))
    #expect(back.manifest.content == version(37))
    try scene.deploy()
    try await scene.checkWhole()
    #expect(try await scene.oldClient() == 39)
    #expect(
      try scene.read("files/releases/37/\(back.manifest.bundle.sha256).parsers.bundle.js") == scene.old.bundle
    )
  }

  @Test(
    "D1: from a folder, from a server and in place, the same feed comes out", arguments: AdoptedTrust.allCases
  )
  func sameFeed(trust: AdoptedTrust) async throws {
    var trees: [[String: [UInt8]]] = []
    let first = try TakeOver(trust)
    for source in AdoptionSource.allCases {
      let path = first.folder.path(source.rawValue)
      if source == .inPlace {
        #expect(try run("/bin/cp", ["-r", first.old.folder.path, path]).status == .exited(0))
      }
      try await first.adopt(.folder) { request in
        request.directory = path
        // Two feeds that are made in turn would have two random names.
        if trust == .signed { request.name = "parsers" }
        switch source {
        case .folder: break
        case .server: request.adopt = (try? FeedLocation(first.base))
        case .inPlace: request.adopt = nil
        }
      }
      var tree: [String: [UInt8]] = [:]
      for name in try listTree(path) where !name.hasSuffix("/lock") {
        tree[name] = try readFile(at: "\(path)/\(name)", maxBytes: 1 << 20)
      }
      trees.append(tree)
    }
    #expect(trees[0] == trees[1] && trees[1] == trees[2], "\(trees.map { $0.keys.sorted() })")
  }

  @Test(
    "D1: an old address on another host cannot be served, and each is named in one line",
    arguments: AdoptedTrust.allCases)
  func elsewhere(trust: AdoptedTrust) async throws {
    let scene = try TakeOver(trust)
    let report = try await scene.adopt(.folder) {
      $0.baseURL = try? WebAddress("http://127.0.0.1:9/elsewhere/")
      $0.liveFeedPatience = nil
    }
    #expect(report.warnings.count == 2 && report.oldNames.isEmpty)
    #expect(report.warnings.allSatisfy { $0.contains("outside of the base URL") })
  }

  @Test(
    "D1: without --base-url the address of the old feed goes on, as its manifest shows it",
    arguments: AdoptionSource.allCases)
  func derivedAddress(source: AdoptionSource) async throws {
    let scene = try TakeOver(.signed)
    let report = try await scene.adopt(source) { $0.baseURL = nil }
    #expect(report.settings.contains { $0.hasPrefix("baseURL: \(scene.base) (") }, "\(report.settings)")
    #expect(report.settings.contains("keptReleases: 20 (default; set it with --keep N)"))
    #expect(try await scene.publish("new").manifest.bundle.location.text.hasPrefix(scene.base))
  }

  @Test("D1: relative addresses and addresses with a query are served too")
  func otherAddresses() async throws {
    let scene = try TakeOver(.signed)
    let text = String(decoding: scene.old.manifest, as: UTF8.self)
      .replacing("\(scene.base)parsers.bundle.js", with: "js/parsers.bundle.js")
      .replacing("\(scene.base)sources.json", with: "\(scene.base)sources.json?v=37")
    let live = scene.folder.path("live")
    _ = try Directory.create("\(live)/js")
    try durablyReplaceFile(at: "\(live)/js/parsers.bundle.js", with: scene.old.bundle)
    try durablyReplaceFile(at: "\(live)/manifest.json", with: Array(text.utf8))
    #expect(try await scene.adopt().oldNames == ["js/parsers.bundle.js", "sources.json"])
    #expect(try scene.read("js/parsers.bundle.js") == scene.old.bundle)
    #expect(try scene.read("sources.json") == scene.old.sources)
  }

  @Test("D1: what a release of our own says of its channel, contract, aliases and withdrawn ones is carried")
  func ownRelease() async throws {
    let first = try await SignedFeed()
    try await first.publish("one")
    try await first.publish("two") {
      $0.contract = 5
      $0.minimumAppVersion = AppVersion("2.1.0")
      $0.notes = "dates"
    }
    try await first.publish("three", ids: ["ABC", "GHI"]) {
      $0.contract = 5
      $0.aliases = [SourceAlias(old: "DEF", new: "GHI")]
    }
    _ = try await first.publisher.rollback(RollbackRequest(to: version(1), signers: [try signer(2)]))
    let live = try Manifest.decode(first.read("manifest.json"))
    let scene = try TakeOver(.signed)
    let report = try await scene.adopt(.folder) {
      $0.adopt = .directory(first.feed)
      $0.liveFeedPatience = nil
    }
    #expect(report.adopted == version(4))
    let adopted = try Manifest.decode(scene.read("manifest.json"))
    #expect(adopted.withdrawn == live.withdrawn && !live.withdrawn.isEmpty)
    #expect(adopted.content == version(1) && adopted.notes == live.notes && adopted.pair == live.pair)
    #expect(try await scene.publish("next").manifest.withdrawn == live.withdrawn)
    try scene.deploy()
    try await scene.checkWhole()
  }

  @Test(
    "D1: an interrupted take-over goes on where it was, and readers see the feed before or after",
    arguments: AdoptedTrust.allCases)
  func interrupted(trust: AdoptedTrust) async throws {
    let scene = try TakeOver(trust)
    try await scene.adopt(.inPlace)
    let whole = try listTree(scene.path)
    // As it is when the process dies after the manifest was replaced, and before the settings were written.
    try durablyReplaceFile(at: "\(scene.path)/.parser-ota/adopting.json", with: scene.old.manifest)
    #expect(try run("/bin/rm", ["\(scene.path)/.parser-ota/feed.json"]).status == .exited(0))
    let again = try await Publisher.initialise(
      InitRequest(
        directory: scene.path, baseURL: try WebAddress(scene.base), trust: try trust.wish(),
        date: TestFeed.date))
    #expect(again.adopted == version(37) && again.oldNamesUntil == version(40))
    #expect(try listTree(scene.path) == whole)
    try scene.deploy()
    try await scene.checkWhole()
  }
}

@Suite("Settings, folders and the live feed") struct InitSafetyTests {
  @Test(
    "N18: the hidden folder is lost, and init takes from the feed what it shows",
    arguments: AdoptedTrust.allCases)
  func lostSettings(trust: AdoptedTrust) async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("feed")
    var request = InitRequest(
      directory: path, baseURL: try WebAddress("https://parsers.example/feed/"), keptReleases: 3,
      trust: try trust.wish(), date: TestFeed.date)
    request.liveFeedPatience = nil
    _ = try await Publisher.initialise(request)
    let publisher = Publisher(feed: path) { TestFeed.date }
    func publish(_ marker: String) async throws -> PublishReport {
      let keys: [UInt8] = trust == .signed ? [2] : []
      return try await publisher.publish(
        try signedRequest(folder, marker, ids: ["ABC"], keys: keys) { $0.date = TestFeed.date })
    }
    _ = try await publish("one")
    let settings = try readFile(at: "\(path)/.parser-ota/feed.json", maxBytes: 10_000)
    #expect(try run("/bin/rm", ["-r", "\(path)/.parser-ota"]).status == .exited(0))
    let refused = await problem { _ = try await publish("two") }
    #expect(
      refused?.code == .notAFeed && refused?.advice?.hasPrefix("parser-ota init --feed \(path)") == true)

    var other = InitRequest(directory: path, baseURL: try WebAddress("https://other.example/"))
    other.liveFeedPatience = nil
    #expect(await problem { _ = try await Publisher.initialise(other) }?.code == .inputRefused)

    var again = InitRequest(directory: path)
    again.liveFeedPatience = nil
    let report = try await Publisher.initialise(again)
    #expect(report.settings.contains("baseURL: https://parsers.example/feed/ (from release 1)"))
    #expect(report.settings.contains("keptReleases: 20 (default; set it with --keep N)"))
    again.keptReleases = 3
    _ = try await Publisher.initialise(again)
    #expect(try readFile(at: "\(path)/.parser-ota/feed.json", maxBytes: 10_000) == settings)
    #expect(
      try await publish("two").manifest.bundle.location.text.hasPrefix("https://parsers.example/feed/files/"))
  }

  @Test(
    "D2: a folder below the feed that is live is refused, fresh or not; an unreachable host is a note",
    arguments: AdoptedTrust.allCases)
  func numbersRestart(trust: AdoptedTrust) async throws {
    let scene = try TakeOver(trust)
    let refused = await problem { try await scene.adopt { $0.adopt = nil } }
    #expect(refused?.code == .liveFeedNewer && refused?.advice?.contains("--adopt \(scene.base)") == true)
    #expect(try scene.folder.names().sorted() == ["live"])
    try await scene.adopt()
    try scene.deploy()
    try durablyReplaceFile(
      at: scene.folder.path("live/manifest.json"),
      with: Array(String(decoding: scene.old.manifest, as: UTF8.self).replacing("37", with: "41").utf8))
    let second = await problem {
      _ = try await Publisher.initialise(InitRequest(directory: scene.path))
    }
    #expect(second?.code == .liveFeedNewer)
    scene.server.stop()
    let report = try await Publisher.initialise(InitRequest(directory: scene.path))
    #expect(report.warnings.count == 1 && report.warnings[0].hasPrefix("could not ask"))
  }

  @Test("A7: a feed is never made among other things, also through a link; nothing is left behind")
  func occupied() async throws {
    let folder = try TemporaryDirectory()
    _ = try Directory.create(folder.path("photos/files"))
    try durablyReplaceFile(at: folder.path("photos/cat.jpg"), with: Array("cat".utf8))
    #expect(try run("/bin/ln", ["-s", "photos", folder.path("link")]).status == .exited(0))
    for name in ["photos", "link"] {
      let refused = await problem {
        _ = try await Publisher.initialise(InitRequest(directory: folder.path(name)))
      }
      #expect(refused?.code == .foreignFolder && refused?.message.contains("cat.jpg") == true)
    }
    #expect(try listTree(folder.path("photos")) == ["./cat.jpg"])
    for name in ["README.md", "CNAME", "LICENSE", ".gitattributes", ".nojekyll"] {
      try durablyReplaceFile(at: folder.path(name), with: Array("x".utf8))
    }
    #expect(try run("/bin/rm", ["-r", folder.path("photos"), folder.path("link")]).status == .exited(0))
    #expect(try await Publisher.initialise(InitRequest(directory: folder.path)).outcome == .created)
  }

  @Test("an init that fails leaves no lock and no folder")
  func nothingBehind() async throws {
    let folder = try TemporaryDirectory()
    let refused = await problem {
      _ = try await Publisher.initialise(
        InitRequest(directory: folder.path("a/b/feed"), adopt: .directory(folder.path("missing"))))
    }
    #expect(refused != nil)
    #expect(try folder.names().isEmpty)
  }

  @Test(
    "N31: init writes a page for what is not there, publish puts it back, and a page that people wrote stays")
  func missingPage() async throws {
    let feed = try await TestFeed()
    #expect(String(decoding: try feed.read("404.html"), as: UTF8.self).contains("no such file"))
    #expect(!String(decoding: try feed.read("404.html"), as: UTF8.self).contains("<script"))
    #expect(try run("/bin/rm", ["\(feed.feed)/404.html"]).status == .exited(0))
    try await feed.publish("one")
    #expect(try feed.tree().contains("./404.html"))
    try durablyReplaceFile(at: "\(feed.feed)/404.html", with: Array("mine".utf8))
    _ = try await Publisher.initialise(InitRequest(directory: feed.feed))
    try await feed.publish("two")
    #expect(try feed.read("404.html") == Array("mine".utf8))
  }
}
