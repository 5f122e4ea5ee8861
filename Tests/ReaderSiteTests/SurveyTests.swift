import Foundation
import OTAManifest
import ParserEngine
import ParserPages
import ParserPublisher
import ParserWorkbench
import TestSupport
import Testing

/// A folder with a bundle, from which surveys are started.
private struct SurveyDesk {
  let folder: TemporaryDirectory

  init(_ bundle: ReaderBundle) throws {
    folder = try TemporaryDirectory()
    try bundle.write("reader", to: folder)
  }

  /// The usual survey: short pauses, and a page may take a second.
  static func arguments(_ more: String) -> [String] {
    let usual = more.contains("--pause") ? "" : "--pause 0.01 --timeout 1 "
    return ("survey --bundle reader.js --sources reader.json --allow-http-loopback \(usual)\(more)")
      .split(separator: " ").map(String.init)
  }

  private var environment: [String: String] { ["PATH": "/usr/bin:/bin", "HOME": folder.path] }

  func start(_ more: String = "") throws -> ChildProcess {
    try ChildProcess(
      BuiltProducts.path(of: "parser-ota"), Self.arguments(more), environment: environment,
      directory: folder.path)
  }

  func survey(_ more: String = "") throws -> (code: Int32, result: ChildResult) {
    let result = try run(
      BuiltProducts.path(of: "parser-ota"), Self.arguments(more), environment: environment,
      directory: folder.path, timeout: .seconds(600))
    if case .exited(let code) = result.status { return (code, result) }
    return (-1, result)
  }

  func report(_ name: String = "survey") throws -> SurveyReport {
    try SurveyDocument.read(Array(Data(contentsOf: URL(fileURLWithPath: folder.path("\(name)/survey.json")))))
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }

  /// How many sources the survey on its way has done.
  var done: Int {
    let journal = (try? text("survey/\(SurveyJournal.name)")) ?? ""
    return max(0, journal.split(separator: "\n").count - 1)
  }
}

@Suite("Survey: every source tried on its site", .serialized)
struct SurveyTests {
  /// The long form, behind `ci/survey`, has the size of a real catalog.
  private static var count: Int {
    ProcessInfo.processInfo.environment["PARSER_OTA_SURVEY_SITES"].flatMap { Int($0) } ?? 48
  }
  private static let seed: UInt64 = 20_261_201

  private func expectVerdicts(_ report: SurveyReport, _ sites: SurveySites) {
    #expect(report.sources.count == sites.kinds.count)
    for (index, (source, site)) in zip(report.sources, sites.kinds).enumerated() {
      #expect(source.id.text == site.id)
      let expected = site.kind.expected
      let told =
        "\(site.id) is \(site.kind): \(source.text), \(source.steps.map { "\($0.name) \($0.verdict)" })"
      #expect(source.decisive?.name.rawValue == expected?.step, "\(told)")
      #expect(source.decisive?.verdict.rawValue == expected?.verdict, "\(told)")
      #expect(source.state.rawValue == expected?.state ?? "ok", "\(told)")
      if site.kind == .moved { #expect(source.decisive?.domain == sites.movedDomain(index)) }
      if site.kind == .throws_ { #expect(source.decisive?.line != nil && source.decisive?.column != nil) }
      if site.kind == .empty { #expect(source.isSuspicious && source.blame == .parser) }
    }
  }

  @Test(
    "every verdict is right, no host has two requests open, two kills cost nothing, and the pages say it again"
  )
  func faults() throws {
    let sites = try SurveySites(count: Self.count, seed: Self.seed)
    let desk = try SurveyDesk(sites.bundle)
    for kill in 1...2 {
      let child = try desk.start("--keep-pages --record fixtures")
      let deadline = ContinuousClock.now + .seconds(120)
      while desk.done < kill * Self.count / 4, ContinuousClock.now < deadline { usleep(20_000) }
      child.signal(SIGKILL)
      #expect(child.wait() == .signalled(SIGKILL), "the survey was over before it was killed")
    }
    let kept = desk.done
    #expect(kept >= Self.count / 2)
    let before = sites.requests.count

    let answer = try desk.survey("--keep-pages --record fixtures")
    #expect(answer.code == 1, "\(answer.result.output)\(answer.result.errors)")
    #expect(answer.result.errors.contains("going on with the survey"), "\(answer.result.errors)")
    let report = try desk.report()
    expectVerdicts(report, sites)
    #expect(sites.requests.allSatisfy { $0.open == 1 }, "seed \(Self.seed)")
    // What was done before is not asked again, and a site that said stop is left alone.
    let asked = Set(sites.requests.dropFirst(before).filter { $0.line.hasPrefix("GET /list") }.map(\.address))
    #expect(asked.count <= Self.count - kept + report.count(.moved))
    expectManners(sites)

    let replayed = try desk.survey("--fixtures survey/pages --out again")
    #expect(replayed.code == 1, "\(replayed.result.errors)")
    let again = try desk.report("again")
    for (one, other) in zip(report.sources, again.sources) where one.family != "LoopParser" {
      #expect(one.steps == other.steps, "\(one.id): \(one.text) and \(other.text)")
    }
    try expectReports(desk, report)
  }

  /// A challenge and HTTP 429 are the last thing that is asked of a host in one run.
  private func expectManners(_ sites: SurveySites) {
    var counts: [String: Int] = [:]
    for request in sites.requests { counts[request.address, default: 0] += 1 }
    for (source, site) in zip(sites.sources, sites.kinds) where [.challenge, .slowdown].contains(site.kind) {
      let address = String(source.domain.prefix { $0 != ":" })
      #expect((1...3).contains(counts[address] ?? 0), "once in each of three runs at most")
    }
  }

  private func expectReports(_ desk: SurveyDesk, _ report: SurveyReport) throws {
    let junit = try desk.text("survey/junit.xml")
    #expect(junit.contains("tests=\"\(report.sources.count)\""))
    let check = try run(
      "/usr/bin/python3",
      ["-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", desk.folder.path("survey/junit.xml")])
    #expect(check.status == .exited(0), "\(check.errors)")
    let advice = try JSONValue(reading: desk.text("survey/advisories.json"))
    guard case .array(let entries)? = advice["advisories"] else {
      Issue.record("no advisories")
      return
    }
    #expect(entries.count == report.sources.count { $0.state != .unknown })
    #expect(entries.contains { $0["state"] == .string("moved") && $0["domain"] != nil })
    #expect(try desk.text("survey/issue.md").hasPrefix(SurveyMarkdown.mark))
    let page = try desk.text("survey/survey.html")
    #expect(page.contains("Content-Security-Policy") && !page.contains("src="))
    // Recordings of what works, and of nothing else, replay in the gate's format.
    let recorded = try FixtureFolder(desk.folder.path("fixtures")).sources()
    let works = report.sources.filter { source in
      source.steps.filter(\.name.isEssential).allSatisfy { $0.verdict == .ok }
    }
    #expect(Set(recorded) == Set(works.map(\.id)))
  }

  @Test("the second survey says what is new, fixed and still, and which fields are gone")
  func since() throws {
    let sites = try SurveySites(count: 12, seed: 5, loops: 0, silent: 0)
    let desk = try SurveyDesk(sites.bundle)
    _ = try desk.survey("--out nightly")
    let first = try desk.report("nightly")
    #expect(!first.isCompared && first.sources.allSatisfy { $0.history.count == 1 })

    // The parser forgets covers, and one source that was well throws.
    var broken = sites.bundle
    broken.changes.append((old: "cover: link.dataset.cover", new: "cover: link.dataset.gone"))
    try broken.write("reader", to: desk.folder)
    let answer = try desk.survey("--out nightly --json")
    let second = try desk.report("nightly")
    #expect(answer.code == 1, "\(answer.result.errors)")
    for (old, new) in zip(first.sources, second.sources) {
      #expect(new.history.count == 2)
      switch old.state {
      case .ok:
        #expect(new.change == .new && new.step(.list)?.verdict == .fewer && new.state == .degraded)
        #expect(new.step(.list)?.missing == ["cover"])
      case .unknown: #expect(new.change == nil)
      default: #expect(new.change == .still)
      }
    }
    // Nothing new since then is no alarm, and what is missing stays missing.
    #expect(try desk.survey("--out nightly").code == 0)
    try sites.bundle.write("reader", to: desk.folder)
    #expect(try desk.survey("--out nightly").code == 0)
    let last = try desk.report("nightly")
    #expect(!last.sources(.fixed).isEmpty && last.sources.allSatisfy { $0.history.count == 4 })
  }

  @Test("a budget ends a run and not the survey; without a network nothing is said about any site")
  func ends() throws {
    let sites = try SurveySites(count: 6, seed: 1, loops: 0, silent: 0)
    let desk = try SurveyDesk(sites.bundle)
    let cut = try desk.survey("--budget 9 --hosts 1 --json")
    #expect(cut.code == 4, "\(cut.result.output)")
    #expect(try JSONValue(reading: cut.result.output)["code"] == .string("survey-unfinished"))
    #expect(desk.done >= 1)
    #expect(try desk.survey("--hosts 2").code == 1)

    let nowhere = ReaderBundle([
      ReaderSource(id: "A", domain: "a.invalid"), ReaderSource(id: "B", domain: "b.invalid"),
    ])
    try nowhere.write("reader", to: desk.folder)
    let lost = try desk.survey("--json")
    #expect(lost.code == 4, "\(lost.result.output)")
    #expect(try desk.report().sources.count == 6, "the survey before is kept")
  }

  private static let keepsPace = ProcessInfo.processInfo.environment["PARSER_OTA_SURVEY_PACE"] != nil

  @Test(
    "235 sources with answers after 300 ms, eight hosts at once and the usual pause: under five minutes",
    .enabled(if: keepsPace, "the long form is ci/survey"))
  func pace() throws {
    let sites = try SurveySites(count: 235, seed: 7, delay: 300, loops: 1, silent: 2)
    let desk = try SurveyDesk(sites.bundle)
    let begin = ContinuousClock.now
    let answer = try desk.survey("--pause 1 --timeout 5")
    let time = ContinuousClock.now - begin
    #expect(answer.code == 1, "\(answer.result.errors)")
    #expect(time < .seconds(300), "\(time)")
    expectVerdicts(try desk.report(), sites)
    #expect(sites.requests.allSatisfy { $0.open == 1 })
  }

  @Test("what cannot be surveyed is refused before anything is asked")
  func refusals() throws {
    let sites = try SurveySites(count: 3, seed: 1, loops: 0, silent: 0)
    let desk = try SurveyDesk(sites.bundle)
    #expect(try desk.survey("--family ReadParser").code == 1)
    #expect(try desk.survey("--locale xx").code == 1)
    #expect(try desk.survey("--source NOBODY").code == 1)
    #expect(try desk.survey("all --family ReaderParser").code == 2)
    #expect(try desk.survey("--pause soon").code == 2)
    #expect(try desk.survey("--engine /nowhere").code != 0)
    try "{}".write(toFile: desk.folder.path("old.json"), atomically: true, encoding: .utf8)
    let old = try desk.survey("--since old.json")
    #expect(old.code == 3 && old.result.errors.contains("format"), "\(old.result.errors)")
    #expect(sites.requests.isEmpty)
  }
}
