import OTAManifest
import TestSupport
import Testing

@Suite("Renamed sources are found under their old ids")
struct SourceAliasTests {
  /// The id that a reference resolves to, and the alias that it took; `nil` when it does not resolve.
  private func found(_ reference: String, _ ids: [String], _ aliases: [(String, String)]) throws -> [String]?
  {
    let resolver = SourceResolver(
      catalog: try SourceCatalog.decode(Fixtures.smallCatalog(ids: ids)),
      aliases: aliases.map { SourceAlias(old: $0.0, new: $0.1) })
    guard case .source(let entry) = resolver.resolve(reference).outcome else { return nil }
    return [entry.id.text, resolver.resolve(reference).viaAlias?.text].compactMap(\.self)
  }

  @Test(
    "B58: an alias is followed from every spelling of the old id, to every spelling of the new one",
    arguments: [
      ("OLD", "NEW"), ("JS_OLD", "NEW"), ("parser:JS_OLD", "NEW"), ("old", "NEW"),
      (#"{"name":"JS_OLD"}"#, "NEW"),
      ("content:old", "NEW"), (" OLD ", "JS_NEW"), ("OLD", "parser:new"),
    ])
  func spellings(reference: String, new: String) throws {
    #expect(try found(reference, ["NEW"], [("OLD", new)]) == ["NEW", "OLD"])
    #expect(try found(reference, ["NEW"], [("JS_OLD", new)]) == ["NEW", "JS_OLD"])
  }

  @Test("B58: chains are followed to their end, loops and dead ends stay unresolved")
  func chains() throws {
    let chain = [("C", "ABCD"), ("A", "B"), ("B", "JS_C")]
    #expect(try found("JS_A", ["ABCD"], chain) == ["ABCD", "A"])
    #expect(try found("B", ["ABCD"], chain) == ["ABCD", "B"])
    let loop = [("A", "B"), ("B", "C"), ("C", "B"), ("SELF", "SELF"), ("TWIN", "js_twin"), ("DEAD", "END")]
    for start in ["A", "B", "C", "SELF", "TWIN", "DEAD"] {
      #expect(try found(start, ["ABCD"], loop) == nil, "\(start)")
    }
    #expect(try found("ABCD", ["ABCD"], loop) == ["ABCD"])
  }

  @Test("B58: the text of a reference into a loop is kept")
  func loopText() throws {
    let resolver = SourceResolver(
      catalog: try SourceCatalog.decode(Fixtures.smallCatalog(ids: ["ABC"])),
      aliases: [SourceAlias(old: "A", new: "B"), SourceAlias(old: "B", new: "A")])
    #expect(resolver.resolve("JS_A").syncedForm == "JS_A")
    #expect(resolver.resolve("JS_A").viaAlias == nil)
  }

  @Test("B58: an old id that the catalog still has wins over its alias, in any spelling")
  func entryWins() throws {
    for old in ["ABC", "JS_ABC", "abc"] {
      for reference in ["ABC", "JS_ABC", "abc", "parser:ABC"] {
        #expect(try found(reference, ["ABC", "DEF"], [(old, "DEF")]) == ["ABC"])
      }
    }
    #expect(try found("data:a-b", ["A_B", "A-B", "DEF"], [("A_B", "DEF")]) == nil)
    #expect(try found("A", ["ABC", "DEF"], [("A", "ABC"), ("ABC", "DEF")]) == ["ABC", "A"])
  }

  @Test("an alias may name another client's number; one that no catalog could hold never matches")
  func odd() throws {
    #expect(try found("MIHON_7", ["ABC"], [("MIHON_7", "ABC")]) == ["ABC", "MIHON_7"])
    #expect(try found("", ["ABC"], [("", "ABC"), ("\n", "ABC")]) == nil)
    #expect(try found("OLD", ["ABC", "DEF"], [("OLD", "ABC"), ("old", "DEF")]) == ["ABC", "OLD"])
  }

  @Test("the synced form of a renamed source is its new id")
  func synced() throws {
    let resolver = SourceResolver(
      catalog: try SourceCatalog.decode(Fixtures.smallCatalog(ids: ["NEW"])),
      aliases: [SourceAlias(old: "OLD", new: "NEW")])
    #expect(resolver.resolve("JS_OLD").syncedForm == #"{"name":"JS_NEW"}"#)
  }

  @Test("a chain and a loop of thousands of aliases end, each step taken once")
  func long() throws {
    let chain = (0..<3000).map { ("STEP\($0)", "STEP\($0 + 1)") }
    #expect(try found("STEP0", ["STEP3000"], chain.reversed()) == ["STEP3000", "STEP0"])
    #expect(try found("STEP0", ["OTHER"], chain + [("STEP3000", "STEP0")]) == nil)
  }
}
