import Glibc
import OTAManifest
import ParserEngine
import TestSupport
import Testing

/// What a bundle can do to the engine: each ends in its own error, in its time, and no process is left.
@Suite("A hostile bundle") struct HostileBundleTests {
  /// Loads a bundle, asks for the error, and checks what is left.
  private func ending(
    within seconds: Double, _ change: @escaping (inout EngineLimits) -> Void = { _ in },
    _ work: (EngineSession) async throws -> Void
  ) async throws -> EngineError? {
    let session = try await Engines.engine(change).open(pages: NoPages())
    let start = ContinuousClock.now
    let error = await Engines.error { try await work(session) }
    #expect(ContinuousClock.now - start < .seconds(seconds))
    // An engine that was killed answers nothing more, and says why.
    if let error, !error.leavesSession {
      #expect(
        await Engines.error { try await session.evaluate(EngineScript(name: "a.js", text: "0")) } == error)
    }
    await session.close()
    #expect(livingProcesses(in: session.groupID) == [])
    return error
  }

  private func load(_ text: String, _ session: EngineSession) async throws {
    try await session.evaluate(EngineScript(name: "parsers.bundle.js", text: text))
  }

  @Test(
    "B06: that never ends while it loads is killed at the limit",
    arguments: [
      "for (;;) { try { (function f() { f(); })(); } catch {} }", "(async () => { for (;;) await null; })();",
      "while (true) alert('here');",
    ])
  func endlessLoad(_ text: String) async throws {
    let error = try await ending(within: 20, { $0.loadTime = .seconds(1) }) { try await load(text, $0) }
    #expect(error == .timedOut(during: "parsers.bundle.js", after: .seconds(1)))
  }

  @Test("that eats memory is killed at the limit")
  func memoryBomb() async throws {
    let text = "const held = []; for (;;) held.push(new Uint8Array(1 << 22).fill(1));"
    let error = try await ending(within: 30, { $0.maxMemoryBytes = 500 << 20 }) { try await load(text, $0) }
    guard case .outOfMemory(let bytes, let limit) = error else {
      Issue.record("ended with \(String(describing: error))")
      return
    }
    #expect(limit == 500 << 20 && bytes > limit)
  }

  @Test(
    "that floods its parent is killed at the limit",
    arguments: [
      ("for (;;) console.log('line');", "lines in the log"),
      ("for (;;) __context.httpGet('https://site.invalid/');", "messages"),
      ("\(bundle(list: "return 'x'.repeat(2 << 20);"))", "a message of"),
    ])
  func flood(_ text: String, _ what: String) async throws {
    let error = try await ending(
      within: 30,
      { limits in
        limits.maxMessages = 5000
        limits.maxLogLines = 1000
        limits.maxMessageBytes = 1 << 20
      },
      { session in
        try await load(text, session)
        _ = try await session.call(call(.list))
      })
    guard case .flooded(let told) = error else {
      Issue.record("ended with \(String(describing: error))")
      return
    }
    #expect(told.contains(what))
  }

  @Test("whose web process dies ends at once, and says so")
  func crash() async throws {
    let error = try await ending(within: 20) { session in
      let web = try #require(processes(in: session.groupID).first { $0.name.hasPrefix("WebKitWebProces") })
      async let endless: Void = load("for (;;) {}", session)
      kill(web.id, SIGABRT)
      try await endless
    }
    #expect(error == .webProcessGone("it crashed"))
  }

  @Test("whose engine dies ends at once, and says so")
  func engineCrash() async throws {
    let error = try await ending(within: 20) { session in
      kill(session.groupID, SIGKILL)
      try await load("for (;;) {}", session)
    }
    #expect(error == .engineGone("it ended with status 137"))
  }

  @Test("that has no end in a call is told apart from a page that only waits")
  func endlessCall() async throws {
    let waits = bundle(list: "return new Promise(() => {});", details: "for (;;) {}")
    let error = try await ending(
      within: 20,
      { limits in
        limits.callTime = .milliseconds(700)
        limits.pulseTime = .milliseconds(700)
      },
      { session in
        try await load(waits, session)
        let waiting = await Engines.error { _ = try await session.call(call(.list)) }
        #expect(waiting == .callTimedOut(.milliseconds(700)))
        // The page lives on: another call is answered.
        #expect(try await session.call(call(.pages)) == .array([]))
        _ = try await session.call(call(.details))
      })
    #expect(error == .timedOut(during: "details of ALPHA", after: .milliseconds(700)))
  }

  @Test("leaves nothing when its session is let go or its caller gives up")
  func letGo() async throws {
    var session: EngineSession? = try await Engines.session(bundle())
    let group = try #require(session?.groupID)
    #expect(!livingProcesses(in: group).isEmpty)
    session = nil
    #expect(try await eventually { livingProcesses(in: group).isEmpty })

    let other = try await Engines.session(bundle())
    let task = Task { try await other.evaluate(EngineScript(name: "loop.js", text: "for (;;) {}")) }
    task.cancel()
    #expect(await Engines.error { try await task.value } == .cancelled)
    #expect(livingProcesses(in: other.groupID) == [])
  }

  /// Polls in steps, for what another thread does.
  private func eventually(_ condition: () -> Bool) async throws -> Bool {
    for _ in 0..<300 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    return condition()
  }
}

extension EngineError {
  /// Whether the session goes on after it.
  fileprivate var leavesSession: Bool {
    switch self {
    case .script, .call, .callTimedOut: true
    default: false
    }
  }
}
