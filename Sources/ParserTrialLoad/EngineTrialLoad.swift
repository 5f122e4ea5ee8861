internal import OTAManifest
public import ParserEngine
public import ParserUpdater

/// A trial load in the engine of the release gate: a hidden web view in processes of its own.
///
/// The bundle is parsed and loaded, and asked for a parser of each source of the catalog. Whatever it does, the app's
/// own process is safe from it. A fault of the bundle is a verdict; a fault of the engine leaves it undecided.
public struct EngineTrialLoad: TrialLoad {
  private static let script = String(decoding: PackageResources.trial_js, as: UTF8.self)

  /// The engine.
  public var engine: BundleEngine
  /// The global that the bundle defines.
  public var globalName = ParserCall.defaultGlobalName

  /// Uses an engine; it is started for each trial.
  public init(engine: BundleEngine) { self.engine = engine }

  /// Loads the pair in a new engine, without any network.
  public func tryLoading(_ candidate: TrialCandidate) async -> TrialVerdict {
    do throws(EngineError) {
      let session = try await engine.open(pages: NoPages())
      do {
        let missing = try await parsers(of: candidate, in: session)
        await session.close()
        return missing.first.map { .fails("source \($0)") } ?? .works
      } catch {
        await session.close()
        throw error
      }
    } catch {
      return verdict(on: error)
    }
  }

  private func parsers(
    of candidate: TrialCandidate, in session: EngineSession
  ) async throws(EngineError) -> [String] {
    let bundle = EngineScript(
      name: "parsers.bundle.js", text: String(decoding: candidate.bundle, as: UTF8.self))
    try await session.checkSyntax(of: bundle)
    try await session.install(EngineScript(name: "trial.js", text: Self.script))
    try await session.evaluate(bundle)
    let asked = JSONValue.object([
      JSONMember("globalName", .string(globalName)), JSONMember("ids", .array(ids(candidate.sources))),
    ])
    guard case .array(let missing) = try await session.ask("tryLoading", asked) else { return [] }
    return missing.compactMap { item in
      guard case .array(let pair) = item, case .string(let id)? = pair.first,
        case .string(let reason)? = pair.last
      else { return nil }
      return "\(id): \(reason)"
    }
  }

  /// A catalog that cannot be read was refused before it was staged.
  private func ids(_ sources: [UInt8]) -> [JSONValue] {
    do {
      return try SourceCatalog.decode(sources).entries.map { .string($0.id.text) }
    } catch {
      return []
    }
  }

  private func verdict(on error: EngineError) -> TrialVerdict {
    switch error {
    case .script(let fault):
      let place = fault.line.map { ":\($0)" + (fault.column.map { ":\($0)" } ?? "") } ?? ""
      return .fails("\(fault.script)\(place): \(fault.message)")
    case .call(let fault): return .fails("\(fault.name): \(fault.message)")
    case .timedOut(let what, let limit): return .fails("\(what) did not end within \(limit)")
    case .callTimedOut(let limit): return .fails("a call did not end within \(limit)")
    case .outOfMemory(let bytes, _): return .fails("it took \(bytes) bytes of memory")
    case .flooded(let what): return .fails("it sent \(what)")
    case .webProcessGone(let reason): return .fails("the web process ended: \(reason)")
    case .malformed(let what): return .fails("it sent \(what)")
    case .notInstalled(let path): return .undecided("the engine is not installed: \(path)")
    case .notStarted(let reason), .engineGone(let reason): return .undecided("the engine: \(reason)")
    case .cancelled, .closed: return .undecided("the trial was ended")
    }
  }
}
