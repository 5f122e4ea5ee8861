public import OTAManifest
public import ParserEngine
internal import ParserPages

/// A bundle that has been loaded into an engine, whose parsers can be called.
///
/// Pages may change from one call to the next, so that many recordings are replayed in one engine.
public struct BundleSession: Sendable {
  private let bundle: ParserBundle
  private let session: EngineSession

  /// Starts an engine and loads the bundle.
  ///
  /// - Throws: whatever `EngineSession.evaluate` throws; no engine is left then.
  public init(
    _ bundle: ParserBundle, engine: BundleEngine, pages: any PageProvider
  ) async throws(EngineError) {
    let session = try await engine.open(pages: pages)
    do throws(EngineError) {
      try await session.evaluate(bundle.script)
    } catch {
      await session.close()
      throw error
    }
    (self.bundle, self.session) = (bundle, session)
  }

  /// Calls a parser as apps do, and returns what it returned.
  public func call(
    _ method: ParserCall.Method, of source: SourceID, _ arguments: JSONValue
  ) async throws(EngineError) -> JSONValue {
    var call = ParserCall(source: source.text, method: method, arguments: arguments)
    call.globalName = bundle.globalName
    return try await session.call(call)
  }

  /// The same, with everything that can go wrong as an outcome.
  package func outcome(
    _ method: ParserCall.Method, of source: SourceID, _ arguments: JSONValue
  ) async throws(EngineError) -> StepOutcome {
    let value: JSONValue
    do {
      value = try await call(method, of: source, arguments)
    } catch {
      switch error {
      case .call, .callTimedOut: return .failed(StepFailure(error))
      default: throw error
      }
    }
    do {
      return .answered(try ParserAnswer(value, to: method))
    } catch {
      return .failed(StepFailure(.parser, "the parser's answer \(error.message)"))
    }
  }

  /// Loads the bundle anew in a page of its own: nothing of the calls before is left.
  func renew() async throws(EngineError) {
    try await session.renew()
    try await session.evaluate(bundle.script)
  }

  /// The lines that the bundle logged since the last call.
  public func takeLogs() async -> [LogLine] { await session.takeLogs() }

  /// Ends the engine; when this returns, none of its processes is alive.
  public func close() async { await session.close() }
}
