import OTAFeed
import OTAManifest
import OTAStorage
import Synchronization
import Testing
import TestSupport

@testable import ParserPublisher

@Suite struct InterruptionTests {
  /// A publisher in memory with two sets of inputs.
  struct Setting {
    let host: MemoryHost
    let folder: TemporaryDirectory
    let publisher: Publisher

    init(_ host: MemoryHost = MemoryHost()) throws {
      self.host = host
      folder = try TemporaryDirectory()
      publisher = Publisher(host: host, place: "memory") { TestFeed.date }
    }

    func request(_ marker: String, ids: [String]) throws -> PublishRequest {
      let bundle = folder.path("\(marker).js")
      let sources = folder.path("\(marker).json")
      try durablyReplaceFile(at: bundle, with: Fixtures.bundle(marker: marker, bytes: 2000))
      try durablyReplaceFile(at: sources, with: Fixtures.smallCatalog(ids: ids))
      return requestWithoutEngine(bundlePath: bundle, sourcesPath: sources)
    }

    func old() throws -> PublishRequest { try request("old", ids: ["ABC"]) }
    func new() throws -> PublishRequest { try request("new", ids: ["ABC", "DEF"]) }
  }

  @Test("B01: the pointer is the last write, and every write leaves a whole release for clients")
  func order() async throws {
    let seen = Mutex<[ReleaseVersion?]>([])
    let setting = try Setting(
      MemoryHost { host, path in
        do {
          let version = try host.clientVersion()
          seen.withLock { $0.append(version) }
        } catch { Issue.record("after \(path) a client finds a broken feed: \(error)") }
      })
    _ = try await setting.publisher.publish(setting.old())
    setting.host.failAtPut(nil)
    seen.withLock { $0 = [] }
    let report = try await setting.publisher.publish(setting.new())
    // The page for people comes when the release is out.
    let pages = [FeedLayout.pending, FeedLayout.page, ".parser-ota/page.json"]
    let puts = setting.host.puts.filter { !pages.contains($0) }
    #expect(puts == report.writtenFiles)
    let kinds = ["parsers.bundle.js", ".sources.json", ".manifest.json", "manifest.json"]
    #expect(puts.count == kinds.count && zip(puts, kinds).allSatisfy { $0.hasSuffix($1) })
    #expect(puts.last == "manifest.json")
    // The pointer, then the page and what it remembers.
    #expect(seen.withLock { $0 }.dropLast(3).allSatisfy { $0 == version(1) })
    #expect(seen.withLock { $0 }.suffix(3) == [version(2), version(2), version(2)])
  }

  @Test(
    "B41: whichever write fails, the old release is whole, and the same command finishes the job",
    arguments: 1...5)
  func failure(number: Int) async throws {
    let undisturbed = try Setting()
    _ = try await undisturbed.publisher.publish(undisturbed.old())
    _ = try await undisturbed.publisher.publish(undisturbed.new())

    let setting = try Setting()
    _ = try await setting.publisher.publish(setting.old())
    setting.host.failAtPut(number)
    let refused = await problem { _ = try await setting.publisher.publish(setting.new()) }
    #expect(refused?.code == .storageFailed)
    #expect(refused?.kept == "release 1 is still live")
    #expect(try setting.host.clientVersion() == version(1))
    #expect(try await setting.publisher.releases().map(\.version) == [version(1)])
    setting.host.failAtPut(nil)
    let report = try await setting.publisher.publish(setting.new())
    #expect(report.outcome == .published && report.manifest.version == version(2))
    #expect(setting.host.files == undisturbed.host.files)
  }

  @Test("an interrupted first publish is finished, too", arguments: 1...5)
  func firstFailure(number: Int) async throws {
    let setting = try Setting()
    setting.host.failAtPut(number)
    let refused = await problem { _ = try await setting.publisher.publish(setting.old()) }
    #expect(refused?.kept == "nothing was published")
    setting.host.failAtPut(nil)
    #expect(try await setting.publisher.publish(setting.old()).manifest.version == .first)
    // Settings, two files, two manifests, the mark of the layout; the page and what it remembers.
    #expect(setting.host.files.count == 8)
  }

  @Test("B41: other content after an interruption takes the number, and nothing of the first try is left")
  func otherContent() async throws {
    let setting = try Setting()
    _ = try await setting.publisher.publish(setting.old())
    setting.host.failAtPut(5)
    #expect(await problem { _ = try await setting.publisher.publish(setting.new()) } != nil)
    setting.host.failAtPut(nil)
    let report = try await setting.publisher.publish(setting.request("third", ids: ["ABC"]))
    #expect(report.manifest.version == version(2) && report.manifest.parentVersion == version(1))
    // Settings; two manifests and two bundles; one catalog, which both share; the pointer; the page and what it remembers.
    #expect(setting.host.files.count == 10)
  }

  @Test("a crash after the pointer was written leaves a live release, and the same command only tidies up")
  func crashAfterPointer() async throws {
    let setting = try Setting()
    _ = try await setting.publisher.publish(setting.old())
    let done = try await setting.publisher.publish(setting.new())
    let name = ReleaseName(version: done.manifest.version, manifest: done.manifestDigest)
    let whole = setting.host.files
    try setting.host.replace(FeedLayout.pending, with: name.encoded())
    #expect(try await setting.publisher.releases().map(\.version) == [version(2), version(1)])
    #expect(try await setting.publisher.publish(setting.new()).outcome == .nothingToPublish)
    #expect(setting.host.files == whole)
  }

  @Test("B77: bytes that change on their way to the host stop the publish before anything is live")
  func damagedOnTheWay() async throws {
    let setting = try Setting()
    let first = try await setting.publisher.publish(setting.old())
    let dry = try setting.new()
    var request = dry
    request.dryRun = true
    let path = try await setting.publisher.publish(request).manifest.bundle.location.text
    setting.host.state.withLock { $0.damagedPath = path }
    let refused = await problem { _ = try await setting.publisher.publish(dry) }
    #expect(refused?.code == .digestMismatch)
    #expect(refused?.message.contains(path) == true)
    #expect(try setting.host.clientVersion() == first.manifest.version)
    setting.host.state.withLock { $0.damagedPath = nil }
    #expect(try await setting.publisher.publish(dry).outcome == .published)
    #expect(try setting.host.clientVersion() == version(2))
  }

  @Test("B77: an input that is rewritten after it was hashed is published as it was hashed")
  func rewrittenInput() async throws {
    let folder = try TemporaryDirectory()
    let bundle = folder.path("parsers.bundle.js")
    let host = MemoryHost { _, _ in
      do {
        try durablyReplaceFile(at: bundle, with: Fixtures.bundle(marker: "late", bytes: 2000))
      } catch { Issue.record("\(error)") }
    }
    let early = Fixtures.bundle(marker: "early", bytes: 2000)
    try durablyReplaceFile(at: bundle, with: early)
    try durablyReplaceFile(at: folder.path("sources.json"), with: Fixtures.smallCatalog(ids: ["ABC"]))
    let publisher = Publisher(host: host, place: "memory") { TestFeed.date }
    let report = try await publisher.publish(
      requestWithoutEngine(bundlePath: bundle, sourcesPath: folder.path("sources.json")))
    #expect(host.files[report.manifest.bundle.location.text] == early)
    #expect(try host.clientVersion() == .first)
  }

  @Test("a pointer that somebody changes while files are written is not overwritten")
  func pointerMoved() async throws {
    let setting = try Setting(
      MemoryHost { host, path in
        guard path.hasSuffix(".sources.json"), host.files["manifest.json"] != nil else { return }
        host.state.withLock { $0.files["manifest.json"]?.append(0x20) }
      })
    _ = try await setting.publisher.publish(setting.old())
    let refused = await problem { _ = try await setting.publisher.publish(setting.new()) }
    #expect(refused?.code == .conflict)
    #expect(try setting.host.clientVersion() == version(1))
  }
}
