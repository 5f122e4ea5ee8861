import Testing

@testable import ParserPublisher

/// One fault: the code, what must be said about it, and where.
private struct Fault {
  let id: String
  let code: String
  let check: GateCode
  let words: String
  /// A text on the line that must be named; `nil` where a method is enough.
  var mark: String?
  var isSure = true
}

// Within a suite whose tests look whether an engine is left, so that no two of them run engines at a time.
extension HistoryTests {
  @Suite("The dry run finds what parsers do wrong, and lets pages be as they are", .serialized)
  struct DryRunStoryTests {
    private static let harmless: [(id: String, code: String)] = [
      (
        "N04_FUNCTION",
        """
        async getPages(chapter) {
          const doc = await this.page("/x");
          const script = [...doc.querySelectorAll("script")].map((x) => x.textContent).join("\\n");
          return new Function(script + "; return chapterImages;")().map((url) => ({ url }));
        }
        """
      ),
      (
        "N04_EVAL",
        """
        async getPages(chapter) {
          (0, eval)([...(await this.page("/x")).querySelectorAll("script")].map((x) => x.textContent).join("\\n"));
          return chapterImages.map((url) => ({ url }));
        }
        """
      ),
      (
        "N05_SEARCH",
        """
        async getListPage(page, order, filter) {
          if (filter && filter.query) throw new Error("Search is not implemented by this site");
          return super.getListPage(page, order, filter);
        }
        """
      ),
      (
        "N05_KIND",
        """
        async getPages(chapter) {
          const kind = (await this.page("/x")).querySelector(".type")?.textContent;
          if (kind !== "manga") throw new Error("Reading of " + kind + " is not implemented");
          return super.getPages(chapter);
        }
        """
      ),
      (
        "N06_TEXT",
        """
        async getPages(chapter) {
          const first = (await this.page("/x")).body.firstChild;
          return [{ url: first.getAttribute("src") || "https://n.example/x" }];
        }
        """
      ),
      (
        "N06_JSON",
        """
        async getDetails(manga) {
          const data = JSON.parse(await this.text("/x"));
          const last = data.chapters.findLastIndex((x) => x.number > 0);
          return { ...manga, date: data.date.getTime(), chapters: data.chapters.with(0, { url: "/x", last }) };
        }
        """
      ),
      (
        "WAITS",
        """
        async getPages(chapter) {
          await new Promise((done) => setTimeout(done, 2000));
          await new Promise((done) => requestAnimationFrame(done));
          return super.getPages(chapter);
        }
        """
      ),
      (
        "RETRIES",
        """
        async getListPage(page, order, filter) {
          for (let round = 0; round < 4; round += 1) {
            try { return await super.getListPage(page, order, filter); } catch (error) {
              await new Promise((done) => setTimeout(done, 1000 * 2 ** round));
            }
          }
          return [];
        }
        """
      ),
      (
        "LATER",
        """
        load() { for (const name of ["encode", "decode"]) this[name] = (x) => x; }
        async getListPage(page, order, filter) { this.load(); return this.encode(await super.getListPage(page, order, filter)); }
        """
      ),
      ("HOOK", "async getDetails(manga) { try { this.onInit(); } catch {} return super.getDetails(manga); }"),
      (
        "PAGING",
        """
        async getListPage(page, order, filter) {
          const all = [];
          for (let doc = await this.page("/1"); doc; doc = doc.querySelector("a.next") ? await this.page("/2") : null) {
            all.push(...this.links(doc, "a.entry"));
          }
          return all;
        }
        """
      ),
      (
        "HOST",
        "async getPages(chapter) { const inNode = typeof process !== 'undefined'; try { require('x'); } catch {} return super.getPages(chapter); }"
      ),
    ]

    @Test("N04, N05, N06: harmless ways to write a parser say nothing")
    func harmless() async throws {
      let bundle = CaseBundle(cases: Self.harmless)
      let findings = try await bundle.findings()
      for (id, _) in Self.harmless {
        let found = findings.about(id).filter { $0.severity != .note && $0.code != .danglingCall }
        #expect(found.isEmpty, "\(id): \(found.map { "\($0.code) \($0.message)" })")
      }
    }

    private static let faults: [Fault] = [
      Fault(
        id: "N08_CONTAINS",
        code:
          #"async getListPage() { return [...(await this.page("/")).querySelectorAll("a:contains('x')")]; }"#,
        check: .dryRun, words: "is not a valid selector", mark: "a:contains('x')"),
      Fault(
        id: "N08_EQ",
        code: #"async getListPage() { return [(await this.page("/")).querySelector("a:eq(0)")]; }"#,
        check: .dryRun, words: "'a:eq(0)' is not a valid selector", mark: "a:eq(0)"),
      Fault(
        id: "N08_CLOSEST",
        code: #"async getListPage() { return [(await this.page("/")).body.closest("::x")]; }"#,
        check: .dryRun,
        words: "is not a valid selector", mark: #"closest("::x")"#),
      Fault(
        id: "SWALLOWED_SELECTOR",
        code:
          #"async getListPage() { let all = []; try { all = this.links(await this.page("/"), "b:has-text(x)"); } catch {} return all; }"#,
        check: .selectors, words: "b:has-text(x)", mark: "async page(", isSure: false),
      Fault(
        id: "UNREACHED_SELECTOR",
        code: #"never(doc) { if (Date.now() < 5) return doc.querySelector("p:eq(7)"); return null; }"#,
        check: .selectors, words: "p:eq(7)", mark: "p:eq(7)", isSure: false),
      Fault(
        id: "N09_CONST", code: "async getListPage() { const y = x; const x = 1; return [y]; }",
        check: .dryRun,
        words: "Cannot access uninitialized variable", mark: "const y = x"),
      Fault(
        id: "N09_LET", code: "async getListPage() { let page2 = page2 + 1; return [page2]; }", check: .dryRun,
        words: "Cannot access uninitialized variable", mark: "let page2"),
      Fault(
        id: "N09_PATTERN",
        code: #"async getListPage(page) { return "x".match(new RegExp("(" + page)) || []; }"#, check: .dryRun,
        words: "Invalid regular expression", mark: #"new RegExp("(""#),
      Fault(
        id: "N09_PRIVATE",
        code: "#x = 1; async getListPage() { return [Object.create(null)].map((o) => o.#x); }",
        check: .dryRun,
        words: "private", mark: "o.#x"),
      Fault(
        id: "N10_LIST", code: #"async getListPage() { this.links(await this.page("/"), "a"); }"#,
        check: .results,
        words: "list gives nothing on every made-up page, not an array", mark: "N10_LIST: class",
        isSure: false),
      Fault(
        id: "N10_DETAILS", code: "async getDetails(manga) { const found = await super.getDetails(manga); }",
        check: .results,
        words: "details gives nothing on every made-up page, not an object", isSure: false),
      Fault(
        id: "N10_NULL", code: "async getPages() { return null; }", check: .results, words: "pages gives null",
        isSure: false),
      Fault(
        id: "N10_TEXT", code: #"async getPages() { return "x"; }"#, check: .results,
        words: "pages gives a text on every made-up page", isSure: false),
      Fault(
        id: "N10_OBJECT", code: "async getListPage() { return { items: [] }; }", check: .results,
        words: "list gives an object on every made-up page, not an array", isSure: false),
      Fault(
        id: "N10_PROMISES", code: #"async getListPage() { return [this.page("/")]; }"#, check: .results,
        words: "an entry is a promise that nobody awaits, not an object", isSure: false),
      Fault(
        id: "PROMISED_CHAPTERS",
        code:
          "async chaptersOf() { return []; } async getDetails(manga) { return { ...manga, chapters: this.chaptersOf() }; }",
        check: .results, words: "chapters of details is a promise that nobody awaits", isSure: false),
      Fault(
        id: "TEXT_PAGES", code: #"async getPages() { return ["https://n.example/1.jpg"]; }"#, check: .results,
        words: "an entry is a text, not an object", isSure: false),
      Fault(
        id: "NO_URL", code: #"async getPages() { return [{ uri: "https://n.example/1.jpg" }]; }"#,
        check: .results,
        words: "an entry has no url on any made-up page", isSure: false),
      Fault(
        id: "AWAIT_FORGOTTEN",
        code: #"async getListPage() { const doc = this.page("/"); return [...doc.querySelectorAll("a")]; }"#,
        check: .results, words: "reads querySelectorAll of a promise: an await is missing",
        mark: "const doc = this.page", isSure: false),
      Fault(
        id: "CAUGHT_NAME",
        code:
          "async getPages(chapter) { try { return tidy(chapter); } catch (e) { return super.getPages(chapter); } }",
        check: .dryRun, words: "Can't find variable: tidy, which its code catches",
        mark: "return tidy(chapter)", isSure: false),
      Fault(
        id: "IN_CATCH",
        code:
          #"async getPages(chapter) { try { return JSON.parse(await this.text("/")).pages.map((url) => ({ url })); } catch (e) { console.log(wrongName); return []; } }"#,
        check: .dryRun, words: "Can't find variable: wrongName", mark: "wrongName"),
      Fault(
        id: "THIS_LOST",
        code:
          #"async getListPage() { const { links } = this; return links(await this.page("/"), this.none()); } none() { return [1].map(function () { return this.domain; }); }"#,
        check: .dryRun, words: "evaluating 'this.domain'", mark: "const { links }"),
      Fault(
        id: "IMPORT_LOST",
        code:
          "async getDetails(manga) { let ContentRating; return { ...manga, rating: ContentRating.SAFE }; }",
        check: .dryRun, words: "evaluating 'ContentRating.SAFE'", mark: "ContentRating.SAFE"),
      Fault(
        id: "MISSPELT_METHOD", code: "async getListPage() { return [1].map((x) => x).filtre((x) => x); }",
        check: .dryRun,
        words: "filtre is not a function", mark: "filtre"),
      Fault(
        id: "TEMPLATE",
        code:
          "async text(path) { return this.context.httpGet('https://${this.domain}/x', this); } async getPages() { await this.text(); return []; }",
        check: .requests, words: "has a ${} that was never filled in", mark: "'https://${this.domain}/x'"),
      Fault(
        id: "LOCALHOST",
        code: "async getPages() { await this.context.httpGet('http://localhost:3000/x', this); return []; }",
        check: .requests, words: "only this machine or its network", mark: "localhost:3000", isSure: false),
      Fault(
        id: "RELATIVE",
        code:
          "async getPages(chapter) { await this.context.httpGet(chapter.path || '/x', this); return []; }",
        check: .requests, words: "has no scheme and no host", mark: "chapter.path ||", isSure: false),
      Fault(
        id: "OWN_FETCH",
        code: "async getPages() { try { await fetch('https://n.example/'); } catch {} return []; }",
        check: .requests,
        words: "asks with fetch, not through the context", mark: "await fetch(", isSure: false),
    ]

    @Test("N08, N09, N10: what no page can make right is named with its place")
    func faults() async throws {
      let bundle = CaseBundle(cases: Self.faults.map { ($0.id, $0.code) })
      let findings = try await bundle.findings()
      for fault in Self.faults {
        let about = fault.id == "UNREACHED_SELECTOR" ? findings : findings.about(fault.id)
        let found = about.first { $0.code == fault.check && $0.message.contains(fault.words) }
        #expect(found != nil, "\(fault.id): \(about.map { "\($0.code) \($0.message)" })")
        #expect(found?.severity == (fault.isSure ? .error : .warning), "\(fault.id): \(found?.message ?? "")")
        if let mark = fault.mark, let line = bundle.line(of: mark), fault.id.hasPrefix("N10") == false {
          if fault.id != "SWALLOWED_SELECTOR" {
            #expect(found?.place.line == line, "\(fault.id) \(String(describing: found?.place))")
          }
          #expect(found?.place.column != nil, "\(fault.id)")
        } else {
          #expect(found?.place.line != nil, "\(fault.id)")
        }
      }
    }

    /// What a source did in the live release, what it does now, and what is said.
    private static let changes:
      [(id: String, old: String, new: String, words: String, severity: Finding.Severity?)] = [
        (
          "NO_CHAPTERS", "", #"async getDetails(manga) { return { ...manga, title: "x", chapters: [] }; }"#,
          "details gave 3 chapters with release 1, gives 0", .warning
        ),
        (
          "NO_PAGES", "", "async getPages() { return []; }", "pages gave 3 pages with release 1, gives 0",
          .warning
        ),
        (
          "RETURN_LOST", "", #"async getListPage() { this.links(await this.page("/"), "a"); }"#,
          "list gives nothing on every made-up page", .error
        ),
        (
          "KEY_MISSPELT", "",
          #"async getPages() { return (await super.getPages()).map(({ url }) => ({ urll: url })); }"#,
          "url of an entry is always missing, and was there with release 1", .error
        ),
        (
          "OTHER_FORM", "",
          #"async getListPage() { return (await super.getListPage(1)).map((x) => ({ ...x, url: "https://n.example" + x.url })); }"#,
          "url of an entry is absolute, and was relative with release 1", .warning
        ),
        (
          "OTHER_TYPE",
          "async getDetails(manga) { return { ...await super.getDetails(manga), uploadDate: 5 }; }",
          #"async getDetails(manga) { return { ...await super.getDetails(manga), uploadDate: "2024" }; }"#,
          "uploadDate of details is a text, and was a number", .warning
        ),
        (
          "OTHER_ID", "",
          "async getListPage() { return (await super.getListPage(1)).map((x) => ({ ...x, id: 'n' + x.id })); }",
          "list give other ids for the same URL", .warning
        ),
        (
          "OTHER_HOST", "",
          "async text() { return this.context.httpGet('https://api.elsewhere.example/', this); } async getPages(chapter) { await this.text(); return super.getPages(chapter); }",
          "asks api.elsewhere.example", .warning
        ),
        (
          "THROWS_NOW", "",
          "async getDetails(manga) { return { ...await super.getDetails(manga), more: (await this.page('/')).body.nothing.more }; }",
          "fails on a made-up page with TypeError: undefined is not an object", .warning
        ),
        (
          "STILL_PROMISED", "async getDetails(manga) { return { ...manga, chapters: Promise.resolve([]) }; }",
          "async getDetails(manga) { return { ...manga, chapters: Promise.resolve([]) }; }",
          "chapters of details is a promise", .warning
        ),
        (
          "REWRITTEN", "",
          #"async getListPage(page, order, filter) { const doc = await this.page("/other"); const all = []; for (const a of Array.from(doc.querySelectorAll("div.card > a[href]"))) { const url = a.getAttribute("href"); all.push({ id: url, url, title: a.textContent.trim() }); } return all; }"#,
          "", nil
        ),
      ]

    @Test(
      "what a release gives less than the live one on the same pages is said per family, and a rewrite that gives the same is not"
    )
    func changes() async throws {
      let live = CaseBundle(cases: Self.changes.map { ($0.id, $0.old) })
      let next = CaseBundle(cases: Self.changes.map { ($0.id, $0.new) })
      let findings = try await next.findings(against: live)
      for (id, _, _, words, severity) in Self.changes {
        let about = findings.about(id).filter { $0.severity != .note }
        guard let severity else {
          #expect(about.isEmpty, "\(id): \(about.map(\.message))")
          continue
        }
        let found = about.first { $0.message.contains(words) }
        #expect(found?.severity == severity, "\(id): \(about.map { "\($0.severity) \($0.message)" })")
        #expect(found?.place.line != nil, "\(id)")
        // The live release does it too, so nothing of it is new.
        if id != "STILL_PROMISED" { #expect(about.count { $0.message.contains(words) } == 1, "\(id)") }
      }
    }
  }
}
