import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

/// What the engine would say about a bundle, made by hand.
private struct Inspected {
  var sources: JSONValue
  var classes: [InspectedClass]
  var parsers: [InspectedParser]
  var texts: [String] = []
  var strangers: [String] = []

  var inspection: BundleInspection {
    BundleInspection(
      sources: .success(sources), parsers: parsers, builtStrangers: strangers, classes: classes,
      texts: texts.map { Array($0.utf8) })
  }
}

private let contract = ["getListPage", "getDetails", "getPages"].map {
  InspectedMember(name: $0, type: "function")
}

private func whole(_ ids: [String]) throws -> Inspected {
  Inspected(
    sources: try JSONReader.read(Fixtures.smallCatalog(ids: ids), maxBytes: 100_000),
    classes: [InspectedClass(name: "Family", members: contract)],
    parsers: ids.map { InspectedParser(id: $0, state: .parser(own: [], chain: [0])) })
}

@Suite("B59: the catalog in the bundle and the catalog file are one")
struct CatalogMatchTests {
  private func findings(_ inspected: Inspected, ids: [String] = ["ABC", "DEF"]) throws -> [Finding] {
    let bytes = Fixtures.smallCatalog(ids: ids)
    return CatalogMatchCheck(
      catalog: try SourceCatalog.decode(bytes), bundleName: "b.js", lines: CatalogLines("s.json", bytes)
    ).findings(inspected.inspection)
  }

  private func edited(_ change: (String) -> String) throws -> JSONValue {
    let text = String(decoding: Fixtures.smallCatalog(ids: ["ABC", "DEF"]), as: UTF8.self)
    return try JSONReader.read(Array(change(text).utf8), maxBytes: 100_000)
  }

  @Test("order, keys that only one has, and the spelling of numbers do not count")
  func same() throws {
    var inspected = try whole(["DEF", "ABC"])
    #expect(try findings(inspected) == [])
    inspected.sources = try edited { $0.replacing("\"id\":\"ABC\"", with: "\"id\":\"ABC\",\"more\":1") }
    #expect(try findings(inspected) == [])
  }

  @Test("each difference is named with its ids and its line in the catalog")
  func differences() throws {
    var inspected = try whole(["ABC", "DEF"])
    for (old, new, field) in [
      ("abc.example", "other.example", "domain"), ("MadaraParser", "OtherParser", "family"),
      ("\"overrides\":{}", "\"overrides\":{\"a\":1}", "overrides"),
      ("\"title\":\"ABC\"", "\"title\":\"x\"", "title"),
    ] {
      inspected.sources = try edited { $0.replacing(old, with: new, maxReplacements: 1) }
      let found = try findings(inspected)
      #expect(found.map(\.subject) == [field] && found[0].sources == ["ABC"], "\(field)")
      // At the value of the field, not at the id in column 8.
      #expect(found[0].place.line == 2 && (found[0].place.column ?? 0) > 8, "\(found[0].place)")
      #expect(found[0].severity == .error && found[0].code == .catalogMatch)
    }
    inspected.sources = try edited { $0.replacing("\"domain\":\"abc.example\",", with: "") }
    #expect(try findings(inspected).map(\.subject) == ["domain"])
  }

  @Test("ids that only one side has, doubles, and what is no catalog")
  func ids() throws {
    var inspected = try whole(["ABC", "DEF"])
    inspected.sources = try whole(["ABC"]).sources
    #expect(try findings(inspected).map(\.sources) == [["DEF"]])
    inspected.sources = try whole(["ABC", "DEF", "NEW"]).sources
    #expect(try findings(inspected).map(\.sources) == [["NEW"]])
    inspected.sources = .array([.object([]), .null])
    #expect(try findings(inspected).count == 3)
    inspected.sources = .string("x")
    #expect(
      try findings(inspected).map(\.message) == ["getAllSources() gives a string, not an array of sources"])
  }

  @Test("a source without a whole parser is named, and parsers for ids that nobody has")
  func parsers() throws {
    var inspected = try whole(["ABC", "DEF"])
    let broken: [InspectedParser.State] = [
      .none, .other("string"), .threw(PageError(name: "TypeError", message: "x")),
      .parser(own: [], chain: []),
      .parser(own: [InspectedMember(name: "getPages", type: "string")], chain: [0]),
    ]
    for state in broken {
      inspected.parsers[1] = InspectedParser(id: "DEF", state: state)
      #expect(try findings(inspected).map(\.sources) == [["DEF"]], "\(state)")
    }
    inspected.parsers[0] = InspectedParser(id: "ABC", state: .none)
    inspected.parsers[1] = InspectedParser(id: "DEF", state: .none)
    #expect(try findings(inspected).map(\.sources) == [["ABC", "DEF"]], "one fault is one finding")
    inspected = try whole(["ABC", "DEF"])
    inspected.strangers = ["nobody", "constructor"]
    #expect(try findings(inspected).map(\.severity) == [.error, .warning])
  }
}

@Suite("Calls that lead nowhere, and overrides that hide methods")
struct MemberRuleTests {
  private let text = "getDetails(m) { return this.apiBase() + this.load(m) + this.settings(); }"

  private func inspected() throws -> Inspected {
    var inspected = try whole(["ABC", "DEF"])
    inspected.texts = [text, "load(m) { return m; }"]
    inspected.classes = [
      InspectedClass(
        name: "Family",
        members: [InspectedMember(name: "getDetails", type: "function", text: 0)] + contract),
      InspectedClass(name: "Base", members: [InspectedMember(name: "load", type: "function", text: 1)]),
    ]
    let settings = InspectedMember(name: "settings", type: "function")
    inspected.parsers = [
      InspectedParser(id: "ABC", state: .parser(own: [settings], chain: [0, 1])),
      InspectedParser(
        id: "DEF", state: .parser(own: [InspectedMember(name: "settings", type: "string")], chain: [0, 1])),
    ]
    return inspected
  }

  private func dangling(_ inspected: Inspected) -> [Finding] {
    let bundle = TextPosition(Array("class Family {\n  \(text)\n}".utf8))
    return DanglingCallCheck(inspected.inspection).findings(bundle: bundle, bundleName: "b.js")
  }

  @Test("a missing method is one finding with all its sources and its line; a value is no method")
  func danglingCalls() throws {
    let found = dangling(try inspected())
    #expect(found.map(\.subject) == ["apiBase", "settings"])
    #expect(found.map(\.sources) == [["ABC", "DEF"], ["DEF"]])
    #expect(found[0].method == "getDetails" && found[0].place == .init(file: "b.js", line: 2, column: 26))
    #expect(found[0].message == "Family.getDetails calls this.apiBase(), which does not exist")
    #expect(found[1].message == "Family.getDetails calls this.settings(), which is a string, not a method")
  }

  @Test("a call of the class above is looked for above, whatever the parser itself has")
  func callsAbove() throws {
    var inspected = try inspected()
    inspected.texts = [
      "getDetails(m) { return super.load(m) + super.getPages(m); }", "load(m) { return super.load(m); }",
    ]
    let found = dangling(inspected)
    #expect(found.map(\.subject) == ["getPages", "load"])
    #expect(found.map(\.method) == ["getDetails", "load"])
    #expect(found[0].message == "Family.getDetails calls super.getPages(), which does not exist")
    inspected.texts = ["getDetails(m) { return super.load(m) + super.toString(); }", "load(m) { return m; }"]
    #expect(dangling(inspected) == [])
  }

  @Test("one method that many classes miss is one finding with all of them, and a near name is asked for")
  func oneCause() throws {
    var inspected = try inspected()
    inspected.texts = [
      "getDetails(m) { return this.laod(m); }", "load(m) { return m; }",
      "getPages(c) { return this.laod(c); }",
    ]
    inspected.classes[1] = InspectedClass(
      name: "Base",
      members: [
        InspectedMember(name: "load", type: "function", text: 1),
        InspectedMember(name: "getPages", type: "function", text: 2),
      ])
    let found = dangling(inspected)
    #expect(
      found.map(\.message) == ["Family.getDetails, Base.getPages call this.laod(), which does not exist"])
    #expect(found[0].sources == ["ABC", "DEF"] && found[0].advice?.hasPrefix("did you mean load? ") == true)
  }

  @Test("a doubt about a call that the live release makes as well is a note, and what is sure stays an error")
  func knownDoubts() throws {
    let known = KnownCalls(in: Array("x() { self.lookup(); other.find(); return this.apiBase(); }".utf8))
    func softened(_ name: String, _ severity: Finding.Severity) -> Finding {
      known.softened(Finding(.danglingCall, severity, "x").with { $0.subject = name }, "36")
    }
    #expect(softened("lookup", .warning).severity == .note)
    #expect(softened("lookup", .warning).message == "x, as in release 36")
    #expect(softened("find", .warning).severity == .warning, "a call of another object says nothing")
    #expect(softened("apiBase", .error).severity == .error)
  }

  @Test("a method anywhere along the chain, an assignment, and what every object has are no faults")
  func present() throws {
    var inspected = try inspected()
    inspected.texts[1] = "load(m) { this.apiBase = () => 1; this.settings = null; return this.toString(); }"
    #expect(dangling(inspected) == [])
  }

  @Test("an override with the name of a method is named with its line in the catalog")
  func overrides() throws {
    let bytes = Array(
      String(decoding: Fixtures.smallCatalog(ids: ["ABC", "DEF"]), as: UTF8.self).replacing(
        "\"overrides\":{}", with: "\"overrides\":{\"load\":\"x\",\"listUrl\":\"y\",\"valueOf\":1}",
        maxReplacements: 1
      ).utf8)
    // A parser that keeps its overrides somewhere else hides nothing by them.
    let kept = OverrideKeysCheck(
      catalog: try SourceCatalog.decode(bytes), lines: CatalogLines("s.json", bytes))
    #expect(kept.findings(try inspected().inspection) == [])
    var shadowed = try inspected()
    shadowed.parsers[0] = InspectedParser(
      id: "ABC",
      state: .parser(
        own: ["load", "listUrl", "valueOf"].map { InspectedMember(name: $0, type: "string") }, chain: [0, 1]))
    let found = OverrideKeysCheck(
      catalog: try SourceCatalog.decode(bytes), lines: CatalogLines("s.json", bytes)
    )
    .findings(shadowed.inspection)
    #expect(found.map(\.subject) == ["load", "valueOf"] && found.allSatisfy { $0.sources == ["ABC"] })
    #expect(found[0].place.line == 2 && found[0].code == .overrideKeys)
  }

  @Test(
    "answers of a page that make no sense are refused, not followed",
    arguments: [
      "[]", "{}",
      #"{"sources":{},"texts":[],"classes":[],"strangers":[],"odd":[],"parsers":[{"id":"A","state":"parser","own":[["x","function",3]],"chain":[]}]}"#,
      #"{"sources":{},"texts":[],"classes":[],"strangers":[],"odd":[],"parsers":[{"id":"A","state":"parser","own":[],"chain":[0]}]}"#,
      #"{"sources":{},"texts":[1],"classes":[],"strangers":[],"odd":[],"parsers":[]}"#,
      #"{"sources":{},"texts":[],"classes":[],"strangers":[],"odd":[],"parsers":[{"id":"A","state":"odd"}]}"#,
    ])
  func hostileAnswers(text: String) throws {
    let value = try JSONReader.read(Array(text.utf8), maxBytes: 10_000)
    #expect(throws: InputError.self) { try BundleInspection(value) }
  }
}
