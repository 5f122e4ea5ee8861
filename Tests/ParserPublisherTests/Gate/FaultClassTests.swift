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
      (
        "TypeError",
        "this.context.get is not a function. (In 'this.context.get(url)', 'this.context.get' is undefined)"
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
    ])
  func programming(name: String, message: String) { #expect(fault(name, message) == .programming) }

  @Test(
    "errors that missing data causes are not",
    arguments: [
      ("TypeError", "null is not an object (evaluating 'root.querySelector(\"h1\").textContent')"),
      ("TypeError", "undefined is not an object (evaluating 'json.data.items')"),
      ("TypeError", "undefined is not an object (evaluating 'this.parse(html).items')"),
      ("TypeError", "undefined is not an object (evaluating 'this.page.data.items')"),
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
      ("SyntaxError", "Invalid regular expression: missing )"),
      ("SyntaxError", "The string did not match the expected pattern."), ("Error", "Chapter not found"),
      ("Error", "Can't find variable: x"), ("string", "this.x is not a function"),
      ("RangeError", "Invalid Date"),
      ("TypeError", ""),
    ])
  func data(name: String, message: String) { #expect(fault(name, message) == .data) }

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
      script: "https://parsers.invalid/parsers.bundle.js"), pages: ["html"], sources: ["A", "B"])

  private func findings(_ failures: [DryRun.Failure], live: Set<String>? = nil) -> [Finding] {
    DryRunCheck(bundleName: "b.js", liveFaults: live).findings(DryRun(calls: 1, failures: failures))
  }

  @Test("a new fault refuses with its place, an old one warns, by source")
  func newAndOld() {
    let new = findings([typo])
    #expect(new.map(\.severity) == [.error] && new[0].sources == ["A", "B"] && new[0].method == "details")
    #expect(new[0].place == .init(file: "b.js", line: 7, column: 3))
    let half = findings([typo], live: [DryRun.key(typo, "A")])
    #expect(half.map(\.severity) == [.error, .warning] && half.map(\.sources) == [["B"], ["A"]])
    // Lines move from release to release; the words do not.
    let moved = DryRun.Failure(
      method: "details",
      error: PageError(name: "ReferenceError", message: "Can't find variable: x", line: 99),
      pages: ["html"], sources: ["A", "B"])
    #expect(findings([moved], live: DryRun(calls: 1, failures: [typo]).faults).map(\.severity) == [.warning])
    #expect(findings([typo], live: []).map(\.severity) == [.error])
  }

  @Test("data errors say nothing, stubs are a missing family, and what never settles is a warning")
  func others() {
    let data = DryRun.Failure(
      method: "list", error: PageError(name: "Error", message: "nothing found"), pages: ["html"],
      sources: ["A"])
    #expect(findings([data]) == [])
    let stubs = ["list", "pages"].map {
      DryRun.Failure(
        method: $0, error: PageError(name: "Error", message: "Not implemented"), pages: ["html"],
        sources: ["A", "B"])
    }
    let missing = findings(stubs)
    #expect(missing.map(\.code) == [.catalogMatch] && missing[0].sources == ["A", "B"])
    let open = DryRunCheck(bundleName: "b.js", liveFaults: nil).findings(
      DryRun(calls: 2, failures: [], unsettled: [("A", "pages"), ("B", "pages")]))
    #expect(open.map(\.severity) == [.warning] && open[0].sources == ["A", "B"] && open[0].method == "pages")
  }
}
