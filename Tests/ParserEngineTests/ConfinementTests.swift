import Glibc
import OTAManifest
import ParserEngine
import TestSupport
import Testing

/// Who runs the engine, and what the kernel permits, differs between a desk, a server and a container.
@Suite("A bundle that looks for a way out") struct ConfinementTests {
  /// One thing that a launcher puts in front of the engine, as in `$ENGINE`.
  private static let asNobody = "exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$ENGINE\""
  /// Root without the right to make namespaces, in a user namespace that permits no further one.
  private static let withoutNamespaces = """
    exec unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces
    exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$ENGINE"'
    """

  /// Whether somebody who is not root can run an engine here, and may have a user namespace.
  static let hasOthers: Bool = {
    let asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
    func status(_ command: [String]) -> ChildStatus? {
      (try? run("/usr/bin/setpriv", asNobody + command))?.status
    }
    guard getuid() == 0, let copy = try? EngineCopy() else { return false }
    // An engine that nobody speaks with says so and ends with 2.
    return status([copy.engine]) == .exited(2)
      && status(["unshare", "--user", "--map-root-user", "true"]) == .exited(0)
  }()

  /// Whether the kernel has rules for files that need no namespace.
  private static let hasLandlock: Bool = {
    let ask = "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)"
    return (try? run("/usr/bin/python3", ["-c", ask]))?.status == .exited(0)
  }()

  @Test("finds no network, no window and nobody to ask")
  func asThisUser() async throws {
    let confinement = try await confinement(of: try Engines.engine())
    #expect(confinement == .whole || getuid() != 0)
  }

  @Test(
    "finds as little when somebody who is not root runs it",
    .enabled(if: hasOthers, "needs root, a toolchain that others can read, and user namespaces for them"))
  func asSomebodyElse() async throws {
    let confinement = try await confinement(launchedBy: Self.asNobody)
    #expect(confinement == .whole)
  }

  @Test(
    "finds as little without namespaces, by the filter and the rules, and the engine says that there is no more",
    .enabled(if: hasOthers, "needs root, a toolchain that others can read, and user namespaces for them"))
  func withoutNamespaces() async throws {
    let confinement = try await confinement(launchedBy: Self.withoutNamespaces)
    var expected = EngineConfinement.whole
    (expected.network, expected.hasOwnProcesses, expected.hasOwnIPC) = (.filter, false, false)
    // This launcher's root cannot become anybody else: nobody else is in its user namespace.
    expected.isNotRoot = false
    expected.files = Self.hasLandlock ? .rules : .page
    #expect(confinement == expected)
  }

  /// Tries every way out in an engine that a line of shell starts.
  private func confinement(launchedBy line: String) async throws -> EngineConfinement? {
    let copy = try EngineCopy()
    let script = Array("#!/bin/sh\nexport ENGINE=\(copy.engine)\n\(line)\n".utf8)
    let launcher = copy.folder.path("launcher")
    let written = try run(
      "/bin/sh", ["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh", launcher], stdin: script)
    try #require(written.status == .exited(0))
    let engine = BundleEngine(program: launcher, environment: ["PATH": "/usr/bin:/bin"])
    defer { withExtendedLifetime(copy) {} }
    return try await confinement(of: engine)
  }

  /// Tries every way out, and says what the engine claims.
  private func confinement(of engine: BundleEngine) async throws -> EngineConfinement? {
    let server = try LoopbackServer { _ in HTTPReply.status(200, Array("here".utf8)) }
    let text = """
      location = 'file:///etc/passwd'; window.open('https://site.invalid/'); window.print();
      const answers = [prompt('name?'), confirm('sure?')];
      new Image().src = '\(server.url)image';
      navigator.sendBeacon('\(server.url)beacon', 'x');
      document.body.innerHTML = '<iframe src="\(server.url)frame"></iframe><link rel="prefetch" href="\(server.url)link">';
      """
    let session = try await engine.open(pages: NoPages())
    try await session.evaluate(
      EngineScript(
        name: "parsers.bundle.js",
        text: bundle(
          list: """
            const tries = [() => fetch('\(server.url)fetch'), () => import('\(server.url)module'),
              () => new Promise((done, fail) => { const s = new WebSocket('\(server.url)ws'.replace('http', 'ws'));
                s.onopen = done; s.onerror = fail; })];
            let failed = 0;
            for (const attempt of tries) { try { await attempt(); } catch { failed += 1; } }
            try { localStorage.setItem('a', 'b'); failed -= 1; } catch { }
            return [failed, document.title, location.href];
            """, top: text)))
    let answer = try await session.call(call(.list))
    #expect(answer == .array([.integer(3), .string("parsers"), .string("https://parsers.invalid/")]))
    #expect(server.requests.isEmpty)
    let confinement = await session.confinement
    await session.close()
    #expect(livingProcesses(in: session.groupID) == [])
    return confinement
  }
}

extension EngineConfinement {
  /// Everything that there is.
  fileprivate static var whole: EngineConfinement {
    var whole = EngineConfinement()
    (whole.network, whole.files, whole.hasOwnProcesses, whole.hasOwnIPC) = (.namespace, .root, true, true)
    (whole.isNotRoot, whole.hasNoCapabilities) = (true, true)
    (whole.hasNoNewPrivileges, whole.hasCallFilter) = (true, true)
    return whole
  }
}

/// The engine in a place that every user can enter, which a checkout need not be.
private struct EngineCopy {
  let folder: TemporaryDirectory
  let engine: String

  init() throws {
    folder = try TemporaryDirectory()
    engine = folder.path("engine")
    try #require(chmod(folder.path, 0o755) == 0)
    let copied = try run(
      "/usr/bin/install", ["-m", "755", try BuiltProducts.path(of: "parser-ota-engine"), engine])
    try #require(copied.status == .exited(0))
  }
}
