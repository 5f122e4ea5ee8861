internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench
internal import Synchronization

/// One run of a survey in its folder: what was done is kept, the rest is asked, the reports are written.
struct SurveyRun {
  private static let defaultFolder = "survey"

  private let bundle: ParserBundle
  private let sources: [SourceEntry]
  private let arguments: ParsedArguments
  private let context: CommandContext
  private let engine: BundleEngine
  private let files: SurveyFiles
  private let journal: SurveyJournal
  private let last: SurveyReport?
  private let manners: HostTurns.Manners
  private let timeout: Duration
  private let fixtures: FixtureFolder?

  init(
    _ bundle: ParserBundle, _ sources: [SourceEntry], _ arguments: ParsedArguments,
    _ context: CommandContext
  ) throws(CommandFailure) {
    (self.bundle, self.sources, self.arguments, self.context) = (bundle, sources, arguments, context)
    timeout = try arguments.value("timeout", as: Readings.seconds) ?? .seconds(20)
    manners = try Self.manners(arguments)
    fixtures = try arguments.value("fixtures").map { (path) throws(CommandFailure) in
      FixtureFolder(try InputFolder.require(path, option: "--fixtures", context))
    }
    guard var engine = try EngineChoice.read(arguments, context) else {
      throw ParserVerb.noEngine("its place cannot be told")
    }
    guard engine.isInstalled else { throw ParserVerb.noEngine("\(engine.program) is not installed") }
    // A call waits for its pages, and pages wait for the turn of their host.
    engine.limits.callTime = timeout * 4
    engine.limits.startTime = .seconds(60)
    self.engine = engine
    let out = try InputFolder.requireOrMake(
      arguments.value("out") ?? Self.defaultFolder, option: "--out", context)
    files = try SurveyFiles(
      out, recordings: arguments.value("record").map { context.absolutePath($0) },
      keepsPages: arguments.flag("keep-pages"))
    last = try files.last(arguments.value("since"), context)
    let subject = Self.subject(bundle, sources, arguments)
    let (folder, now) = (files.folder, Timestamp(secondsSinceEpoch: context.clock.wallSeconds()))
    journal = try DeviceVerb.run { () throws(Problem) in
      try SurveyJournal(in: folder, subject: subject, now: now)
    }
  }

  private static func manners(_ arguments: ParsedArguments) throws(CommandFailure) -> HostTurns.Manners {
    var manners = HostTurns.Manners()
    if let pause = try arguments.value("pause", as: Readings.pause) { manners.pause = pause }
    if let budget = try arguments.value("budget", as: Readings.budget) { manners.maxRequests = budget }
    return manners
  }

  /// Everything that makes it the same survey when it is started again.
  private static func subject(
    _ bundle: ParserBundle, _ sources: [SourceEntry], _ arguments: ParsedArguments
  ) -> JSONValue {
    let options = ["order", "query", "fixtures"].map {
      JSONMember($0, arguments.value($0).map { .string($0) } ?? .null)
    }
    let entries = sources.map { JSONValue.object($0.fields) }
    return .object(
      [
        JSONMember("bundle", .string(bundle.digest.hex)), JSONMember("global", .string(bundle.globalName)),
        JSONMember("sources", .array(entries)),
      ] + options)
  }

  // MARK: Asking

  /// Asks what is left, and writes the reports when nothing is.
  func result() async throws(CommandFailure) -> CommandResult {
    let done = Set(journal.done.map(\.id))
    let left = sources.filter { !done.contains($0.id) }
    if !done.isEmpty {
      context.talk.note(
        "going on with the survey of \(journal.started): \(done.count) of \(sources.count) sources are done")
    }
    let turns = HostTurns(manners)
    let outcome = try await ask(left, turns: turns, done: done.count)
    guard outcome.sources.count == left.count else { throw unfinished(done.count + outcome.sources.count) }
    let order = Dictionary(uniqueKeysWithValues: sources.enumerated().map { ($1.id, $0) })
    let all = (journal.done + outcome.sources).sorted { order[$0.id, default: 0] < order[$1.id, default: 0] }
    // A run that was ended between the reports and the end of its journal has nothing to compare with but itself.
    if let last, last.surveyed == journal.started { return try finish(last, requests: 0) }
    let report = SurveyReport(
      surveyed: journal.started, bundle: bundle.digest, sources: all, since: last)
    return try finish(report, requests: await turns.requests)
  }

  fileprivate struct Outcome: Sendable {
    var sources: [SurveyedSource] = []
    var failure: CommandFailure?
  }

  private func ask(
    _ left: [SourceEntry], turns: HostTurns, done: Int
  ) async throws(CommandFailure) -> Outcome {
    let bar = ProgressBar("survey", totalBytes: Int64(sources.count), unit: .things("sources"), context)
    bar.update(doneBytes: Int64(done))
    let box = OutcomeBox()
    let (journal, files, surveyor) = (journal, files, try surveyor(turns))
    do throws(EngineError) {
      try await surveyor.run(left, now: journal.started) { result in
        if result.isCutOff { return false }
        do throws(CommandFailure) {
          try files.record(result)
          try DeviceVerb.run { () throws(Problem) in try journal.keep(result.source) }
        } catch {
          box.outcome.withLock { $0.failure = error }
          return false
        }
        let count = box.outcome.withLock { outcome in
          outcome.sources.append(result.source)
          return outcome.sources.count
        }
        bar.update(doneBytes: Int64(done + count))
        return true
      }
    } catch {
      bar.abandon()
      var failure = ParserVerb.failure(error, of: "the survey", in: bundle.name)
      failure.kept = kept(done + box.outcome.withLock { $0.sources.count })
      failure.hint = failure.hint ?? "start the same command again: it goes on where it stopped"
      throw failure
    }
    let result = box.outcome.withLock { $0 }
    if let failure = result.failure {
      bar.abandon()
      throw failure
    }
    if result.sources.count == left.count { bar.finish() } else { bar.abandon() }
    return result
  }

  private func surveyor(_ turns: HostTurns) throws(CommandFailure) -> Surveyor {
    var options = Surveyor.Options()
    if let order = arguments.value("order") { options.order = order }
    options.query = arguments.value("query")
    options.hosts = min(try arguments.value("hosts", as: Readings.count) ?? options.hosts, 64)
    let (fixtures, timeout) = (fixtures, timeout)
    let allowsLoopback = arguments.flag("allow-http-loopback")
    return Surveyor(bundle, engine: engine, options: options) { source in
      if let fixtures { return Self.recorded(source, in: fixtures) }
      return SitePages(allowsLoopback: allowsLoopback, timeout: timeout, turns: turns)
    }
  }

  /// The recorded pages of a source; without a recording nothing is there.
  private static func recorded(_ source: SourceEntry, in folder: FixtureFolder) -> any PageProvider {
    do throws(FixtureError) {
      return FixturePages(try folder.read(source.id).exchanges)
    } catch {
      return FixturePages([])
    }
  }

  private func kept(_ count: Int) -> String { "\(count) of \(sources.count) sources are done" }

  private func unfinished(_ done: Int) -> CommandFailure {
    CommandFailure(
      .tryLater, code: "survey-unfinished",
      message: "the survey has made its \(manners.maxRequests) requests", kept: kept(done),
      hint: "start the same command again: it goes on where it stopped; or give a larger --budget")
  }

  // MARK: The end

  private func finish(_ report: SurveyReport, requests: Int) throws(CommandFailure) -> CommandResult {
    let journal = journal
    guard !report.isWithoutNetwork else {
      try DeviceVerb.run { () throws(Problem) in try journal.end() }
      let first = report.sources.first?.text ?? ""
      throw CommandFailure(
        .tryLater, code: ProblemCode.pageUnavailable.rawValue,
        message: "no site could be reached from here; the first one: \(first)",
        kept: "the reports of the survey before", hint: "check the network of this machine, then start again")
    }
    try files.write(report)
    try DeviceVerb.run { () throws(Problem) in try journal.end() }
    return SurveyTable(report, folder: files.folder.path, requests: requests).result
  }
}

/// Lets a closure that may run anywhere hold what only one at a time changes.
private final class OutcomeBox: Sendable {
  let outcome = Mutex(SurveyRun.Outcome())
}

extension Surveyor.Result {
  /// Whether the budget ended before the source did, so that it has to be surveyed again.
  fileprivate var isCutOff: Bool {
    recording.exchanges.contains { exchange in
      if case .fault(let fault) = exchange.answer { return fault.code == PageFaultCode.overBudget.rawValue }
      return false
    }
  }
}
