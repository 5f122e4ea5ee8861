internal import GateScripts
internal import OTAManifest
internal import ParserEngine

/// Calls every parser of a bundle on made-up pages, in engines of its own: a batch of sources in each, with a fresh page and a
/// limit of its own, so that neither depends on how many sources there are.
struct DryRunner {
  /// One source, and whether all calls are made or only those that depend on its own settings.
  struct Source: Equatable {
    let id: String
    let domain: String
    let family: String
    let isWhole: Bool

    /// About how many calls it gets.
    var weight: Int { isWhole ? 45 : 12 }
  }

  /// How long calls without an answer are waited for at the end of a batch, when its limit leaves time for it.
  private static let maxSettleMilliseconds: Int64 = 1500
  /// The longest batch; one of 235 sources takes about a second.
  private static let maxTime: Duration = .seconds(20)
  /// How many calls a batch may make.
  private static let maxCalls = 16_000

  /// What answers in the page about the make-up of a bundle; evaluated before it.
  static let probe = EngineScript(name: "probe.js", text: GateScripts.probe)
  /// What makes the calls; evaluated before the bundle.
  static let caller = EngineScript(
    name: "caller.js",
    text: GateScripts.caller
      .replacing("__parserOTABlocks", with: Instruments.blocks)
      .replacing("__parserOTACaught", with: Instruments.caught))

  let engine: BundleEngine
  let globalName: String
  /// An engine that has done with another page of the same bundle; `nil` when there is none.
  var spare: SpareEngine?

  /// The limit on one batch.
  private var limit: Duration { min(engine.limits.callTime, Self.maxTime) }

  /// The sources of a catalog: whole where a family is seen with these overrides for the first time, since others of its
  /// family run the same code.
  static func plan(_ catalog: SourceCatalog) -> [Source] {
    var seen: Set<String> = []
    return catalog.entries.map { entry in
      let key = ([entry.family] + entry.overrides.map(\.key).sorted()).joined(separator: "\n")
      return Source(
        id: entry.id.text, domain: entry.domain, family: entry.family, isWhole: seen.insert(key).inserted)
    }
  }

  // MARK: Batches

  /// Calls the parsers of some sources.
  func run(_ sources: [Source], of bundle: DryRunBundle) async -> Result<DryRun, DryRunFault> {
    var whole = DryRun()
    for batch in Self.batches(sources) {
      switch await runBatch(batch, of: bundle) {
      case .success(let run): whole.add(run)
      case .failure(let fault): return .failure(fault)
      }
    }
    return .success(whole)
  }

  static func batches(_ sources: [Source]) -> [[Source]] {
    var batches: [[Source]] = [[]]
    var weight = 0
    for source in sources {
      if weight + source.weight > maxCalls, weight > 0 {
        batches.append([])
        weight = 0
      }
      batches[batches.count - 1].append(source)
      weight += source.weight
    }
    return batches
  }

  /// A batch that does not end well is made smaller until it is one source, so that no innocent one is named.
  private func runBatch(_ sources: [Source], of bundle: DryRunBundle) async -> Result<DryRun, DryRunFault> {
    let result = await attempt(sources, of: bundle, saysCalls: false)
    guard case .failure(let fault) = result, fault.error.isAboutBundle, !Task.isCancelled else {
      return result
    }
    if let named = sources.first(where: { $0.id == fault.source }) {
      let alone = await attempt([named], of: bundle, saysCalls: true)
      if case .failure(let again) = alone {
        return .failure(DryRunFault(error: again.error, source: named.id, call: again.source))
      }
    }
    guard sources.count > 1 else {
      return .failure(DryRunFault(error: fault.error, source: sources.first?.id, call: nil))
    }
    var both = DryRun()
    for half in [sources.prefix(sources.count / 2), sources.dropFirst(sources.count / 2)] {
      switch await runBatch(Array(half), of: bundle) {
      case .success(let run): both.add(run)
      case .failure(let fault): return .failure(fault)
      }
    }
    return .success(both)
  }

  /// One batch in an engine of its own.
  ///
  /// - Parameter saysCalls: whether each call is named before it is made, and not only its source.
  private func attempt(
    _ sources: [Source], of bundle: DryRunBundle, saysCalls: Bool
  ) async -> Result<DryRun, DryRunFault> {
    let session: EngineSession
    switch await prepared() {
    case .success(let open): session = open
    case .failure(let error): return .failure(DryRunFault(error: error, source: nil))
    }
    let result: Result<DryRun, DryRunFault>
    do throws(EngineError) {
      try await session.evaluate(bundle.script)
      result = await ask(sources, in: session, of: bundle, saysCalls: saysCalls)
    } catch {
      result = .failure(DryRunFault(error: error, source: nil))
    }
    await session.close()
    return result
  }

  /// An engine that waits for a bundle.
  private func prepared() async -> Result<EngineSession, EngineError> {
    do throws(EngineError) {
      let session: EngineSession
      if let used = await spare?.take() {
        session = used
        try await session.renew()
      } else {
        session = try await engine.open(pages: NoPages())
      }
      try await session.install(Self.caller)
      return .success(session)
    } catch {
      return .failure(error)
    }
  }

  private func ask(
    _ sources: [Source], in session: EngineSession, of bundle: DryRunBundle, saysCalls: Bool
  ) async -> Result<DryRun, DryRunFault> {
    let settle = min(Self.maxSettleMilliseconds, GateRun.milliseconds(limit) / 3)
    let question = JSONValue.object([
      JSONMember("global", .string(globalName)), JSONMember("sources", .array(sources.map(\.question))),
      JSONMember("settleMilliseconds", .integer(settle)), JSONMember("sayCalls", .bool(saysCalls)),
      JSONMember("selectors", .array(bundle.selectors.map { .string($0) })),
    ])
    do {
      let limit = saysCalls ? min(limit, engine.limits.loadTime) : limit
      return .success(
        try DryRun(try await session.ask("gateDryRun", question, within: limit), of: bundle.instruments))
    } catch let error as EngineError {
      let last = await session.takeLogs().last { $0.level == LogLine.probeLevel }
      return .failure(DryRunFault(error: error, source: last?.text))
    } catch {
      return .failure(DryRunFault(error: .malformed("\(error)"), source: nil))
    }
  }
}

/// An engine that can be used once more, by whoever asks first.
actor SpareEngine {
  private var session: EngineSession?

  init(_ session: EngineSession) { self.session = session }

  /// The engine, to one caller; `nil` for all others.
  func take() -> EngineSession? {
    defer { session = nil }
    return session
  }
}

extension DryRunner.Source {
  fileprivate var question: JSONValue {
    .object([
      JSONMember("id", .string(id)), JSONMember("domain", .string(domain)),
      JSONMember("family", .string(family)), JSONMember("isWhole", .bool(isWhole)),
    ])
  }
}

/// A bundle as a dry run loads it.
struct DryRunBundle {
  let script: EngineScript
  /// What was put into the text; `nil` for the bundle as it is.
  let instruments: InstrumentedBundle?

  /// The literals that it hands over as selectors, each once.
  fileprivate var selectors: [String] {
    var seen: Set<String> = []
    return (instruments?.selectors ?? []).map(\.text).filter { seen.insert($0).inserted }
  }
}

/// Why a dry run gave no result.
struct DryRunFault: Error {
  let error: EngineError
  /// The source that was at work, or its call.
  let source: String?
  /// The call at which a source ended the page, when it did so again.
  var call: String?
}

extension EngineError {
  /// Whether an engine that ended so may have been ended by the bundle.
  fileprivate var isAboutBundle: Bool {
    switch self {
    case .timedOut, .callTimedOut, .outOfMemory, .flooded, .webProcessGone, .engineGone: true
    case .notInstalled, .notStarted, .cancelled, .closed, .script, .call, .malformed: false
    }
  }
}
