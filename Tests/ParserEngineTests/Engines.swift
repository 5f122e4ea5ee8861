import Glibc
import OTAManifest
import ParserEngine
import TestSupport
import Testing

/// Starts engines for the tests.
enum Engines {
  static func engine(_ change: (inout EngineLimits) -> Void = { _ in }) throws -> BundleEngine {
    var limits = EngineLimits()
    change(&limits)
    return BundleEngine(
      program: try BuiltProducts.path(of: "parser-ota-engine"), limits: limits,
      environment: ["PATH": "/usr/bin:/bin"])
  }

  /// A session whose bundle is loaded.
  static func session(
    _ bundle: String, pages: any PageProvider = NoPages(), _ change: (inout EngineLimits) -> Void = { _ in }
  ) async throws -> EngineSession {
    let session = try await engine(change).open(pages: pages)
    try await session.evaluate(EngineScript(name: "parsers.bundle.js", text: bundle))
    return session
  }

  /// The error with which `work` ends.
  static func error(of work: () async throws -> Void) async -> EngineError? {
    do {
      try await work()
      return nil
    } catch {
      return error as? EngineError
    }
  }
}

/// A bundle whose one parser runs the given JavaScript in each of its methods.
func bundle(
  list: String = "return [];", details: String = "return {};", pages: String = "return [];", top: String = ""
)
  -> String
{
  """
  var NyoraParsers = (function () {
    \(top)
    class Parser {
      constructor(context) { this.context = context; this.domain = 'site.invalid'; this.source = { id: 'ALPHA' }; }
      async getListPage(page, order, filter) { \(list) }
      async getDetails(manga) { \(details) }
      async getPages(chapter) { \(pages) }
    }
    return {
      getAllSources: function () { return [{ id: 'ALPHA' }]; },
      getParser: function (id, context) { return id === 'ALPHA' ? new Parser(context) : null; }
    };
  })();
  """
}

func call(_ method: ParserCall.Method, _ members: [JSONMember] = []) -> ParserCall {
  ParserCall(source: "ALPHA", method: method, arguments: .object(members))
}
