import OTAFeed
import Foundation
import Glibc
import OTAManifest
import ParserEngine
import TestSupport
import Testing

@testable import ParserPublisher

/// A feed's history as made up by the generator, and a gate with the real engine in front of it.
final class History: Sendable {
  let feed: TestFeed
  let gate: ReleaseGate

  /// - Parameter callTime: enough for a dry run of all sources on a busy machine, unless a test waits for the end.
  init(loadTime: Duration = .seconds(2), callTime: Duration = .seconds(30)) async throws {
    feed = try await TestFeed()
    var limits = EngineLimits()
    limits.loadTime = loadTime
    limits.callTime = callTime
    limits.pulseTime = .milliseconds(500)
    limits.maxMemoryBytes = 700 << 20
    gate = ReleaseGate(
      engine: BundleEngine(
        program: try BuiltProducts.path(of: "parser-ota-engine"), limits: limits,
        environment: ["PATH": "/usr/bin:/bin"]))
  }

  func check(_ release: SyntheticRelease, _ allowances: [Allowance] = []) async throws -> GateReport {
    var request = CheckRequest(
      bundlePath: try feed.write("b.js", release.bundle),
      sourcesPath: try feed.write("s.json", release.sources))
    (request.bundleName, request.sourcesName) = ("b.js", "s.json")
    request.against = .init(.directory(feed.feed), trust: nil)
    var gate = gate
    gate.allowances = allowances
    return try await gate.check(request)
  }

  /// Lets a release out that has been checked.
  func publish(_ release: SyntheticRelease, _ allowances: [Allowance] = []) async throws {
    let request = try feed.request(bundle: release.bundle, sources: release.sources) {
      $0.gate.allowances += allowances
    }
    _ = try await feed.publisher.publish(request)
  }
}

/// What must be found about a fault.
private struct Expectation {
  let fault: SyntheticRelease.Fault
  let code: GateCode
  var words = ""
  /// Whether the finding is at the line of the fault.
  var hasLine = false
  var method: String?
}

@Suite("B06, B59: a release that would break apps does not leave", .serialized)
struct HistoryTests {
  private static let bad: [Expectation] = [
    Expectation(
      fault: .missingMethod, code: .danglingCall, words: "calls this.apiBase(), which does not exist",
      hasLine: true,
      method: "getDetails"),
    Expectation(
      fault: .missingFunction, code: .dryRun, words: "ReferenceError: Can't find variable: cleanTitle",
      hasLine: true,
      method: "list"),
    Expectation(fault: .topLevelThrow, code: .load, words: "the settings are missing", hasLine: true),
    Expectation(fault: .syntaxError, code: .syntax, words: "does not parse", hasLine: true),
    Expectation(fault: .unbalancedBrace, code: .syntax, words: "does not parse"),
    Expectation(fault: .endlessLoop, code: .load, words: "does not end within 2 s"),
    Expectation(fault: .endlessMicrotasks, code: .load, words: "does not end within 2 s"),
    Expectation(fault: .memoryBomb, code: .load, words: "and its process was ended"),
    Expectation(fault: .missingFamily, code: .catalogMatch, words: "its family is not in the bundle"),
    Expectation(fault: .shadowingOverride, code: .overrideKeys, words: "the override toAbsoluteUrl hides"),
  ]

  @Test(
    "of a made-up history every bad release is refused with its code and place, and every good one passes")
  func history() async throws {
    let history = try await History()
    let first = try SyntheticRelease(1)
    try await expectGood(history.check(first), "the first release")
    try await history.publish(first)
    for (number, expected) in zip(2..., Self.bad) {
      // Smaller ones are found out just as well, and sooner.
      try await expectBad(history, SyntheticRelease(number, expected.fault, bytes: 100_000), expected)
    }
    let unchanged = try await history.check(first)
    #expect(unchanged.refusals.map(\.code) == [.unchanged])
    let second = try SyntheticRelease(20)
    try await expectGood(history.check(second), "a good release after bad ones")
    try await history.publish(second)
    // On pages that are made up nobody is sure, so what a family no longer finds is said, and no more.
    let empty = try SyntheticRelease(21, .returnsNothing)
    let nothing = try await history.check(empty)
    #expect(!nothing.isRefused, "\(nothing.findings)")
    let found = nothing.findings.filter { $0.code == .results }
    #expect(
      found.contains { $0.message == "OneMangaParser: list gave 3 entries with release 2, gives 0" },
      "\(found)")
    #expect(
      found.contains { $0.message == "OneMangaParser: pages gave 3 pages with release 2, gives 0" },
      "\(found)")
    #expect(found.allSatisfy { $0.sources == empty.faultySources })
    try await dropIDs(history)
  }

  private func expectGood(_ report: GateReport, _ name: String) {
    #expect(report.findings.filter { $0.severity != .note } == [], "\(name)")
    // What needs a live release or recordings is named when there are none.
    let needsMore = report.notRun.allSatisfy {
      $0.code.needsLiveRelease || [.fixtures, .engines].contains($0.code)
    }
    #expect(needsMore, "\(name): \(report.notRun)")
    #expect(children() == [], "\(name)")
  }

  private func expectBad(
    _ history: History, _ release: SyntheticRelease, _ expected: Expectation
  ) async throws {
    let report = try await history.check(release)
    let context: Comment = "\(expected.fault): \(report.findings)"
    let found = try #require(report.refusals.first { $0.code == expected.code }, context)
    #expect(found.message.contains(expected.words), context)
    #expect(found.sources == release.faultySources, context)
    #expect(found.method == expected.method, context)
    #expect(
      found.place.file == (expected.code == .overrideKeys ? "s.json" : "b.js")
        || expected.code == .catalogMatch)
    if expected.hasLine {
      #expect(found.place.line == release.faultLine && release.faultLine != nil, context)
    }
    if expected.code == .syntax { #expect(found.place.line != nil, context) }
    #expect(report.isRefused && children() == [], context)
  }

  /// Four ids go with the large catalog: refused by name, and let out for exactly these.
  private func dropIDs(_ history: History) async throws {
    let large = try SyntheticRelease(22, catalog: .large)
    let report = try await history.check(large)
    let gone = try #require(report.refusals.first { $0.code == .idsRemoved }).sources
    #expect(gone.count == 4 && report.refusals.count == 1, "\(report.refusals)")
    let allowances = gone.map { Allowance(.idsRemoved, $0) }
    try await history.publish(large, allowances)
    try await expectGood(history.check(SyntheticRelease(23, catalog: .large)), "the first good one after it")
    #expect(try history.feed.live().allowed == (allowances.map(\.text) + ["no-engine"]).sorted())
  }

  @Test("a fault that is live already warns, so that a fix of something else can go out")
  func oldFault() async throws {
    let history = try await History()
    try await history.publish(try SyntheticRelease(1, .missingFunction, bytes: 60_000))
    let report = try await history.check(try SyntheticRelease(2, .missingFunction, bytes: 60_000))
    #expect(!report.isRefused, "\(report.findings)")
    let warning = try #require(report.findings.first { $0.code == .dryRun })
    #expect(warning.severity == .warning && warning.message.hasSuffix("as it does in the live release"))
  }

  @Test("what hangs when a parser is built or called is named, and nothing is left")
  func hostileCalls() async throws {
    let history = try await History(loadTime: .seconds(1), callTime: .milliseconds(1500))
    for (text, code, words, method) in [
      ("async getPages() { for (;;); }", GateCode.dryRun, "pages of BETA does not end", "pages"),
      (
        "async getListPage() { return new Promise(() => {}); }", .dryRun, "neither returned nor failed",
        "list"
      ),
      ("constructor() { for (;;); }", .load, "does not end", nil),
    ] as [(String, GateCode, String, String?)] {
      let report = try await history.check(bundle: Self.bundle(beta: text))
      let found = try #require(report.findings.first { $0.code == code }, "\(text): \(report.findings)")
      #expect(found.message.contains(words), "\(text): \(found.message)")
      #expect(found.method == method, "\(text)")
      #expect(children() == [], "\(text)")
    }
  }

  @Test("a catalog that is slow as a whole passes, and no source of it is named")
  func slowCatalog() async throws {
    let history = try await History(callTime: .milliseconds(900))
    let cases = (0..<24).map { number in
      (
        id: "SLOW\(UnicodeScalar(65 + UInt8(number)))",
        code:
          "async getPages() { for (const end = Date.now() + 9; Date.now() < end;); return super.getPages(); }"
      )
    }
    let bundle = CaseBundle(cases: cases)
    let request = CheckRequest(
      bundlePath: try history.feed.write("b.js", bundle.bytes),
      sourcesPath: try history.feed.write("s.json", bundle.catalog))
    let report = try await history.gate.check(request)
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(children() == [])
  }

  @Test("B06: a bundle without its entry points, under another name, or with parsers that cannot be built")
  func entryPoints() async throws {
    let history = try await History()
    for (text, code, words) in [
      ("var Other = 1;", GateCode.entryPoints, "the bundle defines no NyoraParsers"),
      ("var NyoraParsers = null;", .entryPoints, "that is no object"),
      ("var NyoraParsers = { getParser() {} };", .entryPoints, "has no function getAllSources"),
      (
        "var NyoraParsers = { getAllSources() { return []; }, getParser() { throw new TypeError('no'); } };",
        .catalogMatch, "getParser() throws TypeError: no"
      ),
      (
        "var NyoraParsers = { getAllSources() { return 1; }, getParser() { return {}; } };", .catalogMatch,
        "though no source has this id"
      ),
    ] {
      let report = try await history.check(bundle: text)
      let found = report.refusals.filter { $0.code == code }
      #expect(found.contains { $0.message.contains(words) }, "\(text): \(report.findings)")
    }
    var named = history.gate
    named.globalName = "Other"
    let good = Self.bundle(beta: "").replacing("NyoraParsers", with: "Other")
    #expect(try await !history.check(bundle: good, named).isRefused)
  }

  /// A small bundle of two sources, with a class of its own for the second.
  private static func bundle(beta: String) -> String {
    let catalog = String(decoding: Fixtures.smallCatalog(ids: ["ALPHA", "BETA"]), as: UTF8.self)
    return """
      var NyoraParsers = (() => {
        class Parser {
          async getListPage() { return []; }
          async getDetails(manga) { return manga; }
          async getPages() { return []; }
        }
        class Beta extends Parser { \(beta.replacing("constructor() {", with: "constructor() { super();")) }
        const sources = \(catalog);
        const classes = { ALPHA: Parser, BETA: Beta };
        return {
          getAllSources: () => sources,
          getParser: (id) => Object.hasOwn(classes, id) ? new classes[id]() : null,
        };
      })();
      """
  }
}

extension History {
  func check(
    bundle: String, _ gate: ReleaseGate? = nil,
    sources: [UInt8] = Fixtures.smallCatalog(ids: ["ALPHA", "BETA"])
  ) async throws -> GateReport {
    var request = CheckRequest(
      bundlePath: try feed.write("b.js", Array(bundle.utf8)), sourcesPath: try feed.write("s.json", sources))
    (request.bundleName, request.sourcesName) = ("b.js", "s.json")
    return try await (gate ?? self.gate).check(request)
  }
}

/// The names of engines that this process started and that are there still.
private func children() -> [String] {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return names.filter { $0.allSatisfy(\.isNumber) }.compactMap { id in
    guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
      let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[end...].split(separator: " ")
    return fields.count > 2 && fields[2] == "\(getpid())" && fields[1] != "Z"
      && stat.contains("parser-ota-eng")
      ? stat : nil
  }
}
