import OTAFeed
import OTAManifest
import ParserEngine
import TestSupport

@testable import ParserPublisher

/// A bundle of many made-up sources, each with a class of its own: one case each, so that one run of the engine tries all.
struct CaseBundle {
  /// The members of the class of each source, by the id of the source.
  let cases: [(id: String, code: String)]
  /// Code before the classes.
  var head = ""

  var ids: [String] { cases.map(\.id) }
  var catalog: [UInt8] { Fixtures.smallCatalog(ids: ids) }
  var bytes: [UInt8] { Array(text.utf8) }

  /// The bundle; the methods that a case does not have are right.
  var text: String {
    """
    var NyoraParsers = (() => {
    \(head)
    class Base {
      constructor(context, source, domain) { this.context = context; this.source = source; this.domain = domain; }
      async page(path) { return this.context.parseHTML(await this.context.httpGet(`https://${this.domain}${path}`, this)); }
      async text(path) { return this.context.httpGet(`https://${this.domain}${path}`, this); }
      links(doc, selector) {
        return [...doc.querySelectorAll(selector)].map((a) => ({ id: a.getAttribute("href"), url: a.getAttribute("href"), title: a.textContent }));
      }
      async getListPage(page, order, filter) { return this.links(await this.page(`/list/${page}`), "a.entry"); }
      async getDetails(manga) {
        const doc = await this.page("/x");
        return { ...manga, title: doc.querySelector("h1")?.textContent || manga.title, chapters: this.links(doc, "li.chapter a") };
      }
      async getPages(chapter) {
        const doc = await this.page("/x");
        return [...doc.querySelectorAll("img.page")].map((img) => ({ url: `https://${this.domain}${img.getAttribute("src")}` }));
      }
    }
    const classes = {
    \(cases.map { "\($0.id): class extends Base {\n\($0.code)\n}," }.joined(separator: "\n"))
    };
    const sources = \(String(decoding: catalog, as: UTF8.self));
    return {
      getAllSources: () => sources,
      getParser: (id, context) => {
        const source = sources.find((entry) => entry.id === id);
        return source ? new classes[id](context, source, source.domain) : null;
      },
    };
    })();

    """
  }

  /// The line on which a text stands, from 1.
  func line(of part: String) -> Int? {
    text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(part) }.map {
      $0 + 1
    }
  }

  /// What the gate says about it, without or with a live release of other code.
  func findings(against live: CaseBundle? = nil) async throws -> [Finding] {
    let feed = try await TestFeed()
    var request = CheckRequest(
      bundlePath: try feed.write("b.js", bytes), sourcesPath: try feed.write("s.json", catalog))
    (request.bundleName, request.sourcesName) = ("b.js", "s.json")
    if let live {
      _ = try await feed.publisher.publish(try feed.request(bundle: live.bytes, sources: live.catalog))
      request.against = .init(.directory(feed.feed), trust: nil)
    }
    let gate = ReleaseGate(
      engine: BundleEngine(
        program: try BuiltProducts.path(of: "parser-ota-engine"), environment: ["PATH": "/usr/bin:/bin"]))
    return try await gate.check(request).findings
  }
}

extension [Finding] {
  /// What is said about one source.
  func about(_ source: String) -> [Finding] { filter { $0.sources.contains(source) } }
}
