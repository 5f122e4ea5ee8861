import OTAManifest
import ParserEngine
import ParserPages
import Testing

@testable import ParserWorkbench

private func list(_ titles: String...) -> StepOutcome {
  .answered(.list(titles.map { ParserAnswer.Entry(title: $0, url: "/\($0)") }))
}

private let thrown = StepOutcome.failed(
  StepFailure(.parser, "TypeError: x is not a function", line: 3, column: 9))
private let notRecorded = StepOutcome.failed(
  StepFailure(.page, "not recorded", page: PageFault(.notRecorded, "not recorded", url: "https://a/")))

@Suite("What two bundles make of the same pages")
struct FixtureComparisonTests {
  @Test(
    "the truth table of one step",
    arguments: [
      (list("A", "B"), list("A", "B"), FixtureComparison.Verdict.same),
      (list("A", "B"), list("A"), .worse), (list("A"), list("A", "B"), .better),
      (list("A", "B"), list("A", "C"), .changed), (list("A", "B"), list("A", ""), .worse),
      (list("A"), list(), .worse), (list(), list("A"), .better), (list(), list(), .same),
      (list("A"), thrown, .worse), (thrown, list("A"), .better), (thrown, thrown, .same),
      (thrown, list(), .same), (list(), thrown, .same), (list("A"), notRecorded, .worse),
      (thrown, notRecorded, .same),
      (
        .answered(.details(title: "A", chapters: 9)), .answered(.details(title: "A", chapters: 8)), .worse
      ),
      (
        .answered(.details(title: "A", chapters: 9)), .answered(.details(title: "", chapters: 9)), .worse
      ),
      (
        .answered(.details(title: "A", chapters: 9)), .answered(.details(title: "B", chapters: 9)), .changed
      ),
      (.answered(.pages(["1", "2"])), .answered(.pages(["1", "3"])), .changed),
      (.answered(.pages(["1", "2"])), .answered(.pages([])), .worse),
    ])
  func step(before: StepOutcome, now: StepOutcome, verdict: FixtureComparison.Verdict) {
    #expect(FixtureComparison.verdict(before: before, now: now) == verdict)
  }

  @Test("one step that is worse makes a source worse, whatever the others are")
  func source() throws {
    func verdict(_ steps: (StepOutcome, StepOutcome)...) throws -> FixtureComparison.Verdict {
      let recording = try fixture(steps: steps.count)
      return FixtureComparison.compare(recording, before: steps.map(\.0), now: steps.map(\.1)).verdict
    }
    #expect(try verdict((list("A"), list("A", "B")), (list("A"), list())) == .worse)
    #expect(try verdict((list("A"), list("A", "B")), (list("A"), list("B"))) == .better)
    #expect(try verdict((list("A"), list("B")), (list("A"), list("A"))) == .changed)
    #expect(try verdict((list("A"), list("A")), (thrown, thrown)) == .same)
  }

  @Test("without a live release the recording is what counts; a step that was not run is worse")
  func recordingCounts() throws {
    let recording = try fixture(steps: 2)
    #expect(FixtureComparison.compare(recording, before: nil, now: [list("A"), list("A")]).verdict == .same)
    #expect(FixtureComparison.compare(recording, before: nil, now: [list("A")]).verdict == .worse)
  }

  @Test("the table names what is not the same, with both sides, and ends with the score")
  func report() throws {
    let names = ["ALPHA", "BETA", "C"]
    let outcomes = [list("A"), thrown, list("A", "B")]
    let sources = try zip(names, outcomes).map { name, now in
      FixtureComparison.compare(try fixture(of: name, steps: 1), before: [list("A")], now: [now])
    }
    let report = FixtureReport(sources: sources, absent: [try #require(SourceID("GONE"))])
    #expect(
      report.lines == [
        "BETA  worse: list: 1 titles before, now TypeError: x is not a function (3:9)",
        "C     better: list: 1 titles before, now 2 titles", "GONE is not in the new catalog",
        "3 recorded sources: 1 same, 0 changed, 1 better, 1 worse",
      ])
    #expect(report.score == FixtureScore(sources: 3, same: 1, changed: 0, better: 1, worse: 1))
    #expect(report.worse.map(\.id.text) == ["BETA"])
  }

  @Test("a position counts only in the bundle itself, and a page that is missing is no parser's fault")
  func failures() {
    func failure(script: String?, page: PageFault? = nil) -> StepFailure {
      let fault = CallFault(name: "TypeError", message: "x", script: script, line: 1, column: 2, page: page)
      return StepFailure(.call(fault))
    }
    #expect(failure(script: "parsers.bundle.js").line == 1 && failure(script: nil).line == 1)
    #expect(failure(script: "probe.js").line == nil)
    #expect(failure(script: "parsers.bundle.js").kind == .parser)
    let page = PageFault(.challenge, "a challenge", url: "https://a/", status: 503)
    #expect(failure(script: "parsers.bundle.js", page: page).kind == .page)
    #expect(failure(script: "parsers.bundle.js", page: page).message == "a challenge")
    #expect(StepFailure(.callTimedOut(.seconds(45))).kind == .parser)
    #expect(StepFailure(.outOfMemory(bytes: 2 << 30, limit: 1 << 30)).kind == .bundle)
  }

  private func fixture(of source: String = "ALPHA", steps: Int) throws -> Fixture {
    let catalog = try SourceCatalog.decode(
      Array(
        """
        [{"id":"\(source)","className":"A","title":"A","locale":"en","domain":"a.example","family":"A",\
        "isNsfw":false,"overrides":{}}]
        """.utf8))
    let answer = ParserAnswer.list([.init(title: "A", url: "/A")])
    return Fixture(
      source: catalog.entries[0], recorded: Timestamp(secondsSinceEpoch: 0),
      bundle: try #require(Digest(bytes: Array(repeating: 0, count: 32))),
      steps: (0..<steps).map { _ in
        Fixture.Step(.list, CallArguments.list(page: 1, order: "UPDATED"), answer: answer)
      }, exchanges: [])
  }
}
