import OTAManifest
import ParserEngine
import TestSupport
import Testing

@testable import ParserPublisher

// Within a suite whose tests look whether an engine is left, so that no two of them run engines at a time.
extension HistoryTests {
  /// The words of the engine that is installed are the table: each piece of code is run, and what it throws is judged.
  @Suite("The engine's own words say whose fault an error is")
  struct EngineWordsTests {
    private static let programming = [
      "const y = x; const x = 1; return y;", "let a = a + 1; return a;", "return nowhere;", "nowhere();",
      "return typeof nowhere.x;",
      "return document.querySelector(\"a:contains('x')\");", "return document.body.closest('::x');",
      "return document.body.matches('a[');",
      "return new RegExp('(' + 1);", "return new RegExp('a', 'zz');", "return 'x'.match('[');",
      "function f() { return this.x; } return f();", "function f() { return this.x(); } return f();",
      "return [1].map(function () { return this.domain; });", "let Rating; return Rating.SAFE;",
      "let Rating; return Rating.safe();",
      "return [1].map((x) => x).filtre((x) => x);", "return 'x'.trimm();", "const a = 1; a = 2;",
      "const o = Object.freeze({ x: 1 }); o.x = 2;",
      "return (class { #x = 1; static of(o) { return o.#x; } }).of({});",
      "return (class { #x() {} static of(o) { return o.#x(); } }).of({});",
      "class A {} return A();", "const o = {}; return new o.Foo();", "let Foo; return new Foo();",
      "class B {} class A extends B { constructor() { this.x = 1; } } return new A();",
      "let B; return class extends B {};",
      "let B; return {} instanceof B;", "return 'x'.matchAll(/x/);", "return 'x'.replaceAll(/x/, '');",
      "return 1n + 1;",
      "const { querySelector } = document; return querySelector('a');",
      "function f() { return f() + 1; } return f();", "return this.nothing();",
      "return this.settings.url;", "return super.nothing();", "return this.context.httpget('x');",
      "const n = document.body; return n.getAttribute.trim();",
      "return document.body.textContent();",
    ]
    private static let data = [
      "const o = {}; for (const x of o) return x;", "const o = {}; for (const x of o.items) return x;",
      "const o = {}; return [...o];",
      "let o; return [...o];", "let o; const { a } = o; return a;",
      "const o = null; const [a] = o; return a;", "return new URL('/x');",
      "return JSON.parse('<');", "return JSON.parse('');", "return atob('%%');",
      "return decodeURIComponent('%');",
      "return document.querySelector('h7').textContent;", "const o = {}; return o.data.items;",
      "const o = {}; return o.items.map((x) => x);",
      "const t = document.createTextNode('x'); return t.getAttribute('src');",
      "const o = {}; return o.findLastIndex((x) => x);",
      "const o = {}; return o.getTime();", "return [].reduce((a, b) => a);",
      "return new Date('x').toISOString();",
      "return new Function('return chapterImages')();", "return (0, eval)('chapterImages');",
      "throw new Error('Chapter not found');",
      "throw 'x';", "return document.body.appendChild(null);", "const f = {}; return new f['x']();",
    ]

    private func bundle(_ codes: [String]) -> String {
      let cases = codes.map { "class extends Base { run() { \($0) } }" }.joined(separator: ",\n")
      return """
        "use strict";
        class Base { async getListPage() { return this.run(); } }
        const cases = [\(cases)];
        var NyoraParsers = {
          getAllSources: () => [],
          getParser: (id, context) => Object.assign(new cases[Number(id)](), { context }),
        };
        """
    }

    private func classes(_ codes: [String]) async throws -> [(code: String, text: String, fault: FaultClass?)]
    {
      let engine = BundleEngine(
        program: try BuiltProducts.path(of: "parser-ota-engine"), environment: ["PATH": "/usr/bin:/bin"])
      let session = try await engine.open(pages: NoPages())
      try await session.evaluate(EngineExamination.script(Array(bundle(codes).utf8)))
      let arguments = JSONValue.object([
        JSONMember("page", .integer(1)), JSONMember("order", .string("UPDATED")),
      ])
      var found: [(String, String, FaultClass?)] = []
      for (number, code) in codes.enumerated() {
        do {
          _ = try await session.call(ParserCall(source: String(number), method: .list, arguments: arguments))
          found.append((code, "nothing was thrown", nil))
        } catch EngineError.call(let fault) {
          let error = PageError(
            name: fault.name, message: fault.message, line: fault.line, column: fault.column,
            script: fault.script)
          found.append((code, error.text, FaultClass(error)))
        }
      }
      await session.close()
      return found
    }

    @Test("what no page can make right")
    func faults() async throws {
      for (code, text, fault) in try await classes(Self.programming) {
        #expect(fault == .programming, "\(code) \(text)")
      }
    }

    @Test("what another page could make right")
    func pages() async throws {
      for (code, text, fault) in try await classes(Self.data) { #expect(fault == .data, "\(code) \(text)") }
    }
  }
}
