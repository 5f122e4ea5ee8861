import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

/// A bundle in which each source has a class of its own over one base class, and the catalog for it.
struct StoryBundle {
  /// The bodies of the classes by their sources.
  var bodies: [(id: String, body: String)]
  /// More members of the base class.
  var base = ""
  /// What stands before the classes.
  var before = ""
  /// The overrides of each source, as JSON.
  var overrides: [String: String] = [:]
  /// What getParser does with a new parser.
  var made = "parser"

  /// One source for each body, named by its number.
  init(_ bodies: [String]) {
    self.bodies = bodies.enumerated().map { ("S\($0.offset)", $0.element) }
  }

  var ids: [String] { bodies.map(\.id) }

  var catalog: String {
    let entries = ids.map { id in
      """
        {"id":"\(id)","className":"\(id)","title":"\(id)","locale":"en","domain":"\(id.lowercased()).example",
         "family":"Family\(id)","isNsfw":false,"overrides":\(overrides[id] ?? "{}")}
      """
    }
    return "[\n" + entries.joined(separator: ",\n") + "\n]\n"
  }

  var sources: [UInt8] { Array(catalog.utf8) }

  var text: String {
    let classes = bodies.map { "  class Family\($0.id) extends Base {\n    \($0.body)\n  }" }.joined(
      separator: "\n")
    return """
      var NyoraParsers = (() => {
        \(before)
        class Base {
          constructor(context, source) { this.context = context; this.source = source; Object.assign(this, source.overrides); }
          async getListPage(page, order, filter) { return []; }
          async getDetails(manga) { return { ...manga, chapters: [] }; }
          async getPages(chapter) { return []; }
          \(base)
        }
      \(classes)
        const sources = \(catalog);
        const families = { \(ids.map { "\($0): Family\($0)" }.joined(separator: ", ")) };
        return {
          getAllSources: () => sources,
          getParser(id, context) {
            if (!Object.hasOwn(families, id)) return null;
            const parser = new families[id](context, sources.find((source) => source.id === id));
            return \(made);
          },
        };
      })();
      """
  }
}

extension HistoryTests {
  /// Beside the others in one row: they count the engines that are left.
  @Suite("Calls that lead nowhere are refused when nothing else can explain them") struct MemberStoryTests {}
}

extension HistoryTests.MemberStoryTests {
  private func findings(_ bundle: StoryBundle) async throws -> [Finding] {
    let history = try await History()
    return try await history.check(bundle: bundle.text, sources: bundle.sources).findings
      .filter { $0.severity != .note }
  }

  @Test("N01: an optional hook may be asked for in any way")
  func optionalHooks() async throws {
    let bundle = StoryBundle([
      "async getPages() { if (this.onInit !== undefined) this.onInit(); return []; }",
      "async getPages() { if (this.onInit != null) this.onInit(); return []; }",
      "async getPages() { if (this.onInit === undefined) return []; this.onInit(); return []; }",
      "async getPages() { if ('onInit' in this) this.onInit(); return []; }",
      "async getPages() { if (this.onInit instanceof Function) this.onInit(); return []; }",
      "async getPages() { if (Boolean(this.onInit)) this.onInit(); return []; }",
      "async getPages() { if (Object.hasOwn(this, 'onInit')) this.onInit(); return []; }",
      "async getPages() { if (Reflect.has(this, 'onInit')) this.onInit(); return []; }",
      "async getPages() { if (typeof this['onInit'] === 'function') this.onInit(); return []; }",
      "async getPages() { const { onInit } = this; if (onInit) this.onInit(); return []; }",
      "async getPages() { try { this.onInit(); } catch {} return []; }",
      """
      constructor(...given) { super(...given); this.decryptor = null; }
      init() { this.decryptor = (x) => x; }
      async getPages() { if (this.decryptor !== null) this.decryptor(1); return []; }
      """,
      """
      transform = undefined;
      async getPages() { return this.transform === undefined ? [] : this.transform([]); }
      """,
      "get ready() { return !!this.onInit; }\nasync getPages() { if (this.ready) this.onInit(); return []; }",
    ])
    #expect(try await findings(bundle) == [])
  }

  @Test("N02: members may come into being while the code runs")
  func dynamicMembers() async throws {
    let use =
      "use(x) { this.setup(); return this.encode(x); } async getPages(c) { return [this.use(c.url)].flat(0) && []; }"
    var bundle = StoryBundle(
      [
        "setup() { for (const n of ['encode', 'decode']) this[n] = (x) => x; }",
        "setup() { Object.assign(this, { encode(x) { return x; } }); }",
        "setup() { Object.defineProperty(this, 'encode', { value: (x) => x }); }",
        "setup() { const tools = { encode: (x) => x }; ({ encode: this.encode } = tools); }",
        "setup() { const self = this; self.encode = (x) => x; }",
        "setup() { this.prepare(); } prepare() { this.encode ??= (x) => x; }",
        "setup() { this.prepare(); } prepare() { this.encode ||= (x) => x; }",
        "setup() { mixin(this); }",
        "setup() { for (const kind of ['code']) this['en' + kind] = (x) => x; }",
      ].map { "\($0)\n    \(use)" })
    bundle.before = "const mixin = (target) => { target.encode = (x) => x; };"
    #expect(try await findings(bundle) == [])
    var proxied = StoryBundle(["async getPages() { return this.magic() ? [] : []; }"])
    proxied.made = "new Proxy(parser, { get: (target, name) => name === 'magic' ? () => 1 : target[name] })"
    #expect(try await findings(proxied) == [])
  }

  @Test("a template method of other families, and one that an override brings, are no faults")
  func templates() async throws {
    var bundle = StoryBundle([
      "decode(x) { return x; }\nasync getPages(chapter) { return this.decoded([]); }",
      "async getPages() { return []; }",
    ])
    bundle.base =
      "decoded(x) { return this.decode(x); }\n          async getChapters() { return this.compiled ? this.compiled() : []; }"
    #expect(try await findings(bundle) == [])
    let unmet = StoryBundle([
      """
      renderRows(rows) { return rows.map((row) => this.renderRow(row)); }
      async getPages() { if (this.hasRows) this.renderRows([{}]); return []; }
      """,
      "async getPages() { return this.hasRows && this.renderRow() ? [] : []; }",
    ])
    #expect(try await findings(unmet) == [], "a condition that no parser of this bundle meets")
    var brought = StoryBundle(["async getPages() { return this.readPages([]); }"])
    brought.overrides = ["S0": #"{"readPages":"return x"}"#]
    brought.made = "Object.assign(parser, { readPages: new Function('x', parser.readPages) })"
    #expect(try await findings(brought) == [])
  }

  @Test(
    "what is sure is refused with its family, sources, line and column; what is not warns with the reason")
  func faults() async throws {
    var bundle = StoryBundle([
      "async getPages() { return this.toRelativeUrll('x') ? [] : []; }",
      "async getPages(c) { const self = this; return [c].filter(function () { return self.lost(c); }); }",
      "async getPages() { return this['vanished']() ? [] : []; }",
      "async getPages(c) { return [c].filter(function (x) { return this.toRelativeUrl(x.url); }); }",
      "async getPages() { return `${this.toRelativeUrl}/x` ? [] : []; }",
      "get address() { return 'x'; }\nasync getPages() { return this.address() ? [] : []; }",
      "async getPages() { return super.getPagse(); }",
      "async getPages() { try { return this.parseDat('x'); } catch { return []; } }",
      "async getPages() { return this.lookup('x') ? [] : []; }",
      "async getPages(c) { return c.url === 'nowhere' ? this.lookup2('x') : []; }",
    ])
    bundle.base = "toRelativeUrl(url) { return url; }\n          parseDate(x) { return x; }"
    bundle.before = "const tables = { lookup: 1, lookup2: 2 };"
    let found = try await findings(bundle)
    let calls = found.filter { $0.code == .danglingCall }
    #expect(found.count == calls.count, "no twins of the dry run: \(found)")
    let expected: [(String, String, Finding.Severity, String)] = [
      ("S0", "calls this.toRelativeUrll(), which does not exist", .error, "did you mean toRelativeUrl? "),
      ("S1", "calls this.lost(), which does not exist", .error, ""),
      ("S2", "calls this.vanished(), which does not exist", .error, ""),
      ("S3", "uses this.toRelativeUrl in a function that is called without this", .error, "arrow function"),
      ("S4", "reads this.toRelativeUrl as a text, which is a method", .error, "this.toRelativeUrl()"),
      ("S5", "calls this.address(), which is a getter of a string", .error, "brackets"),
      ("S6", "calls super.getPagse(), which does not exist", .error, "did you mean getPages? "),
      (
        "S7", "calls this.parseDat(), which does not exist; the error is caught", .warning,
        "did you mean parseDate? "
      ),
      (
        "S8", "calls this.lookup(), which does not exist, and fails so when it runs", .error, "add the method"
      ),
      (
        "S9", "calls this.lookup2(), which does not exist; line 2 has it as a key", .warning, "add the method"
      ),
    ]
    #expect(calls.count == expected.count)
    let lines = bundle.text.split(separator: "\n", omittingEmptySubsequences: false)
    for (source, words, severity, advice) in expected {
      let finding = try #require(calls.first { $0.sources == [source] }, "\(source): \(found)")
      #expect(finding.message == "Family\(source).getPages \(words)" && finding.severity == severity)
      #expect(finding.advice?.contains(advice) == true, "\(finding)")
      let line = try #require(finding.place.line), column = try #require(finding.place.column)
      #expect(
        lines[line - 1].dropFirst(column - 1).hasPrefix(
          ["this", "self", "super"].first {
            lines[line - 1].dropFirst(column - 1).hasPrefix($0)
          } ?? "?"), "\(finding.place)")
    }
  }

  @Test(
    "a misspelt method of the contract is named with its place, and N13: a value that JSON cannot hold with its entry"
  )
  func entries() async throws {
    var bundle = StoryBundle([
      "async getPagse(chapter) { return [chapter]; }", "async getDetails(manga) { return manga; }",
    ])
    bundle.base = "async getPages(chapter) { throw new Error('Not implemented'); }"
    let found = try await findings(bundle)
    let slip = try #require(found.first { $0.sources == ["S0"] && $0.code == .catalogMatch }, "\(found)")
    #expect(slip.message == "FamilyS0.getPagse is called by nobody, and getPages is not its own")
    #expect(slip.severity == .error && slip.place.line != nil && slip.advice == "did you mean getPages?")
    #expect(
      !found.contains { $0.sources.contains("S0") && $0.code == .catalogMatch && $0 != slip }, "\(found)")
    var odd = StoryBundle(["", ""])
    odd.bodies = [("A", ""), ("B", "")]
    let text = odd.text.replacing(
      "getAllSources: () => sources",
      with:
        "getAllSources: () => sources.map((s) => ({ ...s, mihonId: 12345678901234567890n, s: s.id === 'B' ? sources : 1 }))"
    )
    let report = try await History().check(bundle: text, sources: odd.sources)
    let values = report.findings.filter { $0.code == .catalogMatch }
    #expect(
      values.contains {
        $0.message == "getAllSources()[0].mihonId is a BigInt, which JSON cannot hold" && $0.sources == ["A"]
      }, "\(report.findings)")
    #expect(values.contains { $0.sources == ["B"] }, "\(report.findings)")
    #expect(!report.findings.contains { $0.code == .load })
  }

  @Test("a getParser that throws points into the bundle")
  func throwing() async throws {
    let bundle = StoryBundle(["constructor(...given) { super(...given); throw new TypeError('no table'); }"])
    let report = try await History().check(bundle: bundle.text, sources: bundle.sources)
    let found = try #require(
      report.refusals.first { $0.message.contains("getParser() throws TypeError: no table") })
    let line = bundle.text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
      $0.contains("no table")
    }
    #expect(found.place.file == "b.js" && found.place.line == line.map { $0 + 1 } && found.sources == ["S0"])
  }

  @Test(
    "overrides that nothing reads and those of another type than their default are named, unless they are live"
  )
  func overrides() async throws {
    var bundle = StoryBundle([
      "listUrl = 'manga/';\n    async getPages() { return [this.listUrl, this.withoutAjax ? 1 : 0].slice(2); }",
      "async getPages() { return [this.other].slice(2); }",
    ])
    bundle.overrides = [
      "S0": #"{"listUlr":"x/","withoutAjax":true,"listUrl":7}"#, "S1": #"{"listUrl":"y","other":1}"#,
    ]
    let found = try await findings(bundle).filter { $0.code == .overrideKeys }
    #expect(found.allSatisfy { $0.severity == .warning && $0.place.file == "s.json" }, "\(found)")
    #expect(
      found.map(\.subject) == ["listUlr", "listUrl", "listUrl"]
        && found.map(\.sources) == [["S0"], ["S0"], ["S1"]], "\(found)")
    #expect(
      found[0].message == "nothing in FamilyS0 reads the override listUlr"
        && found[0].advice == "did you mean listUrl?")
    #expect(found[1].message == "the override listUrl is a number, and a string elsewhere")
    #expect(
      found[2].message == "nothing in FamilyS1 reads the override listUrl", "another family's reader is none")
  }
}
