import OTAManifest
import ParserEngine
import Testing

@Suite("A script in the engine") struct ScriptTests {
  /// A text that does not parse, and the line that is to be named.
  private let broken: [(String, Int)] = [
    ("console.log('ran');\nvar a = {;\n", 2), ("console.log('ran');\nfunction f() {\n  return 1;\n", 4),
    ("<!DOCTYPE html><p>not here</p>", 1), ("console.log('ran'); var s = 'never ends", 1),
    ("var a = `\n\n", 3),
    ("a b", 1),
  ]

  @Test("B06: that does not parse is told by its place, and nothing of it runs")
  func syntax() async throws {
    let session = try await Engines.engine().open(pages: NoPages())
    for (text, line) in broken {
      let script = EngineScript(name: "parsers.bundle.js", text: text)
      guard case .script(let fault) = await Engines.error(of: { try await session.checkSyntax(of: script) }),
        case .script(let late) = await Engines.error(of: { try await session.evaluate(script) })
      else {
        Issue.record("it was taken: \(text)")
        continue
      }
      #expect(fault.script == "parsers.bundle.js" && late.script == "parsers.bundle.js")
      #expect(fault.message.hasPrefix("SyntaxError: ") && late.message.hasPrefix("SyntaxError: "))
      #expect(fault.kind == .syntax && fault.line == line, "\(text)")
    }
    #expect(await session.takeLogs().allSatisfy { $0.text != "ran" })
    await session.close()
  }

  @Test("that throws while it loads is told by its place, and its error in its own words")
  func exception() async throws {
    let session = try await Engines.engine().open(pages: NoPages())
    let text = "'use strict';\nlet a = 1;\n  missing(a);\n"
    let script = EngineScript(name: "parsers.bundle.js", text: text)
    try await session.checkSyntax(of: script)
    let error = await Engines.error { try await session.evaluate(script) }
    #expect(
      error
        == .script(
          ScriptFault(
            .exception, script: "parsers.bundle.js", message: "ReferenceError: Can't find variable: missing",
            line: 3, column: 10)))
    let thrown = await Engines.error {
      try await session.evaluate(
        EngineScript(name: "b.js", text: "throw new Error('the site: changed\\nits markup')"))
    }
    guard case .script(let fault) = thrown else {
      Issue.record("it was taken")
      return
    }
    #expect(fault.message == "Error: the site: changed\nits markup" && fault.line == 1)
    await session.close()
  }

  @Test("runs as a program of its own, whatever its last value is")
  func program() async throws {
    let session = try await Engines.engine().open(pages: NoPages())
    for text in [
      "(function () {})", "Symbol('a')", "window", "var a = 1 // no line feed", "",
      "\"use strict\"; var b = 2",
    ] {
      try await session.evaluate(EngineScript(name: "a.js", text: text))
    }
    try await session.install(
      EngineScript(name: "p.js", text: "probes.sum = (x) => x + page.global('a') + page.global('b');"))
    #expect(try await session.ask("sum", .integer(4)) == .integer(7))
    await session.close()
  }

  /// What a function does, and the value that comes back; `nil` where it is no value that JSON knows.
  private let odd: [(String, JSONValue?)] = [
    ("return 10n", nil), ("const a = {}; a.a = a; return a", nil), ("return () => 1", nil),
    ("return 'a\\ud800b'", .string("a\u{FFFD}b")), ("return '\\\\ud800'", .string("\\ud800")),
    ("return '\\ud83d\\ude00'", .string("\u{1F600}")), ("return undefined", .null),
    ("return [NaN]", .array([.null])),
  ]

  @Test("whose result is no JSON is told so, and odd text comes back whole")
  func results() async throws {
    let session = try await Engines.engine().open(pages: NoPages())
    for (body, expected) in odd {
      try await session.install(
        EngineScript(name: "p.js", text: "probes.odd = async () => { \(body) };"))
      if let expected {
        #expect(try await session.ask("odd", .null) == expected, "\(body)")
      } else {
        guard case .call(let fault) = await Engines.error(of: { _ = try await session.ask("odd", .null) })
        else {
          Issue.record("it was taken: \(body)")
          continue
        }
        #expect(fault.name == "TypeError")
      }
    }
    await session.close()
  }

  @Test("that throws in a call is told with name, message and place; anything can be thrown")
  func thrown() async throws {
    let session = try await Engines.session(
      bundle(list: "\n  this.missing();", details: "throw 'text';", pages: "throw null;"))
    guard case .call(let fault) = await Engines.error(of: { _ = try await session.call(call(.list)) }) else {
      Issue.record("it was taken")
      return
    }
    #expect(fault.name == "TypeError")
    #expect(fault.message.contains("this.missing is not a function"))
    #expect(fault.script == "parsers.bundle.js" && fault.line == 6)
    #expect(fault.stack.contains("getListPage"))
    #expect(
      await Engines.error { _ = try await session.call(call(.details)) }
        == .call(CallFault(name: "string", message: "text")))
    #expect(
      await Engines.error { _ = try await session.call(call(.pages)) }
        == .call(CallFault(name: "object", message: "null")))
    await session.close()
  }

  @Test("that does not know the source, or has no entry point, is told so")
  func missing() async throws {
    let session = try await Engines.session("var Other = 1;")
    for (name, message) in [
      ("NyoraParsers", "the bundle defines no NyoraParsers"), ("a-b", "a-b is no name of a global"),
    ] {
      var asked = call(.list)
      asked.globalName = name
      let error = await Engines.error { _ = try await session.call(asked) }
      guard case .call(let fault) = error else {
        Issue.record("it was taken")
        return
      }
      #expect(fault.message == message)
    }
    await session.close()
  }

  @Test("logs to its caller, also what nobody caught")
  func logs() async throws {
    let session = try await Engines.session(
      """
      console.log('one', 2, { three: 3 }, [4], null, undefined, 5n);
      console.error(new TypeError('six'));
      console.warn('x'.repeat(10000));
      Promise.reject(new Error('seven'));
      """)
    try await session.install(
      EngineScript(name: "p.js", text: "probes.later = () => new Promise((done) => setTimeout(done, 20));"))
    _ = try await session.ask("later", .null)
    let logs = await session.takeLogs()
    #expect(logs.first == LogLine(level: "log", text: "one 2 {\"three\":3} [4] null undefined 5"))
    #expect(logs.dropFirst().first == LogLine(level: "error", text: "TypeError: six"))
    #expect(logs.first { $0.level == "warn" }?.text.count == 4096)
    #expect(logs.contains(LogLine(level: "uncaught", text: "Error: seven")))
    #expect(await session.takeLogs() == [])
    await session.close()
  }
}
