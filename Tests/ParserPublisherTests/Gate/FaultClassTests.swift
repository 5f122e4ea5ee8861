import OTAManifest
import Testing

@testable import ParserPublisher

@Suite("Whose fault an error is, by the words of WebKit's engine")
struct FaultClassTests {
  private func fault(_ name: String, _ message: String) -> FaultClass {
    FaultClass(PageError(name: name, message: message))
  }

  @Test(
    "errors that no page could avoid are faults of the code",
    arguments: [
      ("TypeError", "this.apiBase is not a function. (In 'this.apiBase()', 'this.apiBase' is undefined)"),
      (
        "TypeError",
        "this['apiBase'] is not a function. (In 'this['apiBase']()', 'this['apiBase']' is undefined)"
      ),
      (
        "TypeError",
        "this[\"apiBase\"] is not a function. (In 'this[\"apiBase\"]()', 'this[\"apiBase\"]' is undefined)"
      ),
      (
        "TypeError",
        "super.getPages is not a function. (In 'super.getPages(x)', 'super.getPages' is undefined)"
      ),
      ("TypeError", "cleanTitle is not a function. (In 'cleanTitle(x)', 'cleanTitle' is undefined)"),
      (
        "TypeError",
        "root.querySelectorAl is not a function. (In 'root.querySelectorAl(\"a\")', 'root.querySelectorAl' is undefined)"
      ),
      ("ReferenceError", "Can't find variable: cleanTitle"),
      ("ReferenceError", "Cannot access 'url' before initialization."),
      ("TypeError", "Attempted to assign to readonly property."),
      ("TypeError", "undefined is not an object (evaluating 'this.settings.listUrl')"),
      ("TypeError", "undefined is not an object (evaluating 'this.settings.load()')"),
      ("TypeError", "undefined is not an object (evaluating 'this.tables[0]')"),
      ("TypeError", "Chapters is not a constructor (evaluating 'new Chapters(x)')"),
      ("RangeError", "Maximum call stack size exceeded."),
      ("ReferenceError", "Cannot access uninitialized variable."),
      ("SyntaxError", "Invalid regular expression: missing )"),
      ("SyntaxError", "'a:contains(x)' is not a valid selector."),
      ("TypeError", "Cannot access invalid private field (evaluating 'o.#x')"),
      ("TypeError", "Can only call Document.querySelector on instances of Document"),
      ("TypeError", "undefined is not an object (evaluating 'this.domain')"),
      ("TypeError", "undefined is not an object (evaluating 'ContentRating.SAFE')"),
      ("TypeError", "undefined is not a constructor (evaluating 'new Manga(x)')"),
      (
        "TypeError",
        "x.map((e) => e).filtre is not a function. (In 'x.map((e) => e).filtre(f)', 'x.map((e) => e).filtre' is undefined)"
      ),
      (
        "TypeError",
        "node.getAttribute.trim is not a function. (In 'node.getAttribute.trim()', 'node.getAttribute.trim' is undefined)"
      ),
      (
        "TypeError",
        "this.context.httpget is not a function. (In 'this.context.httpget(u)', 'this.context.httpget' is undefined)"
      ),
    ])
  func programming(name: String, message: String) { #expect(fault(name, message) == .programming) }

  @Test(
    "errors that missing data causes are not",
    arguments: [
      ("TypeError", "null is not an object (evaluating 'root.querySelector(\"h1\").textContent')"),
      ("TypeError", "undefined is not an object (evaluating 'json.data.items')"),
      ("TypeError", "undefined is not an object (evaluating 'this.parse(html).items')"),
      ("TypeError", "undefined is not an object (evaluating 'this.page.data.items')"),
      ("TypeError", "undefined is not an object (evaluating 'JSON.parse(text).items')"),
      ("TypeError", "undefined is not an object (evaluating 'Object.keys(data.items)')"),
      ("TypeError", "undefined is not a constructor (evaluating 'new families[name](x)')"),
      (
        "TypeError",
        "first.getAttribute is not a function. (In 'first.getAttribute(\"src\")', 'first.getAttribute' is undefined)"
      ),
      ("TypeError", "null is not an object (evaluating 'this.cache.items')"),
      ("TypeError", "undefined is not a function (near '...item of data.items...')"),
      ("TypeError", "items is not a function (near '...item of items...')"),
      ("TypeError", "this[key] is not a function. (In 'this[key]()', 'this[key]' is undefined)"),
      (
        "TypeError",
        "data['items'].map is not a function. (In 'data['items'].map(f)', 'data['items'].map' is undefined)"
      ),
      (
        "TypeError",
        "data.items.map is not a function. (In 'data.items.map((x) => x)', 'data.items.map' is undefined)"
      ),
      (
        "TypeError",
        "this.page.items.map is not a function. (In 'this.page.items.map(f)', 'this.page.items.map' is undefined)"
      ),
      (
        "TypeError",
        "JSON.parse(text).filter is not a function. (In 'JSON.parse(text).filter(x)', 'JSON.parse(text).filter' is undefined)"
      ),
      ("TypeError", "Spread syntax requires ...iterable not be null or undefined"),
      ("TypeError", "\"x\" cannot be parsed as a URL."),
      ("SyntaxError", "JSON Parse error: Unexpected EOF"),
      ("SyntaxError", "The string did not match the expected pattern."), ("Error", "Chapter not found"),
      ("Error", "Can't find variable: x"), ("string", "this.x is not a function"),
      ("RangeError", "Invalid Date"),
      ("TypeError", ""),
    ])
  func data(name: String, message: String) { #expect(fault(name, message) == .data) }

  @Test(
    "a name that something gives a value to, evaluated text, and newer methods of the bridge are in doubt")
  func doubts() {
    var knowledge = FaultKnowledge()
    func fault(_ name: String, _ message: String, script: String? = nil) -> FaultClass {
      FaultClass(
        PageError(name: name, message: message, line: script == nil ? nil : 3, script: script),
        knowing: knowledge)
    }
    let call = "this.encode is not a function. (In 'this.encode(x)', 'this.encode' is undefined)"
    let member = "undefined is not an object (evaluating 'this.settings.url')"
    let newer =
      "this.context.cookies is not a function. (In 'this.context.cookies()', 'this.context.cookies' is undefined)"
    let helper = "tools.decode is not a function. (In 'tools.decode(x)', 'tools.decode' is undefined)"
    #expect(
      [call, member, helper].map { fault("TypeError", $0) } == [.programming, .programming, .programming])
    #expect(fault("TypeError", newer) == .suspect)
    knowledge.settableNames = ["encode", "settings", "decode"]
    #expect(fault("TypeError", call) == .programming, "a key of some table is no member of a parser")
    knowledge.assignedNames = ["encode"]
    #expect([call, member, helper].map { fault("TypeError", $0) } == [.data, .data, .suspect])
    knowledge.evaluatesText = true
    #expect(fault("ReferenceError", "Can't find variable: chapterImages") == .data)
    knowledge.evaluatesText = false
    #expect(
      fault("ReferenceError", "Can't find variable: x", script: "https://parsers.invalid/parsers.bundle.js")
        == .programming)
    #expect(
      fault("ReferenceError", "Can't find variable: x", script: "https://parsers.invalid/other.js") == .data)
    knowledge.isWritten = { $0 == "a:eq(0)" }
    #expect(fault("SyntaxError", "'a:eq(0)' is not a valid selector.") == .programming)
    #expect(fault("SyntaxError", "'#1' is not a valid selector.") == .suspect)
    // The engine knows its own methods better than any list.
    knowledge.isMethodOfData = true
    #expect(fault("TypeError", "d.odd is not a function. (In 'd.odd()', 'd.odd' is undefined)") == .data)
  }

  @Test("a stub of a base class is told apart")
  func stub() {
    #expect(fault("Error", "Not implemented") == .notImplemented)
    #expect(fault("Error", "getPages is not implemented") == .notImplemented)
  }
}

@Suite("A dry run becomes findings")
struct DryRunTests {
  private let typo = DryRun.Failure(
    method: "details",
    error: PageError(
      name: "ReferenceError", message: "Can't find variable: x", line: 7, column: 3,
      script: "https://parsers.invalid/parsers.bundle.js"), labels: ["html /x"], sources: ["A", "B"])

  private func findings(_ run: DryRun, live: DryRun? = nil) throws -> [Finding] {
    let text = TextPosition(Array("let a;".utf8))
    let version = try #require(ReleaseVersion(7))
    return DryRunCheck(
      subject: DryRunSubject(
        bundleName: "b.js", text: text, bundle: InstrumentedBundle(text),
        live: live.map { .init(version: version, run: $0, bundle: []) })
    ).findings(run)
  }

  private func findings(_ failures: [DryRun.Failure], live: [DryRun.Failure]? = nil) throws -> [Finding] {
    try findings(DryRun(calls: 1, failures: failures), live: live.map { DryRun(calls: 1, failures: $0) })
  }

  @Test("a new fault refuses with its place, an old one warns, by source")
  func newAndOld() throws {
    let new = try findings([typo])
    #expect(new.map(\.severity) == [.error] && new[0].sources == ["A", "B"] && new[0].method == "details")
    #expect(new[0].place == .init(file: "b.js", line: 7, column: 3))
    // Lines move from release to release; the words do not.
    let moved = DryRun.Failure(
      method: "details",
      error: PageError(name: "ReferenceError", message: "Can't find variable: x", line: 99),
      labels: ["html /x"], sources: ["A"])
    let half = try findings([typo], live: [moved])
    #expect(half.map(\.severity) == [.error, .warning] && half.map(\.sources) == [["B"], ["A"]])
    #expect(try findings([typo], live: []).map(\.severity) == [.error])
  }

  @Test("what code catches is a warning, and what it only looks for is nothing")
  func caught() throws {
    func caught(_ name: String, _ message: String) -> DryRun.Failure {
      DryRun.Failure(
        method: "list", error: PageError(name: name, message: message), labels: [], sources: ["A"],
        isCaught: true)
    }
    let found = try findings([caught("ReferenceError", "Can't find variable: tidy")])
    #expect(found.map(\.severity) == [.warning] && found[0].message.hasSuffix("which its code catches"))
    #expect(try findings([caught("ReferenceError", "Can't find variable: require")]) == [])
    #expect(
      try findings([
        caught("TypeError", "this.onInit is not a function. (In 'this.onInit()', 'this.onInit' is undefined)")
      ]) == [])
    #expect(try findings([caught("SyntaxError", "JSON Parse error: Unexpected EOF")]) == [])
  }

  @Test("data errors say nothing, stubs are a missing family, and what never settles is a warning")
  func others() throws {
    let data = DryRun.Failure(
      method: "list", error: PageError(name: "Error", message: "nothing found"), labels: ["html /x"],
      sources: ["A"])
    #expect(try findings([data]) == [])
    let stubs = ["list", "pages"].map {
      DryRun.Failure(
        method: $0, error: PageError(name: "Error", message: "Not implemented"), labels: ["html /x"],
        sources: ["A", "B"])
    }
    let missing = try findings(stubs)
    #expect(missing.map(\.code) == [.catalogMatch] && missing[0].sources == ["A", "B"])
    let open = try findings(DryRun(unsettled: ["A", "B"].map { .init(source: $0, method: "pages") }))
    #expect(open.map(\.severity) == [.warning] && open[0].sources == ["A", "B"] && open[0].method == "pages")
  }
}
