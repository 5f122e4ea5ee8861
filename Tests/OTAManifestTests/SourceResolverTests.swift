import OTAManifest
import TestSupport
import Testing

/// A resolution as one word: an id, `mihon:<n>` or the name of the outcome.
private func word(_ resolution: SourceResolution) -> String {
  switch resolution.outcome {
  case .source(let entry): entry.id.text
  case .local: "<local>"
  case .unknown: "<unknown>"
  case .empty: "<empty>"
  case .mihon(let number): "<mihon \(number)>"
  case .unresolved: "<unresolved>"
  }
}

private func resolver(_ ids: [String], _ aliases: [(String, String)] = []) throws -> SourceResolver {
  SourceResolver(
    catalog: try SourceCatalog.decode(Fixtures.smallCatalog(ids: ids)),
    aliases: aliases.map { SourceAlias(old: $0.0, new: $0.1) })
}

@Suite("Stored references are resolved by one set of rules")
struct SourceResolverTests {
  private static let ids = [
    "ABC", "ABC_JA", "6DIGIT", "JS_TAGGED", "parser:SCHEMED", "Mixed-Case", "caf\u{E9}",
  ]

  @Test(
    "B25, B27: every spelling leads to the same entry",
    arguments: [
      ("ABC", "ABC"), ("parser:ABC", "ABC"), ("JS_ABC", "ABC"), ("script:ABC", "ABC"), ("abc", "ABC"),
      (" ABC ", "ABC"), ("\t\r\n\u{B}\u{C}ABC\u{A0}\u{FEFF}\u{200B}", "ABC"), ("\u{FEFF}abc", "ABC"),
      ("parser:JS_ABC", "ABC"), ("script:JS_ABC", "ABC"), ("Parser:abc", "ABC"), ("SCRIPT:js_abc", "ABC"),
      ("js_ABC", "ABC"), ("JS_ABC_JA", "ABC_JA"), ("6DIGIT", "6DIGIT"), ("JS_6digit", "6DIGIT"),
      ("mixed-case", "Mixed-Case"), ("caf\u{E9}", "caf\u{E9}"), ("JS_cafe\u{301}", "caf\u{E9}"),
      ("CAF\u{E9}", "caf\u{E9}"), ("CAF\u{C9}", "caf\u{E9}"),
      ("JS_CAFE\u{301}", "caf\u{E9}"), ("\u{FF21}\u{FF22}\u{FF23}", "ABC"), ("A\u{200D}BC", "ABC"),
    ])
  func spellings(reference: String, expected: String) throws {
    #expect(word(try resolver(Self.ids).resolve(reference)) == expected)
  }

  @Test(
    "B25: ids that carry a prefix in the catalog are found by their bare name",
    arguments: [
      ("JS_TAGGED", "JS_TAGGED"), ("TAGGED", "JS_TAGGED"), ("parser:TAGGED", "JS_TAGGED"),
      ("JS_JS_TAGGED", "JS_TAGGED"), ("js_js_tagged", "JS_TAGGED"), ("parser:JS_TAGGED", "JS_TAGGED"),
      ("SCHEMED", "parser:SCHEMED"), ("script:parser:SCHEMED", "parser:SCHEMED"),
      ("JS_parser:SCHEMED", "parser:SCHEMED"), ("JS_SCHEMED", "parser:SCHEMED"),
    ])
  func prefixedIDs(reference: String, expected: String) throws {
    #expect(word(try resolver(Self.ids).resolve(reference)) == expected)
  }

  @Test(
    "B27: prefixes come off at the start and once; what is left is unresolved with its text",
    arguments: [
      "JS_JS_ABC", "script:parser:ABC", "parser:parser:ABC", "JS_parser:ABC", "xparser:ABC", "parser:",
      "script:",
      "JS_", "js_", "parser:JS_", "parser: ABC", "ABC ABC", "JS_\u{301}ABC", "ABCD", "AB", "parser:LOCAL",
      "[]",
      "[\"ABC\"]", "null", "true",
    ])
  func unresolved(reference: String) throws {
    let resolution = try resolver(["ABC", "OTHER"]).resolve(reference)
    #expect(word(resolution) == "<unresolved>")
    #expect(resolution.syncedForm == reference)
  }

  @Test(
    "B27: an odd id is found by exactly that text",
    arguments: [
      "JS_", "parser:", "xparser:ABC", "LOCAL", "UNKNOWN", "MIHON_7", "7", "content:x",
    ])
  func oddIDs(id: String) throws {
    #expect(word(try resolver(["OTHER", id]).resolve(id)) == id)
  }

  @Test("a whole id wins over one that only its bare form makes equal")
  func wholeFirst() throws {
    let resolver = try resolver(["JS_parser:ABC", "ABC"])
    #expect(word(resolver.resolve("parser:ABC")) == "ABC")
    #expect(word(resolver.resolve("JS_parser:ABC")) == "JS_parser:ABC")
  }

  @Test(
    "LOCAL and UNKNOWN in any case, and as the type of an object without a name",
    arguments: [
      ("LOCAL", "<local>"), ("local", "<local>"), (" Local ", "<local>"), ("UNKNOWN", "<unknown>"),
      (#"{"name":"LOCAL"}"#, "<local>"), (#"{"type":"org.example.MangaSourceRef.Local"}"#, "<local>"),
      (#"{"type":"org.example.MangaSourceRef.Unknown"}"#, "<unknown>"),
      (#"{"type":"x.Unknown","name":""}"#, "<unknown>"),
      (#"{"type":"x.Unknown","name":"ABC"}"#, "ABC"), (#"{"type":"Unknown"}"#, "<unresolved>"),
      ("", "<empty>"), (" \n\u{A0}", "<empty>"),
    ])
  func words(reference: String, expected: String) throws {
    #expect(word(try resolver(["ABC"]).resolve(reference)) == expected)
  }

  @Test(
    "content: and data: references match by slug",
    arguments: [
      ("data:asura-scans", "ASURA_SCANS"), ("content:Asura_Scans", "ASURA_SCANS"),
      ("DATA:asura-scans", "ASURA_SCANS"),
      (#"{"source":"data:asura-scans"}"#, "ASURA_SCANS"), ("data:tagged", "JS_TAGGED"),
      ("content:a-b", "<unresolved>"), ("data:", "<unresolved>"), ("data:asura", "<unresolved>"),
      ("asura-scans", "<unresolved>"), ("data:older", "ASURA_SCANS"),
    ])
  func slugs(reference: String, expected: String) throws {
    let resolver = try resolver(["ASURA_SCANS", "JS_TAGGED", "A_B", "A-B"], [("OLDER", "ASURA_SCANS")])
    #expect(word(resolver.resolve(reference)) == expected)
  }

  @Test("B28: a batch keeps its order, and what is gone resolves again when it returns")
  func batch() throws {
    let ids = (0..<100).map { "SOURCE\($0)" }
    let references = (0..<1000).map { index in
      index % 100 == 7
        ? SourceReference(text: " JS_GONE\(index)\n", lastKnownTitle: "Title \(index)")
        : SourceReference(text: "parser:source\(index % 100)")
    }
    let resolutions = try resolver(ids).resolve(references)
    #expect(resolutions.count == 1000)
    let lost = resolutions.enumerated().filter { word($0.element) == "<unresolved>" }
    #expect(lost.map(\.offset) == (0..<10).map { 100 * $0 + 7 })
    for (index, resolution) in lost {
      #expect(resolution.reference == references[index].text)
      #expect(resolution.syncedForm == references[index].text)
      #expect(resolution.lastKnownTitle == "Title \(index)")
    }
    let later = try resolver(ids + lost.map { "GONE\($0.offset)" }).resolve(references)
    #expect(!later.contains { word($0) == "<unresolved>" })
    #expect(word(later[107]) == "GONE107")
  }

  @Test(
    "B30: numbers of another client are kept digit for digit",
    arguments: [
      ("MIHON_1234567890123456789", "<mihon 1234567890123456789>"),
      ("mihon:1234567890123456789", "<mihon 1234567890123456789>"),
      ("1234567890123456789", "<mihon 1234567890123456789>"),
      (#"{"id":1234567890123456789}"#, "<mihon 1234567890123456789>"),
      (#"{"name":"MIHON_1"}"#, "<mihon 1>"), (#"{"source":42}"#, "<mihon 42>"), ("\"42\"", "<mihon 42>"),
      ("mihon_9223372036854775807", "<mihon 9223372036854775807>"),
      ("MIHON_9223372036854775808", "<unresolved>"), ("MIHON_12345678901234567890", "<unresolved>"),
      ("MIHON_99999999999999999999999999", "<unresolved>"), ("MIHON_abc", "<unresolved>"),
      ("MIHON_", "<unresolved>"),
      ("MIHON_-1", "<unresolved>"), ("MIHON_+1", "<unresolved>"), ("MIHON_0", "<unresolved>"),
      ("0", "<unresolved>"),
      ("007", "<unresolved>"), ("-7", "<unresolved>"), ("+7", "<unresolved>"), ("7.0", "<unresolved>"),
      ("MIHON_ 7", "<unresolved>"), ("mihon:mihon:7", "<unresolved>"), ("MIHON_\u{661}", "<unresolved>"),
      (#"{"id":0}"#, "<unresolved>"), (#"{"id":-7}"#, "<unresolved>"), (#"{"id":7.0}"#, "<unresolved>"),
      (#"{"id":7e3}"#, "<unresolved>"), (#"{"id":12345678901234567890}"#, "<unresolved>"),
    ])
  func numbers(reference: String, expected: String) throws {
    let resolution = try resolver(["ABC"]).resolve(reference)
    #expect(word(resolution) == expected)
    if expected == "<unresolved>" { #expect(resolution.syncedForm == reference) }
  }

  @Test("B30: different unknown references never become the same source")
  func neverEqual() throws {
    let resolver = try resolver(["ABC", "DEF"])
    let different = [
      "MIHON_abc", "MIHON_", "MIHON_0", "", " ", "nothing", "Nothing", "caf\u{E9}", "cafe\u{301}", "UNKNOWN",
      "MIHON_1", "MIHON_2", "ABC", "DEF", "LOCAL", "{}", "{ }",
    ].map(resolver.resolve)
    for (index, left) in different.enumerated() {
      for right in different[(index + 1)...] {
        #expect(!left.isSameSource(as: right), "\(left.reference) and \(right.reference)")
      }
    }
    #expect(resolver.resolve("JS_ABC").isSameSource(as: resolver.resolve("abc")))
    #expect(resolver.resolve("MIHON_7").isSameSource(as: resolver.resolve("7")))
    #expect(resolver.resolve("gone").isSameSource(as: resolver.resolve("gone")))
  }

  @Test("the synced form of every entry leads back to it, also for ids that begin with a prefix")
  func roundTrip() throws {
    let odd = [
      "JS_ABC", "parser:DEF", "script:JS_GHI", "JS_", "LOCAL", "MIHON_5", "12", "\"q\"", "{", "data:x",
      "e\u{301}",
    ]
    for bytes in [Fixtures.catalog121, Fixtures.catalog235, Fixtures.smallCatalog(ids: odd)] {
      let catalog = try SourceCatalog.decode(bytes)
      let resolver = SourceResolver(catalog: catalog)
      for entry in catalog.entries {
        let written = resolver.resolve("JS_" + entry.id.text).syncedForm
        #expect(word(resolver.resolve(written)) == entry.id.text)
        #expect(resolver.resolve(written).syncedForm == written)
      }
    }
    let resolver = try resolver(["ABC", "JS_DEF"])
    #expect(resolver.resolve("parser:abc").syncedForm == #"{"name":"JS_ABC"}"#)
    #expect(resolver.resolve("JS_DEF").syncedForm == #"{"name":"JS_JS_DEF"}"#)
    #expect(resolver.resolve("local").syncedForm == #"{"name":"LOCAL"}"#)
    #expect(resolver.resolve("unknown").syncedForm == #"{"name":"UNKNOWN"}"#)
    #expect(resolver.resolve("7").syncedForm == #"{"name":"MIHON_7"}"#)
    #expect(word(resolver.resolve(#"{"name":"MIHON_7"}"#)) == "<mihon 7>")
  }

  @Test("a batch costs the same for each reference, whatever the size of the catalog")
  func linear() throws {
    let catalog = try SourceCatalog.decode(Fixtures.smallCatalog(ids: (0..<10_000).map { "SOURCE_\($0)_EN" }))
    let resolver = SourceResolver(catalog: catalog)
    let spellings = ["", "JS_", "parser:"]
    let references = (0..<100_000).map { index in
      SourceReference(text: "\(spellings[index % 3])SOURCE_\(index % 10_100)_EN")
    }
    var found = 0
    let few = threadSeconds { found += resolver.resolve(references.prefix(10_000)).count }
    let many = threadSeconds { found += resolver.resolve(references).count }
    #expect(found == 110_000)
    #expect(many / few < 20)
  }
}
