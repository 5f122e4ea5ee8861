import OTAManifest
import ParserPublisher
import Testing
import TestSupport

@Suite struct CatalogRuleTests {
  static let bundle = Fixtures.bundle(marker: "real", bytes: 5000)

  private func realFeed() async throws -> TestFeed {
    let feed = try await TestFeed()
    let request = try feed.request(bundle: Self.bundle, sources: Fixtures.catalog121)
    _ = try await feed.publisher.publish(request)
    return feed
  }

  @Test(
    "B58: a real catalog that drops four ids is refused with all four names until each one is accounted for")
  func realCatalogs() async throws {
    let feed = try await realFeed()
    let old = try SourceCatalog.decode(Fixtures.catalog121)
    let new = try SourceCatalog.decode(Fixtures.catalog235)
    let removed = CatalogDiff(from: old, to: new).removed.map(\.text)
    #expect(removed.count == 4)
    let bare = try feed.request(bundle: Self.bundle, sources: Fixtures.catalog235)
    let refused = await problem { _ = try await feed.publisher.publish(bare) }
    #expect(refused?.code == .idsRemoved)
    #expect(removed.allSatisfy { refused?.message.contains($0) == true })
    #expect(refused?.kept == "release 1 is still live")

    let target = try #require(CatalogDiff(from: old, to: new).added.first).text
    let covered = try feed.request(bundle: Self.bundle, sources: Fixtures.catalog235) {
      $0.aliases = [SourceAlias(old: removed[0], new: target)]
      $0.allowedRemovals = Array(removed[1...])
    }
    let report = try await feed.publisher.publish(covered)
    #expect(report.outcome == .published && report.warnings.isEmpty)
    #expect(report.diff?.removed.map(\.text) == removed)

    let live = try await feed.checkAsClient()
    let resolver = SourceResolver(catalog: new, aliases: live.aliases)
    for spelling in [removed[0], "JS_\(removed[0])", "parser:\(removed[0])"] {
      guard case .source(let entry) = resolver.resolve(spelling).outcome else {
        Issue.record("\(spelling) resolves to nothing")
        continue
      }
      #expect(entry.id.text == target)
    }
  }

  @Test("B58: a rename is refused with a hint, and with an alias the old references still resolve")
  func rename() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["ABC", "DEF"])
    let sources = String(decoding: Fixtures.smallCatalog(ids: ["ABC", "DEF"]), as: UTF8.self)
      .replacing("\"id\":\"ABC\"", with: "\"id\":\"ABCD\"")
    let bundle = Fixtures.bundle(marker: "two", bytes: 2000)
    let bare = try feed.request(bundle: bundle, sources: Array(sources.utf8))
    let refused = await problem { _ = try await feed.publisher.publish(bare) }
    #expect(refused?.code == .idsRemoved)
    #expect(refused?.advice?.contains("--alias ABC=ABCD (same className)") == true)
    var request = bare
    request.aliases = [SourceAlias(old: "ABC", new: "ABCD")]
    let report = try await feed.publisher.publish(request)
    #expect(report.manifest.aliases == request.aliases)
    // The next release carries the alias on without being told, and asking for it again is no change.
    #expect(try await feed.publisher.publish(request).outcome == .nothingToPublish)
    let later = Fixtures.bundle(marker: "three", bytes: 2000)
    let next = try feed.request(bundle: later, sources: Array(sources.utf8))
    #expect(try await feed.publisher.publish(next).manifest.aliases == request.aliases)
  }

  @Test("a new alias is a change although both files are the same")
  func aliasIsChange() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let report = try await feed.publish("one") { $0.aliases = [SourceAlias(old: "OLD", new: "ABC")] }
    #expect(report.outcome == .published && report.manifest.version == version(2))
    #expect(report.writtenFiles.count == 2)
  }

  @Test("chains lead on: an alias may point at the old id of another one")
  func chain() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["A", "X"])
    try await feed.publish("two", ids: ["B", "X"]) { $0.aliases = [SourceAlias(old: "A", new: "B")] }
    let third = try await feed.publish("three", ids: ["C", "X"]) {
      $0.aliases = [SourceAlias(old: "B", new: "C")]
    }
    let catalog = try SourceCatalog.decode(Fixtures.smallCatalog(ids: ["C", "X"]))
    let resolver = SourceResolver(catalog: catalog, aliases: third.manifest.aliases)
    guard case .source(let entry) = resolver.resolve("JS_A").outcome else {
      Issue.record("A leads nowhere")
      return
    }
    #expect(entry.id.text == "C")
  }

  @Test("an alias whose old id is back in the catalog is dropped")
  func returned() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["A", "X"])
    try await feed.publish("two", ids: ["B", "X"]) { $0.aliases = [SourceAlias(old: "A", new: "B")] }
    let third = try await feed.publish("three", ids: ["A", "B", "X"])
    #expect(third.manifest.aliases.isEmpty)
  }

  @Test(
    "aliases that cannot work are refused by name",
    arguments: [
      ([("ABC", "DEF")], "ABC is still in the new catalog"), ([("js_abc", "DEF")], "js_abc is still"),
      ([("OLD", "GONE")], "GONE is not in the new catalog"), ([("A1", "A2"), ("A2", "A1")], "loop"),
      ([("A1", "A1")], "loop"), ([("A1", "A2"), ("A2", "A3")], "A3 is not in the new catalog"),
      ([("OLD", "ABC"), ("old", "DEF")], "OLD is an alias of ABC already"),
      ([("", "ABC")], "cannot be a source id"),
    ] as [([(String, String)], String)])
  func badAliases(pairs: [(String, String)], expected: String) async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let refused = await problem {
      try await feed.publish("two") { $0.aliases = pairs.map { SourceAlias(old: $0.0, new: $0.1) } }
    }
    #expect(refused?.code == .aliasRefused)
    #expect(refused?.message.contains(expected) == true, "\(refused?.message ?? "accepted")")
  }

  @Test("an allowed removal that removes nothing is a warning; any spelling of an id names it")
  func allowedRemovals() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["ABC", "DEF", "GHI"])
    let report = try await feed.publish("two", ids: ["ABC"]) {
      $0.allowedRemovals = ["JS_DEF", "ghi", "ABC", "NEVER"]
    }
    #expect(report.warnings.count == 2)
    #expect(
      report.warnings[0].hasPrefix("ABC was allowed") && report.warnings[1].hasPrefix("NEVER was allowed"))
  }

  @Test("an id in another spelling is the same source: neither removed nor added, but a changed field")
  func otherSpelling() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["ABC", "DEF"])
    let diff = try #require(try await feed.publish("two", ids: ["parser:ABC", "JS_DEF"]).diff)
    #expect(diff.removed.isEmpty && diff.added.isEmpty)
    #expect(diff.changed.allSatisfy { $0.fields.contains { $0.name == "id" } } && diff.changed.count == 2)
  }
}
