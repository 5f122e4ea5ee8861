internal import OTAManifest
internal import ParserEngine

/// Calls every parser of a bundle on made-up pages, in an engine that is there or in one of its own.
struct DryRunner {
  /// How long calls without an answer are waited for at the end of a dry run, when its limit leaves time for it.
  private static let maxSettleMilliseconds: Int64 = 1500
  /// The longest dry run of all sources; one of 235 sources takes about a second.
  private static let maxTime: Duration = .seconds(20)
  /// What answers in the page; evaluated before the bundle.
  static let probe = EngineScript(
    name: "probe.js", text: String(decoding: PackageResources.probe_js, as: UTF8.self))

  let engine: ParserEngine
  let globalName: String

  /// The limit on a dry run of all sources.
  var limit: Duration { min(engine.limits.callTime, Self.maxTime) }

  /// A dry run in an engine that has loaded the probe and the bundle.
  ///
  /// - Parameter saysCalls: whether each call is named before it is made, and not only its source.
  func run(
    _ entries: [SourceEntry], in session: EngineSession, within limit: Duration, saysCalls: Bool = false
  ) async -> Result<DryRun, DryRunFault> {
    let sources = entries.map { entry in
      JSONValue.object([
        JSONMember("id", .string(entry.id.text)), JSONMember("domain", .string(entry.domain)),
      ])
    }
    let settle = min(Self.maxSettleMilliseconds, GateRun.milliseconds(limit) / 3)
    let question = JSONValue.object([
      JSONMember("global", .string(globalName)), JSONMember("sources", .array(sources)),
      JSONMember("settleMilliseconds", .integer(settle)), JSONMember("sayCalls", .bool(saysCalls)),
    ])
    do {
      return .success(try DryRun(try await session.ask("gateDryRun", question, within: limit)))
    } catch let error as EngineError {
      let last = await session.takeLogs().last { $0.level == LogLine.probeLevel }
      return .failure(DryRunFault(error: error, source: last?.text))
    } catch {
      return .failure(DryRunFault(error: .malformed("\(error)"), source: nil))
    }
  }

  /// A dry run in an engine of its own; `nil` when the bundle could not be loaded there.
  func run(
    _ entries: [SourceEntry], of bundle: EngineScript, within limit: Duration, saysCalls: Bool = false
  ) async -> Result<DryRun, DryRunFault>? {
    do {
      let session = try await engine.open(pages: NoPages())
      try await session.install(Self.probe)
      try await session.evaluate(bundle)
      let result = await run(entries, in: session, within: limit, saysCalls: saysCalls)
      await session.close()
      return result
    } catch {
      // The session ends with its last reference, and its engine with it.
      return nil
    }
  }

  /// The faults of some sources in another bundle; `nil` when it could not be run, since that excuses nothing.
  func faults(of bundle: [UInt8], entries: [SourceEntry]) async -> Set<String>? {
    let script = EngineExamination.script(bundle)
    guard case .success(let run)? = await run(entries, of: script, within: limit) else { return nil }
    return run.faults
  }
}

/// Why a dry run gave no result.
struct DryRunFault: Error {
  let error: EngineError
  /// The source that was at work, or its call.
  let source: String?
}
