import Foundation
import OTAManifest
import ParserEngine
import TestSupport
import Testing

@testable import ParserPublisher

/// Bundles whose parsers have one method for each thing to find or to leave alone: a bundle is read once for all of them.
private enum CodeBundle {
  static func text(_ methods: [(name: String, body: String)], before: String = "", after: String = "")
    -> String
  {
    let written = methods.map { "    async \($0.name)(doc, manga) {\n      \($0.body)\n    }\n" }.joined()
    return """
      var NyoraParsers = (() => {
        const State = { ONGOING: "ONGOING", FINISHED: "FINISHED" };
        const PAGE_SIZE = 20;
        function cleanTitle(text) { return text.trim(); }
      \(before)
        class BaseParser {
          constructor(context, source, domain) { this.context = context; this.source = source; this.domain = domain; this.selectItem = ".item"; }
          toAbsoluteUrl(url) { return url.startsWith("http") ? url : `https://${this.domain}${url}`; }
          get origin() { return `https://${this.domain}`; }
          async chaptersOf(doc) { return [...doc.querySelectorAll("li")].map((one) => ({ url: one.id, title: cleanTitle(one.textContent) })); }
          async getListPage(page) { const doc = this.context.parseHTML(await this.context.httpGet(`${this.origin}/?p=${page}`, this)); return [...doc.querySelectorAll(this.selectItem)].map((one) => ({ url: one.getAttribute("href"), title: one.textContent, size: PAGE_SIZE })); }
          async getDetails(manga) { return { ...manga, state: State.ONGOING, chapters: [] }; }
          async getPages() { return []; }
        }
        class Alpha extends BaseParser {
          constructor(context, source, domain) { super(context, source, domain); }
      \(written)  }
        class Beta extends BaseParser {}
        const sources = \(String(decoding: Fixtures.smallCatalog(ids: ["ALPHA", "BETA"]), as: UTF8.self));
        const classes = { ALPHA: Alpha, BETA: Beta };
      \(after)
        return { getAllSources: () => sources, getParser: (id, context) => Object.hasOwn(classes, id) ? new classes[id](context, id, "a.example") : null };
      })();
      """
  }

  static let reader: CodeReader? = {
    // Without the built program there is nothing to test, which the first test says.
    guard let program = try? BuiltProducts.path(of: "parser-ota-engine") else { return nil }
    return CodeReader(program: program, environment: ["PATH": "/usr/bin:/bin"])
  }()

  static func read(
    _ bundle: String, live: String? = nil, map: String? = nil, contracts: [ContractTypes] = [],
    engines: [OldEngine] = [],
    words: [String] = []
  ) async throws -> CodeReading {
    let question = CodeQuestion(
      bundle: Array(bundle.utf8), live: live.map { Array($0.utf8) }, sourceMap: map.map { Array($0.utf8) },
      catalogWords: words, contracts: contracts, engines: engines)
    return try await (#require(reader)).read(question).get()
  }
}

/// One fault in a method of its own, and the rule that must name it.
private struct CodeFault {
  let name: String
  let body: String
  let rule: String
  var words = ""
}

@Suite("The reader of code names what must go wrong, and leaves alone what lives", .serialized)
struct CodeCheckTests {
  /// Method, rule, words of the message, and the method's body.
  private static let faults = """
    a1 | undeclared | did you mean cleanTitle | return cleanTitel(doc.title);
    a2 | undeclared |  | try { return docc.title; } catch { return ''; }
    a3 | undeclared |  | try { return doc.title; } catch (error) { return eror.message; }
    a4 | undeclared |  | if (manga.old) { return oldHelper(manga); } return manga;
    a5 | undeclared | did you mean this.toAbsoluteUrl | return toAbsoluteUrl(manga.url);
    a6 | const-assigned |  | PAGE_SIZE = 30; return PAGE_SIZE;
    a7 | before-declaration |  | const title = cleanTitle(text); const text = doc.title; return title;
    a8 | unknown-constant | did you mean ONGOING | return { url: manga.url, state: State.ONGOIN };
    a9 | unknown-field | did you mean selectItem | return doc.querySelectorAll(this.selectItm);
    b2 | unknown-member | did you mean textContent | return this.context.parseHTML('').querySelector('h1').textConent;
    b3 | unknown-member | a string has no tirm | const html = await this.context.httpGet('https://a.example', this); return html.tirm();
    b4 | unknown-member | did you mean httpGet | return this.context.htpGet('https://a.example', this);
    b5 | promise-as-value |  | const html = this.context.httpGet('https://a.example', this); return html.match(/a/);
    b6 | against-contract |  | return this.context.parseHTML(this.context.httpGet('https://a.example', this));
    b7 | against-contract | 1 argument | return this.context.httpGet('https://a.example');
    b8 | against-contract |  | return this.context.httpGet(this, 'https://a.example');
    b9 | promise-as-value | chapters | return { ...manga, chapters: this.chaptersOf(this.context.parseHTML('')) };
    c1 | lost-this |  | return ['a'].map(function (one) { return this.toAbsoluteUrl(one); });
    c3 | no-new |  | return BaseParser(this.context);
    c4 | import-of-nothing |  | return (void 0)(manga);
    c5 | promise-as-value | a text | return `${this.context.httpGet('https://a.example', this)}!`;
    c6 | promise-as-value | always true | return manga.list.filter(async (one) => one.ok);
    """.split(separator: "\n").map { line in
      let parts = line.split(separator: " | ", maxSplits: 3, omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return CodeFault(name: parts[0], body: parts[3], rule: parts[1], words: parts[2])
    }
  @Test("each kind of fault is sure, in its method, on its line")
  func faults() async throws {
    let bundle = CodeBundle.text(Self.faults.map { ($0.name, $0.body) })
    let reading = try await CodeBundle.read(bundle)
    #expect(reading.notRun == [:] && reading.syntax == nil)
    let lines = bundle.split(separator: "\n", omittingEmptySubsequences: false)
    for fault in Self.faults {
      let found = reading.messages.filter { $0.method == fault.name && $0.rule == fault.rule }
      let one = try #require(
        found.first, "\(fault.name) \(fault.body): \(reading.messages.filter { $0.method == fault.name })")
      #expect(one.isSure && !one.isOld && one.owner == "Alpha", "\(one)")
      #expect(fault.words.isEmpty || one.text.contains(fault.words), "\(one.text)")
      #expect(lines[one.line - 1].contains(fault.body.prefix(20)), "\(fault.name): line \(one.line)")
      #expect(one.methods.contains { bundle.utf8.count > $0.upperBound }, "\(one)")
    }
    let surplus = reading.messages.filter { one in !Self.faults.contains { $0.name == one.method } }
    #expect(surplus == [], "\(surplus)")
  }

  /// Forms of living code that a reader could stumble over.
  private static let living = """
    if (this.beforeList) this.beforeList(doc); return [];
    return typeof solveChallenge === 'function' ? solveChallenge(doc) : null;
    return 'bridge' in window ? bridge.log(doc) : null;
    const cell = this.context.parseHTML('').querySelector('select'); return [...cell.options].map((one) => one.value);
    for (const node of this.context.parseHTML('').childNodes) if (node.nodeType === 1) return node.querySelector('a');
    return Uint8Array.from(atob('YQ=='), (one) => one.charCodeAt(0)).length;
    let text = 0; text = String(doc.title); return text.trim();
    return [3, 1].toSorted().findLast((one) => one > 1);
    Object.assign(this, { later: 1 }); return this.later + 1;
    return await Promise.all(['a'].map(async (one) => this.context.httpGet(one, this)));
    const { label = '' } = manga; this.seen ??= new Set(); this.seen.add(label); return this.seen.size;
    const script = doc.querySelector('script').textContent; return new Function(`${script}; return chapterImages;`)();
    (0, eval)(doc.text); return chapterImages.map((url) => ({ url }));
    if (this.context.getCookie) return this.context.getCookie('a'); return this.context.httpGet('https://a.example', this, { Referer: 'x' });
    return this.context.httpGet('https://a.example', { Referer: 'x' }, this);
    return parseInt(12.5) + Number('3') + encodeURIComponent(5).length;
    const parser = this; return ['a'].map(function (one) { return parser.toAbsoluteUrl(one); });
    return ['a'].map(function (one) { return this.toAbsoluteUrl(one); }, this);
    try { return Buffer; } catch { return null; }
    switch (manga.kind) { case 1: { const one = 1; return one; } default: { const one = 2; return one; } }
    window.shared = 1; return window.NyoraParsers ? shared : 0;
    return manga.chapterList.entries[0].imageUrl;
    """.split(separator: "\n").map(String.init)

  @Test("living code gives no finding, neither as it stands nor with another build of it as the live one")
  func living() async throws {
    let methods = Self.living.enumerated().map { ("m\($0.offset)", $0.element) }
    let reading = try await CodeBundle.read(
      CodeBundle.text(
        methods, before: "  const mixin = (Base) => class extends Base { more() { return this.extra; } };"),
      words: ["extra"])
    #expect(reading.notRun == [:])
    #expect(reading.messages == [], "\(reading.messages.map { "\($0.method) \($0.rule) \($0.text)" })")
  }

  @Test("what the live bundle has as well does not count, in its place or moved")
  func differential() async throws {
    let old = ("getPages", "return Bufer.from(manga.url);"), new = ("getChapters", "return docc.title;")
    let live = CodeBundle.text([old])
    let reading = try await CodeBundle.read(CodeBundle.text([("first", "return 1;"), old, new]), live: live)
    #expect(reading.messages.map(\.isOld) == [true, false], "\(reading.messages)")
    let moved = try await CodeBundle.read(CodeBundle.text([("getDetails", old.1)]), live: live)
    #expect(moved.messages.map(\.isOld) == [true])
    let twice = try await CodeBundle.read(CodeBundle.text([old, ("getDetails", old.1)]), live: live)
    #expect(twice.messages.map(\.isOld) == [true, false])
  }

  @Test("a place in a bundle with a source map is named in its source as well, inline or beside it")
  func sourceMap() async throws {
    // One segment for each line: line 3 of the bundle is line 1 of a.js, and so on.
    let bundle = "var a = 1;\nvar b = missing;\n"
    let map = #"{"version":3,"sources":["src/a.js"],"mappings":"AAAA;AACA"}"#
    let inline =
      bundle + "//# sourceMappingURL=data:application/json;base64,\(Data(map.utf8).base64EncodedString())\n"
    for reading in [try await CodeBundle.read(inline), try await CodeBundle.read(bundle, map: map)] {
      #expect(
        reading.messages.first?.origin == Finding.Place(file: "src/a.js", line: 2, column: 1),
        "\(reading.messages)")
    }
  }

  @Test("declarations of an app are added to the contract, and faulty ones are named")
  func contracts() async throws {
    let bundle = CodeBundle.text([
      ("getChapters", "AppBridge.log(''); return this.context.cookiesOf('a', 'b');")
    ])
    let types =
      "interface ParserContext { cookiesOf(host: string): Promise<string> }\ndeclare const AppBridge: { log(text: string): void };"
    let known = try await CodeBundle.read(bundle, contracts: [ContractTypes(name: "app.d.ts", text: types)])
    #expect(known.messages.map(\.rule).allSatisfy { $0 != "undeclared" }, "\(known.messages)")
    #expect(known.contractFault == nil)
    let faulty = try await CodeBundle.read(
      bundle, contracts: [ContractTypes(name: "app.d.ts", text: "interface {")])
    #expect(faulty.contractFault?.hasPrefix("app.d.ts:1:") == true && faulty.notRun[.types] != nil)
  }

  @Test("syntax that an old engine lacks refuses, an interface warns unless the code tests for it")
  func engines() async throws {
    let bundle = CodeBundle.text([
      (
        "a1",
        "return /(?<=a)b/.test(manga.url) || /[\\p{L}--[a-z]]/v.test(manga.url) || /(?i:x)/.test(manga.url);"
      ),
      ("a2", "return manga.list.toSorted();"),
      ("a3", "return typeof structuredClone === 'function' ? structuredClone(manga) : manga;"),
      ("a4", "return manga?.url ?? '';"),
    ])
    let engines = try OldEngine.list("ios 15, android-webview 90")
    let reading = try await CodeBundle.read(bundle, engines: engines)
    let found = reading.messages.filter { $0.check == .engines }
    #expect(
      found.filter { $0.method == "a1" && $0.isSure }.map(\.subject) == [
        "regexp-lookbehind", "regexp-flag-v", "regexp-modifiers",
      ], "\(found)")
    #expect(
      found.filter { $0.method == "a2" }.map(\.isSure) == [false]
        && !found.contains { ["a3", "a4"].contains($0.method) })
    let older = try await CodeBundle.read(bundle, engines: try OldEngine.list("ios 12"))
    #expect(
      older.messages.filter { $0.method == "a4" }.allSatisfy {
        $0.isSure && $0.text.contains("since iOS 13.4")
      })
    #expect(older.messages.count { $0.method == "a4" } == 2)
    for text in ["", "ios", "ios 15,", "ios x", "opera 9", "ios 15, ios 16", "ios 1.2.3.4"] {
      #expect(throws: InputError.self, "\(text)") { try OldEngine.list(text) }
    }
  }
}

@Suite("The gate with a reader of code")
struct CodeGateTests {
  private func gate(path: String = "/usr/bin:/bin") throws -> ReleaseGate {
    ReleaseGate(
      engine: BundleEngine(
        program: try BuiltProducts.path(of: "parser-ota-engine"), environment: ["PATH": path]))
  }

  private func check(_ bundle: String, _ gate: ReleaseGate) async throws -> GateReport {
    let folder = try TemporaryDirectory()
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
      return folder.path(name)
    }
    let request = CheckRequest(
      bundlePath: try write("b.js", Array(bundle.utf8)),
      sourcesPath: try write("s.json", Fixtures.smallCatalog(ids: ["ALPHA", "BETA"])))
    return try await gate.check(request)
  }

  @Test("a fault in one class refuses with the source of that class, and is allowed by its thing")
  func sources() async throws {
    let bundle = CodeBundle.text([("getChapters", "return cleanTitel(manga.url);")])
    var gate = try gate()
    let report = try await check(bundle, gate)
    let found = try #require(report.refusals.first { $0.code == .names }, "\(report.findings)")
    #expect(found.sources == ["ALPHA"] && found.method == "getChapters" && found.subject == "cleanTitel")
    #expect(found.place.line != nil && found.place.column != nil)
    gate.allowances = [Allowance(.names, "cleanTitel")]
    #expect(try await !check(bundle, gate).refusals.contains { $0.code == .names })
  }

  @Test("a fault in a shared helper names the sources whose parsers reach it")
  func helpers() async throws {
    let bundle = CodeBundle.text(
      [("getChapters", "return second(manga);")],
      before: "  function first(x) { return missng(x); }\n  const second = (x) => first(x);")
    let report = try await check(bundle, try gate())
    #expect(report.refusals.first { $0.code == .names }?.sources == ["ALPHA"], "\(report.findings)")
  }

  @Test("without Node.js a note says what was not run, and nothing is refused for it")
  func withoutNode() async throws {
    let report = try await check(
      CodeBundle.text([("getChapters", "return cleanTitel(manga.url);")]), try gate(path: "/nowhere"))
    let note = try #require(report.findings.first { $0.code == .types })
    #expect(
      note.severity == .note && note.message.contains("Node.js is not installed")
        && note.advice?.contains("nodejs") == true)
    #expect(report.notRun.filter { $0.code.needsReader }.map(\.code) == [.names, .types, .engines])
    #expect(!report.refusals.contains { $0.code.needsReader })
  }
}
