import OTAManifest
import ParserEngine
import ParserPages
import ParserPublisher
import TestSupport
import Testing

@testable import ParserWorkbench

@Suite("Recording, and replaying through two bundles", .serialized)
struct ReplayStories {
  private struct Scene: Sendable {
    let sources: [ReaderSource]
    let fixtures: [Fixture]
    let requests: Int
  }

  /// FORM as its parser records it, and READER with its list alone; the site is gone afterwards.
  private static let scene = Task { try await record() }

  private static func record() async throws -> Scene {
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    let server = try ScriptedSite.start()
    defer { server.stop() }
    let sources = ScriptedSite.sources(server).filter { ["READER", "FORM"].contains($0.id) }
    let bundle = try ReaderBundle(sources).load("recorder", in: folder)
    var plan = FixtureRecorder.Plan()
    plan.query = "one"
    let recorder = FixtureRecorder(engine: try Engines.engine(), pages: SitePages(allowsLoopback: true))
    let now = Timestamp(secondsSinceEpoch: 1_700_000_000)
    let entries = bundle.catalog.entries
    let form = try await recorder.record(
      #require(entries.first { $0.id.text == "FORM" }), of: bundle, plan: plan, now: now)
    #expect(form.steps.map(\.method) == [.list, .search, .details, .pages, .details, .pages])
    let reader = Fixture(
      source: try #require(entries.first { $0.id.text == "READER" }), recorded: now, bundle: bundle.digest,
      steps: [form.steps[0]], exchanges: [form.exchanges[0]])
    return Scene(sources: sources, fixtures: [reader, form], requests: server.requests.count)
  }

  /// A folder with these recordings.
  private func put(_ fixtures: [Fixture], in folder: TemporaryDirectory) throws -> FixtureFolder {
    let recordings = FixtureFolder(folder.path("fixtures"))
    for fixture in fixtures { try recordings.write(fixture) }
    return recordings
  }

  @Test(
    "a bundle that returns nothing is told by source and step, under new names too, without asking the site")
  func comparison() async throws {
    let folder = try TemporaryDirectory()
    let scene = try await Self.scene.value
    let live = try ReaderBundle(scene.sources).load("live", in: folder)
    let reader = try #require(scene.sources.first { $0.id == "READER" })
    let renamed = ReaderSource(id: "NEW", domain: reader.domain, overrides: reader.overrides)
    // The parsers throw nothing and return no titles; one asks for a page that nobody recorded.
    let empty = try ReaderBundle(
      [renamed] + scene.sources.filter { $0.id == "FORM" }, changing: ("'a.work'", "'a.wrk'"),
      ("'/ajax/chapters'", "'/ajax/chapters2'")
    ).load("empty", in: folder)
    let lost = scene.fixtures[0].renamed(to: try #require(SourceID("LOST")))
    let report = try await FixtureReplay(engine: try Engines.engine()).run(
      bundle: empty, live: live, fixtures: put(scene.fixtures + [lost], in: folder),
      aliases: [SourceAlias(old: "READER", new: "NEW")])
    #expect(report.score == FixtureScore(sources: 2, same: 0, changed: 0, better: 0, worse: 2))
    #expect(report.lines.first?.contains("has no answer to POST http://127.0.0.1") == true)
    #expect(report.lines[1] == "NEW   worse: list: 2 titles before, now 0 titles")
    #expect(report.sources.first?.steps.map(\.verdict) == [.worse, .worse, .worse, .same, .worse, .same])
    #expect(report.absent.map(\.text) == ["LOST"])
  }

  @Test("a loop without an end costs its own source, and the next one gets a new engine")
  func loop() async throws {
    let folder = try TemporaryDirectory()
    let scene = try await Self.scene.value
    var engine = try Engines.engine(callTime: .seconds(1))
    engine.limits.pulseTime = .milliseconds(500)
    let change = (
      "const html = await this.context.httpPost(", "for (;;) {} const html = await this.context.httpPost("
    )
    let bundle = try ReaderBundle(scene.sources, changing: change).load("loop", in: folder)
    let form = Fixture(
      source: try #require(bundle.catalog.entries.first { $0.id.text == "FORM" }),
      recorded: Timestamp(secondsSinceEpoch: 0), bundle: bundle.digest, steps: [scene.fixtures[1].steps[2]],
      exchanges: scene.fixtures[1].exchanges)
    let report = try await FixtureReplay(engine: engine).run(
      bundle: bundle, live: nil, fixtures: put([form, scene.fixtures[0]], in: folder))
    #expect(report.sources.map(\.verdict) == [.worse, .same])
    #expect(report.lines.first?.contains("the page was stuck") == true, "\(report.lines)")
  }
}
