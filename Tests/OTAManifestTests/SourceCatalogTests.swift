import OTAManifest
import TestSupport
import Testing

@Suite("A source catalog is read whole or refused")
struct SourceCatalogTests {
  /// One good entry as text, with some of its fields replaced or (by `nil`) left out.
  private func entry(_ changes: [String: String?] = [:], extra: String = "") -> String {
    let good = [
      ("id", #""ABC""#), ("className", #""Abc""#), ("title", #""Abc""#), ("locale", #""en""#),
      ("domain", #""abc.example""#), ("family", #""MadaraParser""#), ("isNsfw", "false"), ("overrides", "{}"),
    ]
    let fields = good.compactMap { (name, value) -> String? in
      guard let value = changes[name] ?? value else { return nil }
      return "\"\(name)\":\(value)"
    }
    return "{" + (fields + (extra.isEmpty ? [] : [extra])).joined(separator: ",") + "}"
  }

  private func refusal(_ text: String) -> InputError? {
    #expect(throws: InputError.self) { try SourceCatalog.decode(Array(text.utf8)) }
  }

  @Test("the catalogs of a real feed are read with every field")
  func realCatalogs() throws {
    let small = try SourceCatalog.decode(Fixtures.catalog121)
    let large = try SourceCatalog.decode(Fixtures.catalog235)
    #expect(small.entries.count == 121)
    #expect(large.entries.count == 235)
    let first = try #require(small.entries.first)
    #expect(first.id.text == "GALMIPEL_COM" && first.className == "Galmipel" && first.locale == "en")
    #expect(first.title == "Galmipel.invalid" && first.domain == "dartonyx.invalid")
    #expect(first.family == "MmrcmsParser" && !first.isNsfw && first.overrides.isEmpty)
    #expect(large.entries.map(\.position) == Array(0..<235))
    let id = try #require(SourceID("6NYXPRAVEN"))
    #expect(large[id]?.id == id)
    #expect(small[id] == nil)
  }

  @Test(
    "B29: a bad field refuses the catalog and is named with its index",
    arguments: [
      ("id", nil, .missing), ("id", #""""#, .malformed), ("id", #"" A""#, .malformed),
      ("id", "7", .wrongType),
      ("id", #""A\n""#, .malformed), ("id", #""A\u0085B""#, .malformed),
      ("className", #""""#, .malformed), ("title", "{}", .wrongType), ("title", #""""#, .malformed),
      ("locale", nil, .missing), ("locale", "null", .wrongType), ("domain", nil, .missing),
      ("domain", "null", .wrongType),
      ("domain", #""""#, .malformed), ("family", nil, .missing), ("family", "[]", .wrongType),
      ("isNsfw", #""yes""#, .wrongType),
      ("isNsfw", "1", .wrongType), ("overrides", "[]", .wrongType), ("overrides", "null", .wrongType),
    ] as [(String, String?, InputError.Reason)])
  func badField(field: String, value: String?, reason: InputError.Reason) {
    let good = entry(["id": #""GOOD""#])
    let bad = entry([field: value] as [String: String?])
    let error = refusal("[\(good),\(good.replacing("GOOD", with: "FINE")),\(bad)]")
    #expect(error?.field == "[2].\(field)")
    #expect(error?.reason == reason)
  }

  @Test(
    "B29: other shapes than a filled array of objects are refused",
    arguments: [
      ("[]", "", .empty), ("{}", "", .wrongType), ("\"[]\"", "", .wrongType), ("", "", .empty),
      ("[null]", "[0]", .wrongType), ("[[]]", "[0]", .wrongType), ("<html>", "", .html),
    ] as [(String, String, InputError.Reason)])
  func badShape(text: String, field: String, reason: InputError.Reason) {
    let error = refusal(text)
    #expect(error?.reason == reason)
    #expect(error?.field == field)
  }

  @Test("B29: unknown fields are accepted, an empty locale and overrides of any type too")
  func accepted() throws {
    let overrides = #"{"listUrl":"bl/","withoutAjax":true,"n":1.50,"deep":{"a":[null,{"b":2}]}}"#
    let text = "[\(entry(["locale": #""""#, "overrides": overrides], extra: #""nsfwLevel":3,"tags":[{}]"#))]"
    let catalog = try SourceCatalog.decode(Array(text.utf8))
    let found = try #require(catalog.entries.first)
    #expect(found.locale == "")
    #expect(JSONValue.object(found.overrides).encoded(indented: false) == Array(overrides.utf8))
  }

  @Test(
    "an entry needs what apps run it by; the rest is filled in, and noted with its field",
    arguments: [
      (["className": nil], "className", "className is missing, read as the id"),
      (["title": nil], "title", "title is missing, read as className"),
      (["isNsfw": nil], "isNsfw", "isNsfw is missing, read as false"),
      (["overrides": nil], "overrides", "overrides is missing, read as {}"),
    ] as [([String: String?], String, String)])
  func filledIn(changes: [String: String?], field: String, note: String) throws {
    let text = "[\(entry()),\(entry(changes.merging(["id": #""DEF""#]) { $1 }))]"
    let catalog = try SourceCatalog.decode(Array(text.utf8))
    let found = catalog.entries[1]
    #expect(found.className == (field == "className" ? "DEF" : "Abc"))
    #expect(found.title == "Abc" && !found.isNsfw && found.overrides.isEmpty && found.locale == "en")
    #expect(catalog.notes.map { "\($0.field) \($0.detail)" } == [note])
    #expect(catalog.notes.first?.sources.map(\.text) == ["DEF"])
  }

  @Test(
    "an entry as contributors write it, with lang and without overrides, is read; one without both names is not"
  )
  func contributed() throws {
    let text = #"[{"id":"ABC","title":"Abc","lang":"pt-BR","domain":"abc.example","family":"MadaraParser"}]"#
    let catalog = try SourceCatalog.decode(Array(text.utf8))
    #expect(catalog.entries[0].locale == "pt-BR" && catalog.entries[0].className == "ABC")
    #expect(catalog.notes.map(\.field) == ["className", "locale", "isNsfw", "overrides"])
    let nameless = refusal("[\(entry(["className": nil, "title": nil]))]")
    #expect(nameless?.reason == .missing && nameless?.field == "[0].title")
  }

  @Test("B93: an id with a code that shows nothing is refused, and the code is shown as an escape")
  func invisible() {
    let error = refusal("[\(entry(["id": #""A\u202eB""#]))]")
    #expect(error?.field == "[0].id")
    #expect(error?.detail == #"is "A\u{202E}B": an id must not contain the invisible character U+202E"#)
  }

  @Test("B31: a name that is there twice, or that differs only by case, is refused with its path")
  func twoReadings() {
    let twice = refusal("[\(entry(extra: #""id":"XYZ""#))]")
    #expect(twice?.reason == .duplicateKey && twice?.field == "[0].id")
    let escaped = refusal("[\(entry(extra: #""i\u0064":"XYZ""#))]")
    #expect(escaped?.reason == .duplicateKey && escaped?.field == "[0].id")
    let byCase = refusal("[\(entry(extra: #""isNSFW":true"#))]")
    #expect(byCase?.reason == .ambiguousKey && byCase?.field == "[0].isNSFW")
  }

  @Test(
    "overrides cannot reach the prototype of an object they are merged into",
    arguments: [
      (#"{"__proto__":{}}"#, "[0].overrides.__proto__"),
      (#"{"__pr\u006fto__":1}"#, "[0].overrides.__proto__"),
      (#"{"constructor":1}"#, "[0].overrides.constructor"),
      (#"{"a":[{"prototype":1}]}"#, "[0].overrides.a[0].prototype"),
    ])
  func forbiddenOverrides(overrides: String, field: String) {
    let error = refusal("[\(entry(["overrides": overrides]))]")
    #expect(error?.reason == .malformed)
    #expect(error?.field == field)
  }

  @Test(
    "B57: two spellings of one id are refused, and both places are named",
    arguments: [
      ("ABC", "ABC"), ("ABC", "abc"), ("ABC", "JS_ABC"), ("parser:ABC", "ABC"), ("script:abc", "JS_ABC"),
      ("JS_ABC", "JS_JS_ABC"), ("caf\u{E9}", "cafe\u{301}"), ("CAF\u{E9}", "JS_cafe\u{301}"),
      ("D\u{C9}C", "DE\u{301}C"), ("D\u{C9}C", "de\u{301}c"), ("K", "\u{212A}"), ("STRASSE", "stra\u{DF}e"),
      ("\u{FF21}\u{FF22}C", "abc"), ("\u{3A3}\u{3A3}", "\u{3C3}\u{3C2}"), ("\u{FB01}X", "FIX"),
      ("\u{216B}", "xii"),
    ])
  func twins(first: String, second: String) throws {
    let error = try #require(
      throws: InputError.self
    ) { try SourceCatalog.decode(Fixtures.smallCatalog(ids: ["OTHER", first, "MORE", second])) }
    #expect(error.reason == .duplicateID)
    #expect(error.field == "[3].id")
    #expect(error.message.contains("[1].id"))
    #expect(error.message.utf8.count { $0 == UInt8(ascii: "\"") } == 4)
    #expect(error.message.contains(first) && error.message.contains(second))
  }

  @Test("B57: sources that share a domain, or whose ids only look alike, are fine")
  func notTwins() throws {
    let shared = ["A", "B", "C"].map { entry(["id": "\"\($0)\""]) }.joined(separator: ",")
    #expect(try SourceCatalog.decode(Array("[\(shared)]".utf8)).entries.count == 3)
    let alike = [
      "ABC", "ABC_JA", "A_BC", "A-BC", "xparser:ABC", "1ABC", "\u{410}BC", "STRASE", "\u{131}D", "ID",
    ]
    #expect(try SourceCatalog.decode(Fixtures.smallCatalog(ids: alike)).entries.map(\.id.text) == alike)
  }

  @Test("B50: a byte-order mark before the catalog is refused, inside a title it is kept")
  func byteOrderMark() throws {
    let error = #expect(throws: InputError.self) {
      try SourceCatalog.decode([0xEF, 0xBB, 0xBF] + Array("[\(entry())]".utf8))
    }
    #expect(error?.reason == .byteOrderMark)
    #expect(error?.message.contains("BOM at byte 0") == true)
    let text = "[\(entry(["title": "\"\u{FEFF}Abc\u{FEFF}\""]))]"
    #expect(try SourceCatalog.decode(Array(text.utf8)).entries[0].title.utf8.count == 9)
  }

  @Test("size and number of entries are limited")
  func limits() throws {
    let text = Array("[\(entry())]".utf8)
    #expect(throws: InputError.self) { try SourceCatalog.decode(text, maxBytes: text.count - 1) }
    #expect(try SourceCatalog.decode(text, maxBytes: text.count).entries.count == 1)
    let many = "[" + String(repeating: "0,", count: SourceCatalog.maxEntries) + "0]"
    #expect(refusal(many)?.reason == .tooLarge)
  }

  @Test("reading takes time in proportion to the number of entries")
  func linear() throws {
    let catalog = { (count: Int) in Fixtures.smallCatalog(ids: (0..<count).map { "SOURCE_\($0)" }) }
    let (small, large) = (catalog(300), catalog(3000))
    let few = try threadSeconds { _ = try SourceCatalog.decode(small) }
    let many = try threadSeconds { _ = try SourceCatalog.decode(large) }
    #expect(many / few < 25)
  }

  @Test("an id has 1 to 256 bytes, and is equal to another only byte for byte")
  func ids() throws {
    #expect(SourceID(String(repeating: "A", count: 256)) != nil)
    let refused = [
      "", " A", "A\u{A0}", "\u{FEFF}A", "A\u{200B}", "A\tB", "A\u{7F}", "A\u{9F}",
      "A\u{202E}B", "A\u{2066}B", "A\u{200D}B", "A\u{AD}B", "A\u{FE0F}", "A\u{34F}B", "A\u{3164}B",
      "A\u{E000}", "A\u{2028}B",
      String(repeating: "A", count: 257), String(repeating: "\u{E9}", count: 129),
    ]
    for text in refused { #expect(SourceID(text) == nil, "\(text.debugDescription)") }
    let composed = try #require(SourceID("\u{E9}"))
    let decomposed = try #require(SourceID("e\u{301}"))
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed, composed]).count == 2)
  }
}
