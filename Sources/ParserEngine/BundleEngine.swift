internal import OTAProcess

/// The engine in which bundles are tried: a hidden web view of the family that apps use, in processes of its own.
///
/// This library starts the program `parser-ota-engine` and talks to it; it links and loads no web engine itself.
public struct BundleEngine: Sendable {
  /// The path of the engine's program.
  public let program: String
  /// What a bundle may use up.
  public var limits: EngineLimits
  package let environment: [String: String]

  /// Names the program; nothing is started yet.
  ///
  /// - Parameter environment: where the search path, the library path and the display are taken from.
  public init(program: String, limits: EngineLimits = EngineLimits(), environment: [String: String]) {
    self.program = program
    self.limits = limits
    self.environment = environment
  }

  /// Whether the program is there and may be run.
  public var isInstalled: Bool { isExecutableFile(at: program) }

  /// Starts an engine with an empty page.
  ///
  /// - Parameter pages: answers the requests of parsers; the engine itself has no network.
  /// - Throws: `notInstalled`, `notStarted`, `timedOut`, or `cancelled`.
  public func open(pages: any PageProvider) async throws(EngineError) -> EngineSession {
    guard isInstalled else { throw .notInstalled(program) }
    let passedOn = [
      "PATH", "LD_LIBRARY_PATH", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "TZ",
    ]
    var variables = environment.filter { passedOn.contains($0.key) }
    variables["LANG"] = "C.UTF-8"
    let session: EngineSession
    do {
      session = try EngineSession(command: [program], environment: variables, limits: limits, pages: pages)
    } catch {
      throw .notStarted("\(error)")
    }
    try await session.start()
    return session
  }
}
