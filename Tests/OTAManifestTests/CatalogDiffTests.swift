import OTAManifest
import TestSupport
import Testing

@Suite("The difference of two catalogs tells a maintainer what readers will notice")
struct CatalogDiffTests {
  private func catalog(_ ids: [String], _ edits: (String, String)...) throws -> SourceCatalog {
    var text = String(decoding: Fixtures.smallCatalog(ids: ids), as: UTF8.self)
    for (old, new) in edits {
      #expect(text.contains(old))
      text = text.replacing(old, with: new)
    }
    return try SourceCatalog.decode(Array(text.utf8))
  }

  @Test("equal catalogs do not differ, in another order either")
  func same() throws {
    #expect(CatalogDiff(from: try catalog(["A", "B"]), to: try catalog(["A", "B"])).isEmpty)
    #expect(CatalogDiff(from: try catalog(["A", "B"]), to: try catalog(["B", "A"])).isEmpty)
  }

  @Test("B58: added and removed ids come in the order of their catalogs")
  func addedAndRemoved() throws {
    let diff = CatalogDiff(
      from: try catalog(["Z", "A", "K", "B"]), to: try catalog(["Y", "A", "X", "B"]))
    #expect(diff.removed.map(\.text) == ["Z", "K"])
    #expect(diff.added.map(\.text) == ["Y", "X"])
    #expect(diff.changed.isEmpty && diff.renameCandidates.isEmpty && !diff.isEmpty)
  }

  @Test("B58: a new title, locale, domain, flag or override changes the entry, never its identity")
  func changed() throws {
    let diff = CatalogDiff(
      from: try catalog(["ABC", "DEF"]),
      to: try catalog(
        ["ABC", "DEF"], (#""title":"ABC","locale":"en""#, #""title":"New","locale":"fr""#),
        ("abc.example", "new.example"),
        (#"false,"overrides":{}},"#, #"true,"overrides":{"a":1}},"#)))
    #expect(diff.added.isEmpty && diff.removed.isEmpty && diff.renameCandidates.isEmpty)
    #expect(diff.changed.map(\.id.text) == ["ABC"])
    let fields = try #require(diff.changed.first?.fields)
    #expect(fields.map(\.name) == ["title", "locale", "domain", "isNsfw", "overrides"])
    #expect(fields[2].old == .string("abc.example") && fields[2].new == .string("new.example"))
    #expect(fields[3].old == .bool(false) && fields[3].new == .bool(true))
  }

  @Test("B58: an id in another spelling stays the same source")
  func respelt() throws {
    let diff = CatalogDiff(
      from: try catalog(["ABC"]), to: try catalog(["JS_abc"], ("JSabcParser", "ABCParser")))
    #expect(diff.added.isEmpty && diff.removed.isEmpty)
    #expect(diff.changed.first?.fields.first?.name == "id")
  }

  @Test("B58: a removed id whose class or domain reappears is offered as a rename, class first, each id once")
  func renames() throws {
    let diff = CatalogDiff(
      from: try catalog(["OLD", "GONE", "LOST"]),
      to: try catalog(
        ["NEXT", "AFTER", "THIRD"], ("AFTERParser", "OLDParser"), ("next.example", "old.example"),
        ("third.example", "gone.example")))
    #expect(
      diff.renameCandidates.map { [$0.removed.text, $0.added.text, $0.sharedField] }
        == [["OLD", "AFTER", "className"], ["GONE", "THIRD", "domain"]])
  }

  @Test("a step between two real catalogs lists what came and went")
  func real() throws {
    let old = try SourceCatalog.decode(Fixtures.catalog121)
    let new = try SourceCatalog.decode(Fixtures.catalog235)
    let diff = CatalogDiff(from: old, to: new)
    #expect(old.entries.count - diff.removed.count + diff.added.count == new.entries.count)
    let back = CatalogDiff(from: new, to: old)
    #expect(back.added == diff.removed && back.removed == diff.added)
  }
}
