import OTAArchive
import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import OTATransfer
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserPublisher

/// Some releases like those of a real feed, published and taken by devices over a recorded network; `ci/history` does it
/// with thirteen and with the tool.
@Suite("The history of a feed, packed") struct PackedHistoryTests {
  /// Many kilobytes of text that does not repeat itself, as minified code does not.
  private static let base: [UInt8] = {
    var seed: UInt64 = 42
    func next(_ bound: UInt64) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((seed >> 33) % bound)
    }
    let words = (0..<3000).map { _ in
      String((0..<(3 + next(9))).map { _ in Character(UnicodeScalar(UInt8(97 + next(26)))) })
    }
    var text = "var NyoraParsers = {getParser(id, context) {}, getAllSources() {}};\n"
    while text.utf8.count < 60_000 {
      text +=
        "p.\(words[next(3000)])=function(a,b){return \(words[next(3000)])(a.\(words[next(3000)]),\(next(9999)))};\n"
    }
    return Array(text.utf8)
  }()

  /// The bundle of a release: each changes a selector or two, and one of them many.
  private static func bundle(_ version: Int) -> [UInt8] {
    var bytes = base
    for change in 1...version {
      let at = 1000 + change * 7_000
      bytes.replaceSubrange(at..<at + 24, with: Array("/* fix \(change) of the day */".utf8.prefix(24)))
      guard change == 3 else { continue }
      for place in stride(from: 500, to: 59_000, by: 90) {
        bytes.replaceSubrange(place..<place + 12, with: Array("x\(place * 31).q()".utf8.prefix(12)))
      }
    }
    return bytes
  }

  private static let catalog = Fixtures.smallCatalog(ids: (0..<80).map { "SOURCE\($0)" })

  private struct World {
    let feed: SignedFeed
    let network = MemoryFeed()

    func publish(_ version: Int, _ change: (inout PublishRequest) -> Void = { _ in }) async throws {
      let (bundle, sources) = (feed.folder.path("b.js"), feed.folder.path("s.json"))
      try plantFile(PackedHistoryTests.bundle(version), at: bundle)
      try plantFile(PackedHistoryTests.catalog, at: sources)
      var request = requestWithoutEngine(bundlePath: bundle, sourcesPath: sources)
      request.signers = [try signer(2)]
      change(&request)
      _ = try await feed.publisher.publish(request)
      try deploy()
    }

    func deploy() throws { network.files = try feed.contents() }

    private func plantFile(_ bytes: [UInt8], at path: String) throws {
      plant(bytes, at: path)
    }

    /// A device that embeds what `app` holds.
    func device(_ name: String) throws -> Updater {
      let app = feed.folder.path("app")
      var configuration = UpdaterConfiguration(
        directory: feed.folder.path("store-\(name)"), feed: MemoryFeed.location,
        trust: .root(try readFile(at: "\(app)/root.json", maxBytes: 1 << 20)), embedded: .directory(app))
      configuration.allowsPlainHTTPOnLoopback = true
      return Updater(configuration, reader: network.reader, now: { TestFeed.date })
    }

    /// Takes the newest release; the paths that were asked for and the bytes that came.
    func take(_ name: String) async throws -> (paths: [String], bytes: Int) {
      _ = network.takeRequests()
      let device = try device(name)
      _ = try await device.update()
      let launched = device.activate()
      device.confirm(launched)
      let paths = network.takeRequests()
      return (paths, paths.reduce(0) { $0 + (network.files[$1]?.count ?? 0) })
    }
  }

  private static func gzip(_ bytes: [UInt8]) throws -> Int {
    try run("/usr/bin/env", ["gzip", "-9", "-c"], stdin: bytes).stdout.count
  }

  @Test("a device that follows takes a fraction of a compressed download, and every base works")
  func replay() async throws {
    let world = World(feed: try await SignedFeed())
    try await world.publish(1)
    _ = try await world.feed.publisher.embed(nil, channel: .stable, into: world.feed.folder.path("app"))
    var (gzipped, carried) = (0, 0)
    for version in 2...6 {
      try await world.publish(version)
      let manifest = try Manifest.decode(world.feed.read("manifest.json"))
      let taken = try await world.take("each")
      let compressed = try Self.gzip(Self.bundle(version))
      (gzipped, carried) = (gzipped + compressed, carried + taken.bytes)
      #expect(manifest.bundle.patches.count == version - 1)
      #expect(!taken.paths.contains { $0.hasSuffix(".js") }, "\(version): \(taken.paths)")
      if version != 3 {
        #expect(taken.paths == [FeedLayout.express], "\(version): \(taken.paths)")
        #expect(taken.bytes < 1400 + version * 250, "\(version): \(taken.bytes)")
      }
      // The embedded release is a base for everybody, however old it is.
      if version == 5 {
        let skipped = try await world.take("skips")
        #expect(skipped.paths.count <= 3 && skipped.bytes < compressed / 2, "\(skipped)")
      }
    }
    #expect(carried * 5 < gzipped, "\(carried) of \(gzipped)")
    let report = try await Publisher.audit(
      FeedReader(.directory(world.feed.feed)), root: try world.feed.read("metadata/1.root.json"),
      now: TestFeed.date)
    #expect(report.findings == [])
    try await rollBack(world)
  }

  private func rollBack(_ world: World) async throws {
    _ = try await world.feed.publisher.rollback(RollbackRequest(signers: [try signer(2)]))
    try world.deploy()
    let taken = try await world.take("each")
    #expect(taken.paths == [FeedLayout.express], "the content is on the device already")
    let manifest = try Manifest.decode(world.feed.read("manifest.json"))
    let left = try sha256(Self.bundle(6))
    #expect(manifest.version == .number(7) && manifest.bundle.patches.first?.from == left)
    let names = try world.feed.tree().filter { $0.hasSuffix(".zst") && !$0.contains("express") }
    #expect(Set(names.map { String($0.dropFirst(2)) }) == Set(manifest.forms.map(\.location.text)))
    let fresh = try await world.take("fresh")
    #expect(fresh.paths.count == 2, "\(fresh)")
  }
}
