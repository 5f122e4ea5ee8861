internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserPages
internal import ParserWorkbench

/// The folder of a survey: its reports, and the recordings that are kept of it.
struct SurveyFiles: Sendable {
  private static let reportName = "survey.json"
  private static let fileMode: UInt32 = 0o644

  let folder: Directory
  private let lock: FileLock
  private let recordings: FixtureFolder?
  private let pages: FixtureFolder?

  /// Makes the folder and keeps other surveys out of it.
  ///
  /// - Parameters:
  ///   - recordings: where recordings of sources that work go; `nil` keeps none.
  ///   - keepsPages: whether the pages of every source are kept in the folder.
  init(_ path: String, recordings: String?, keepsPages: Bool) throws(CommandFailure) {
    do throws(StorageError) {
      folder = try Directory.create(path, mode: 0o755)
      lock = try folder.lockSelf(.exclusive)
    } catch {
      throw CommandFailure(error, of: "--out", hint: "give a folder that no other survey uses now")
    }
    self.recordings = recordings.map { FixtureFolder($0) }
    pages = keepsPages ? FixtureFolder("\(path)/pages") : nil
  }

  /// The survey to compare with: the file that is named, else the one of this folder; `nil` when there is none.
  func last(_ path: String?, _ context: CommandContext) throws(CommandFailure) -> SurveyReport? {
    let name = path ?? "\(folder.path)/\(Self.reportName)"
    let bytes: [UInt8]
    do throws(StorageError) {
      if path == nil, try folder.kind(of: Self.reportName) == nil { return nil }
      bytes = try readInput(at: context.absolutePath(name), maxBytes: SurveyDocument.maxBytes)
    } catch {
      throw CommandFailure(error, of: "--since", hint: "give the survey.json of a survey")
    }
    do {
      return try SurveyDocument.read(bytes)
    } catch {
      let hint = "give another survey with --since, or remove \(name)"
      throw InputFile.refusal(bytes, .inputInvalid, name, error, hint)
    }
  }

  /// Keeps the pages of a source as the command line asks for.
  func record(_ result: Surveyor.Result) throws(CommandFailure) {
    do throws(FixtureError) {
      try pages?.write(result.recording)
      let essential = result.source.steps.filter(\.name.isEssential)
      if essential.allSatisfy({ $0.verdict == .ok }) { try recordings?.write(result.recording) }
    } catch {
      throw ParserVerb.failure(error)
    }
  }

  /// Writes all reports; `survey.json` last, because the next survey is compared with it.
  func write(_ report: SurveyReport) throws(CommandFailure) {
    let page = try DeviceVerb.run { () throws(Problem) in try SurveyPage.bytes(report) }
    do throws(StorageError) {
      try put("survey.html", page)
      try put("junit.xml", SurveyJUnit.bytes(report))
      try put("issue.md", Array(SurveyMarkdown.text(report).utf8))
      if let advisories = SurveyAdvisories.bytes(report) { try put("advisories.json", advisories) }
      try put(Self.reportName, SurveyDocument.bytes(report))
    } catch {
      throw OutputFile.failure(error, option: "--out")
    }
  }

  private func put(_ name: String, _ bytes: [UInt8]) throws(StorageError) {
    try folder.replace(name, with: bytes, mode: Self.fileMode)
  }
}

/// What a survey prints: the sources that need work first, the rest by their number.
struct SurveyTable {
  private static let maxRows = 20

  private let report: SurveyReport
  private let folder: String
  private let requests: Int

  init(_ report: SurveyReport, folder: String, requests: Int) {
    (self.report, self.folder, self.requests) = (report, folder, requests)
  }

  var result: CommandResult {
    let worse = report.sources.filter { $0.needsWork && $0.change == .new }
    var result = CommandResult.answer(
      worse.isEmpty ? "surveyed" : ProblemCode.parserFailed.rawValue, message(worse.count), lines: lines,
      payload: payload)
    if !worse.isEmpty { result.status = .notAchieved }
    result.messageGoes = .spoken
    return result
  }

  private func message(_ worse: Int) -> String {
    guard report.isCompared else { return report.sentence }
    let changes = SurveyChange.allCases.map { "\(report.sources($0).count) \($0.rawValue)" }
    return "\(report.sentence); \(changes.joined(separator: ", "))"
  }

  private var lines: [String] {
    var rows = FindingRows()
    let wrong = report.sources.filter { $0.state != .ok }
    let sorted =
      wrong.filter(\.needsWork) + wrong.filter { !$0.needsWork && $0.state != .unknown }
      + wrong.filter { $0.state == .unknown }
    for source in sorted {
      let word = source.state.rawValue + (source.change.map { " (\($0.rawValue))" } ?? "")
      rows.add(source.id.text.printable(), word, source.text)
    }
    return rows.lines(limit: Self.maxRows)
      + ["the whole survey: \(folder.printable(maxCharacters: 300))/survey.html"]
  }

  private var payload: [JSONMember] {
    let states = SurveyState.allCases.map { JSONMember($0.rawValue, .integer(Int64(report.count($0)))) }
    let changes = SurveyChange.allCases.map { change in
      JSONMember(change.rawValue, .array(report.sources(change).map { .string($0.id.text) }))
    }
    let wrong = report.sources.filter { $0.state != .ok }.map { source in
      JSONValue.object([
        JSONMember("id", .string(source.id.text)), JSONMember("state", .string(source.state.rawValue)),
        JSONMember("step", .string(source.decisive?.name.rawValue ?? "")),
        JSONMember("verdict", .string(source.decisive?.verdict.rawValue ?? "")),
        JSONMember("text", .string(source.text)), JSONMember("needsWork", .bool(source.needsWork)),
      ])
    }
    return [
      JSONMember("folder", .string(folder)), JSONMember("surveyed", .string(report.surveyed.description)),
      JSONMember("sources", .integer(Int64(report.sources.count))),
      JSONMember("requests", .integer(Int64(requests))), JSONMember("states", .object(states)),
      JSONMember("changes", .object(changes)), JSONMember("wrong", .array(wrong)),
    ]
  }
}
