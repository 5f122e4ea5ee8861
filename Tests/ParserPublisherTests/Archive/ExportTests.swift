import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import TestSupport
import Testing
import UpdaterTestSupport

@Suite("An archive is what a feed says, byte for byte") struct ExportTests {
  @Test("the same feed gives the same bytes: later, elsewhere, over a network", arguments: [true, false])
  func sameBytes(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    for marker in ["two", "three"] { try await scene.feed.publish(marker) }
    let copy = scene.feed.folder.path("copy")
    _ = try run("/bin/cp", ["-r", scene.feed.feed, copy])
    _ = try run("/bin/rm", ["-r", "\(copy)/.parser-ota"])
    let server = try LoopbackServer { HTTPReply.directory(scene.feed.feed, $0) }
    defer { server.stop() }
    for number: Int64? in [nil, 3, 2] {
      let first = try await scene.export(number)
      scene.feed.wait(minutes: 90)
      #expect(try await scene.export(number) == first)
      #expect(try await scene.export(number, from: .directory(copy)) == first)
      let web = try await scene.export(number, from: FeedLocation(server.url)) {
        $0.allowsPlainHTTPOnLoopback = true
      }
      #expect(web == first)
    }
    #expect(try await scene.export() == scene.export(3))
    #expect(try await scene.export() != scene.export(2))
  }

  @Test("it holds the files of the feed under their names, and of other releases nothing")
  func names() async throws {
    let scene = try await ArchiveScene(signed: true)
    for marker in ["two", "three"] { try await scene.feed.publish(marker) }
    for number: Int64 in [2, 3] {
      let files = try archivedFiles(await scene.export(number))
      for file in files {
        let onFeed = try readFile(at: "\(scene.feed.feed)/\(file.name)", maxBytes: 1 << 20)
        #expect(onFeed == file.bytes, "\(file.name)")
      }
      #expect(files.filter { $0.name.hasPrefix("files/releases/") }.count == 3)
      #expect(
        files.first?.name == "metadata/1.root.json"
          && files.last?.name.hasSuffix(".parsers.bundle.js") == true)
    }
  }

  @Test("a feed that was taken over, with absolute addresses and other names, is exported as well")
  func absolute() async throws {
    let feed = try await TestFeed(baseURL: "https://parsers.example/reader/")
    try await feed.publish("one")
    var request = ExportRequest(.directory(feed.feed))
    let report = try await Publisher.export(request, now: TestFeed.date)
    let archive = try ReleaseArchive(report.archive, name: "x")
    #expect(archive.manifest == (try feed.live()))
    request.version = version(7)
    let missing = await problem { _ = try await Publisher.export(request, now: TestFeed.date) }
    #expect(missing?.code == .noSuchRelease && missing?.message.contains("available: 1") == true)
  }

  @Test("what is not there is said as what it is", arguments: [true, false])
  func nothing(signed: Bool) async throws {
    let fresh = try await StoryFeed(signed: signed)
    let empty = await problem {
      _ = try await Publisher.export(ExportRequest(.directory(fresh.feed)), now: fresh.now)
    }
    #expect(empty?.code == .noSuchRelease)
    let scene = try await ArchiveScene(signed: signed)
    let channel = try #require(Channel("beta"))
    let beta = await problem { _ = try await scene.export { $0.channel = channel } }
    #expect(beta?.code == .noSuchRelease)
    #expect(await problem { _ = try await scene.export(9) }?.code == .noSuchRelease)
    let nowhere = await problem { _ = try await scene.export(from: .directory(scene.app)) }
    #expect(nowhere != nil)
  }

  @Test(
    "a damaged file of the release is found before anything is written, one of another release is not missed")
  func damaged() async throws {
    let scene = try await ArchiveScene(signed: true)
    try await scene.feed.publish("two")
    let live = try scene.feed.live()
    let old = try Manifest.decode(archivedFiles(await scene.export(1))[6].bytes)
    try durablyReplaceFile(at: "\(scene.feed.feed)/\(old.bundle.location.text)", with: [1])
    _ = try await scene.export()
    #expect(await problem { _ = try await scene.export(1) }?.code == .feedIncomplete)
    try durablyReplaceFile(at: "\(scene.feed.feed)/\(live.bundle.location.text)", with: [1])
    #expect(await problem { _ = try await scene.export() }?.code == .feedIncomplete)
  }

  @Test("a root must be one of the feed's own, and expired metadata is no archive")
  func root() async throws {
    let (scene, other) = (try await ArchiveScene(signed: true), try await ArchiveScene(signed: true))
    let own = try readFile(at: "\(scene.app)/root.json", maxBytes: 1 << 20)
    let foreign = try readFile(at: "\(other.app)/root.json", maxBytes: 1 << 20)
    _ = try await scene.export { $0.root = own }
    #expect(await problem { _ = try await scene.export { $0.root = foreign } }?.code == .trustOtherFeed)
    let plain = try await ArchiveScene(signed: false)
    #expect(await problem { _ = try await plain.export { $0.root = own } }?.code == .feedIncomplete)
    scene.feed.wait(days: 40)
    #expect(await problem { _ = try await scene.export() }?.code == .trustExpired)
    scene.feed.wait(days: -40)
    try Directory.open("\(scene.feed.feed)/metadata").removeTree("1.root.json")
    #expect(await problem { _ = try await scene.export() }?.code == .feedIncomplete, "never an unsigned one")
  }
}

@Suite("An archive in place of a feed") struct ArchiveReadingTests {
  private func opened(_ archive: [UInt8]) throws -> ReleaseArchive {
    try ReleaseArchive(archive, name: "x.tar.zst")
  }

  @Test("an embedded copy from an archive is the one from the feed", arguments: [true, false])
  func embed(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    for marker in ["two", "three"] { try await scene.feed.publish(marker) }
    for number: Int64 in [2, 3] {
      let (from, feed) = (scene.feed.folder.path("from-\(number)"), scene.feed.folder.path("feed-\(number)"))
      _ = try await scene.feed.publisher.embed(version(number), channel: .stable, into: feed)
      let archive = try opened(await scene.export(number))
      scene.feed.wait(days: 100)
      let report = try await Publisher.embed(archive, root: nil, into: from)
      scene.feed.wait(days: -100)
      #expect(report.version == version(number))
      #expect(try run("/usr/bin/diff", ["-r", from, feed]).status == .exited(0))
    }
    guard signed else { return }
    let other = try await ArchiveScene(signed: true)
    let foreign = try readFile(at: "\(other.app)/root.json", maxBytes: 1 << 20)
    let archive = try opened(await scene.export())
    let into = scene.feed.folder.path("refused")
    #expect(await problem { _ = try await Publisher.embed(archive, root: foreign, into: into) } != nil)
    #expect(throws: StorageError.self) { try Directory.open(into) }
  }

  @Test("an import is a publish: the same release, the same feed, file for file", arguments: [true, false])
  func importIsPublish(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    try await scene.feed.publish("two", ids: ["ABC", "DEF", "GHI"]) {
      $0.notes = "two"
      $0.contract = 5
    }
    let archive = try opened(await scene.export())
    let (published, imported) = (try await StoryFeed(signed: signed), try await StoryFeed(signed: signed))
    for feed in [published, imported] { try await feed.publish("one") }
    var request = PublishRequest(importing: archive)
    request.signers = try imported.signers
    let refused = await problem { _ = try await imported.publisher.publish(request) }
    #expect(refused?.code == .noEngine, "the gate is the same")
    request.gate.allowances = [Allowance(.noEngine)]
    let report = try await imported.publisher.publish(request)
    try await published.publish("two", ids: ["ABC", "DEF", "GHI"]) {
      $0.notes = "two"
      $0.contract = 5
    }
    #expect(report.manifest == (try published.live()))
    #expect(try await imported.audit() == published.audit())
    let again = try await imported.publisher.publish(request)
    #expect(again.outcome == .nothingToPublish)
  }

  @Test("what the gate would not let through from files it does not let through from an archive")
  func gate() async throws {
    let scene = try await ArchiveScene(signed: true)
    try await scene.feed.publish("two", ids: ["ABC"]) { $0.allowedRemovals = ["DEF"] }
    let other = try await StoryFeed(signed: false)
    try await other.publish("one")
    var request = PublishRequest(importing: try opened(await scene.export()))
    request.gate.allowances = [Allowance(.noEngine)]
    #expect(await problem { _ = try await other.publisher.publish(request) }?.code == .idsRemoved)
    request.allowedRemovals = ["DEF"]
    #expect(try await other.publisher.publish(request).manifest.version == version(2))
    let stranger = try await ArchiveScene(signed: true)
    request.archiveRoot = try readFile(at: "\(stranger.app)/root.json", maxBytes: 1 << 20)
    #expect(
      await problem { _ = try await other.publisher.publish(request) }?.code.responsibility
        == .untrustedContent)
  }

  @Test("an audit tells what a device would: whole, withdrawn, expired, of another root")
  func audit() async throws {
    let scene = try await ArchiveScene(signed: true)
    for marker in ["two", "three"] { try await scene.feed.publish(marker) }
    let root = try readFile(at: "\(scene.app)/root.json", maxBytes: 1 << 20)
    func codes(_ archive: [UInt8], root: [UInt8]?, days: Int64 = 0) async throws -> [String] {
      let now = scene.feed.now.advanced(bySeconds: days * 86_400)
      return try await Publisher.audit(FeedReader(.archive(opened(archive))), root: root, now: now).findings
        .map(\.code)
    }
    let archive = try await scene.export()
    #expect(try await codes(archive, root: root) == [])
    #expect(try await codes(archive, root: nil) == ["root-of-feed"])
    #expect(try await codes(archive, root: root, days: 40) == ["trust-expired"])
    let other = try await ArchiveScene(signed: true)
    let foreign = try readFile(at: "\(other.app)/root.json", maxBytes: 1 << 20)
    #expect(try await !codes(archive, root: foreign).isEmpty)
    let plain = try await ArchiveScene(signed: false)
    #expect(try await codes(await plain.export(), root: root) == ["archive-invalid"])
    #expect(try await codes(await plain.export(), root: nil) == [])
    try await scene.feed.rollback()
    #expect(try await codes(await scene.export(3), root: root) == ["withdrawn"])
  }

  @Test("check --against an archive is check against the feed at that moment", arguments: [true, false])
  func against(signed: Bool) async throws {
    // The gate asks the clock of this machine.
    let now = Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    let scene = try await ArchiveScene(signed: signed, start: now)
    try await scene.feed.publish("two")
    let archive = try opened(await scene.export())
    let files = try scene.feed.request("three", ids: ["ABC"])
    var reports: [GateReport] = []
    for location in [FeedLocation.directory(scene.feed.feed), .archive(archive)] {
      var request = CheckRequest(bundlePath: files.bundlePath, sourcesPath: files.sourcesPath)
      request.against = .init(location, trust: nil)
      reports.append(try await ReleaseGate().check(request))
    }
    #expect(reports[0].findings.map(\.code) == reports[1].findings.map(\.code))
    #expect(reports[1].findings.contains { $0.code == .idsRemoved })
  }
}
