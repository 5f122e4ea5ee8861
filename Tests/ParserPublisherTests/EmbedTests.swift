import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import TestSupport
import Testing

@Suite struct EmbedTests {
  @Test("embed writes the live pair, its very manifest and a constant that compiles")
  func live() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let live = try await feed.publish("two").manifest
    let target = feed.folder.path("app/Resources")
    let report = try await feed.publisher.embed(nil, channel: .stable, into: target)
    #expect(report.version == version(2) && report.replaced == nil && report.directory == target)
    #expect(
      report.files == ["parsers.bundle.js", "sources.json", "ParserOTAEmbedded.swift", "manifest.json"])
    func read(_ name: String) throws -> [UInt8] { try readFile(at: "\(target)/\(name)", maxBytes: 1_000_000) }
    #expect(try read("manifest.json") == feed.read("manifest.json"))
    #expect(try read("parsers.bundle.js") == feed.read(live.bundle.location.text))
    #expect(try read("sources.json") == feed.read(live.sources.location.text))

    let use = """
      let version: Int64 = EmbeddedParserRelease.version
      let digests = [
        EmbeddedParserRelease.bundleSHA256, EmbeddedParserRelease.sourcesSHA256, EmbeddedParserRelease.manifestSHA256,
      ]
      """
    let main = try feed.write("main.swift", Array(use.utf8))
    let swiftc = try run("/usr/bin/env", ["swiftc", "-typecheck", "\(target)/ParserOTAEmbedded.swift", main])
    #expect(swiftc.status == .exited(0), "\(swiftc.errors)")
    let source = String(decoding: try read("ParserOTAEmbedded.swift"), as: UTF8.self)
    #expect(source.contains("version: Int64 = 2\n") && source.contains("\"\(live.bundle.sha256)\""))
  }

  @Test("an older release may replace a newer copy, and the report says so")
  func older() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let target = feed.folder.path("app")
    _ = try await feed.publisher.embed(nil, channel: .stable, into: target)
    let report = try await feed.publisher.embed(version(1), channel: .stable, into: target)
    #expect(report.version == version(1) && report.replaced == version(2))
    #expect(
      try Manifest.decode(readFile(at: "\(target)/manifest.json", maxBytes: 70_000)).version == version(1))
  }

  @Test(
    "a release or channel that is not there is refused with a list, a damaged file by name; nothing is written"
  )
  func refused() async throws {
    let feed = try await TestFeed()
    let live = try await feed.publish("one").manifest
    let target = feed.folder.path("app")
    let missing = await problem {
      _ = try await feed.publisher.embed(version(9), channel: .stable, into: target)
    }
    #expect(missing?.code == .noSuchRelease)
    #expect(missing?.message == "release 9 is not on the feed; available: 1")
    let beta = try #require(Channel("beta"))
    #expect(
      await problem { _ = try await feed.publisher.embed(nil, channel: beta, into: target) }?.code
        == .noSuchRelease)
    let path = live.bundle.location.text
    try durablyReplaceFile(at: "\(feed.feed)/\(path)", with: Fixtures.bundle(marker: "bad", bytes: 2000))
    let damaged = await problem { _ = try await feed.publisher.embed(nil, channel: .stable, into: target) }
    #expect(damaged?.code == .feedIncomplete && damaged?.message.contains("\(path) is damaged") == true)
    #expect(try !feed.folder.names().contains("app"))
  }

  @Test("A7: a copy is never mixed with other things, not even under its own names")
  func foreign() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    for name in ["photo.jpg", "manifest.json"] {
      let target = feed.folder.path("app-\(name)")
      _ = try Directory.create(target)
      try durablyReplaceFile(at: "\(target)/\(name)", with: Array("{}".utf8))
      let refused = await problem { _ = try await feed.publisher.embed(nil, channel: .stable, into: target) }
      #expect(refused?.code == .foreignFolder)
      #expect(try listTree(target) == ["./\(name)"])
    }
  }
}
