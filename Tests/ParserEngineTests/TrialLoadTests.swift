import OTAManifest
import ParserEngine
import ParserTrialLoad
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// The trial load over the engine of the release gate, on a device.
@Suite("A trial load in the engine") struct TrialLoadTests {
  private static let catalog = Fixtures.smallCatalog(ids: ["ALPHA"])

  /// A bundle, and the beginning of the reason for which it is rejected; `nil` for the good one.
  private let releases: [(String, String?)] = [
    ("var NyoraParsers = { getAllSources: () => [], getParser: (id) => ({ id }) };", nil),
    ("var NyoraParsers = {", "parsers.bundle.js:1: SyntaxError"),
    ("\n  throw new Error('markup');", "parsers.bundle.js:2:28: Error: markup"),
    ("var Other = {};", "ReferenceError: the bundle defines no NyoraParsers"),
    (
      "var NyoraParsers = { getAllSources: () => [] };", "TypeError: NyoraParsers.getParser is not a function"
    ),
    (
      "var NyoraParsers = { getAllSources: () => [], getParser: () => null };",
      "source ALPHA: there is no parser"
    ),
    (
      "var NyoraParsers = { getAllSources: () => [], getParser: () => { throw new Error('family'); } };",
      "source ALPHA: family"
    ),
    ("for (;;) {}", "parsers.bundle.js did not end within 0.5 seconds"),
  ]

  @Test(
    "B06, B59: takes a bundle that gives a parser for each id, and rejects every other one with the reason")
  func verdicts() async throws {
    let device = try Device(embedded: 30)
    let trial = EngineTrialLoad(engine: try Engines.engine { $0.loadTime = .milliseconds(500) })
    for (number, (bundle, reason)) in releases.enumerated() {
      let version = Int64(31 + number)
      var content = SampleRelease.Content(of: version)
      content.bundle = Array(bundle.utf8)
      content.sources = Self.catalog
      try device.feed.publish(version, content)
      try await device.update()
      let result = await device.updater().tryStaged(with: trial)
      guard case .tried(.number(version), let verdict) = result else {
        Issue.record("\(bundle): \(result)")
        continue
      }
      switch (verdict, reason) {
      case (.works, nil): break
      case (.fails(let text), let reason?): #expect(text.hasPrefix(reason), "\(text)")
      default: Issue.record("\(bundle): \(verdict)")
      }
      #expect(device.launchAndConfirm() == 31)
    }
  }

  @Test("without an engine decides nothing, and the release is used on trial")
  func noEngine() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    try await device.update()
    let missing = BundleEngine(program: "/nonexistent/parser-ota-engine", environment: [:])
    let result = await device.updater().tryStaged(with: EngineTrialLoad(engine: missing))
    #expect(
      result == .tried(.number(31), .undecided("the engine is not installed: /nonexistent/parser-ota-engine"))
    )
    #expect(device.launch().version == 31)
  }
}
