import Foundation

/// A made-up release in the shape of a real feed's: a bundle of about 500 KB with 121 or 235 sources, good or bad in a
/// known way.
public struct SyntheticRelease: Sendable {
  /// Which catalog it is made from.
  public enum Catalog: Sendable {
    /// 121 sources.
    case small
    /// 235 sources; four of the small one are gone.
    case large
  }

  /// What is wrong with it.
  public enum Fault: String, Sendable, CaseIterable {
    case none
    /// A method of one family calls a method that nobody wrote.
    case missingMethod
    /// A method of one family calls a function that nobody wrote.
    case missingFunction
    case topLevelThrow
    case syntaxError
    case unbalancedBrace
    case endlessLoop
    case endlessMicrotasks
    case memoryBomb
    /// The catalog names a family that the bundle does not have.
    case missingFamily
    /// An override has the name of a method.
    case shadowingOverride
    /// One family loads, answers and finds nothing: only pages tell.
    case returnsNothing
  }

  /// The bytes of the bundle.
  public let bundle: [UInt8]
  /// The bytes of the catalog.
  public let sources: [UInt8]
  /// The line of the bundle on which the fault stands, from 1; `nil` when it has no line.
  public let faultLine: Int?
  /// The ids that the fault concerns, in the order of the catalog.
  public let faultySources: [String]

  /// The family that faults are put into.
  public static let faultyFamily = "OneMangaParser"

  /// Makes a release; the same values make the same bytes.
  ///
  /// - Parameters:
  ///   - number: makes its bytes differ from those of others.
  ///   - bytes: about how large the bundle is.
  public init(_ number: Int, _ fault: Fault = .none, catalog: Catalog = .small, bytes: Int = 500_000) throws {
    var entries = try Self.entries(catalog)
    let families = Array(Set(entries.map { $0["family"] as? String ?? "" })).sorted()
    if fault == .shadowingOverride { Self.shadow(&entries) }
    sources = Array(
      try JSONSerialization.data(withJSONObject: entries, options: [.prettyPrinted, .sortedKeys]))
    let text = Self.bundle(
      number, fault, families: families, catalog: String(decoding: sources, as: UTF8.self), bytes: bytes)
    bundle = Array(text.utf8)
    faultLine = Self.markers[fault].flatMap { marker in
      text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(marker) }.map {
        $0 + 1
      }
    }
    let concerned: [Fault] = [.missingMethod, .missingFunction, .missingFamily, .returnsNothing]
    faultySources = entries.filter { entry in
      if fault == .shadowingOverride {
        return (entry["overrides"] as? [String: Any])?["toAbsoluteUrl"] != nil
      }
      return concerned.contains(fault) && entry["family"] as? String == Self.faultyFamily
    }.compactMap { $0["id"] as? String }
  }

  private static func entries(_ catalog: Catalog) throws -> [[String: Any]] {
    let bytes = catalog == .small ? Fixtures.catalog121 : Fixtures.catalog235
    return try JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]] ?? []
  }

  private static func shadow(_ entries: inout [[String: Any]]) {
    guard let index = entries.firstIndex(where: { $0["family"] as? String == faultyFamily }) else { return }
    var overrides = entries[index]["overrides"] as? [String: Any] ?? [:]
    overrides["toAbsoluteUrl"] = "/x"
    entries[index]["overrides"] = overrides
  }

  /// What stands on the line of a fault.
  private static let markers: [Fault: String] = [
    .missingMethod: "this.apiBase()", .missingFunction: "cleanTitle(",
    .topLevelThrow: "the settings are missing",
    .syntaxError: "const = 1", .missingFamily: "Not implemented",
  ]

  // MARK: The bundle

  private static func bundle(
    _ number: Int, _ fault: Fault, families: [String], catalog: String, bytes: Int
  ) -> String {
    let fill = max(0, bytes - catalog.utf8.count - families.count * 4000) / max(1, families.count)
    let classes = families.filter { fault != .missingFamily || $0 != faultyFamily }.map { name in
      var family = SyntheticFamily(name: name, fillBytes: fill)
      if name == faultyFamily {
        family.lacksMethod = fault == .missingMethod
        family.lacksFunction = fault == .missingFunction
        family.returnsNothing = fault == .returnsNothing
      }
      return family
    }
    return """
      "use strict";
      // release \(number)
      var NyoraParsers = (() => {
      \(base)\(classes.map(\.source).joined())
        // src/sources.json
        const sourcesData = \(catalog);
        const FAMILIES = { \(classes.map(\.name).joined(separator: ", ")) };
      \(atLoad(fault))\(entries)\(fault == .unbalancedBrace ? "" : "})();")

      """
  }

  /// What happens while the bundle loads.
  private static func atLoad(_ fault: Fault) -> String {
    switch fault {
    case .topLevelThrow: "  throw new Error(\"the settings are missing\");\n"
    case .syntaxError: "  const = 1;\n"
    case .endlessLoop: "  for (let round = 0; ; round += 1) FAMILIES.round = round;\n"
    case .endlessMicrotasks: "  (async () => { for (;;) await null; })();\n"
    case .memoryBomb:
      "  const hoard = []; for (;;) hoard.push(new Uint8Array(16 << 20).fill(hoard.length + 1));\n"
    default: ""
    }
  }

  private static let base = """
      class Manga { constructor(data) { Object.assign(this, { altTitles: [], tags: [], authors: [], chapters: [] }, data); } }
      class MangaChapter { constructor(data) { Object.assign(this, { volume: 0, branch: null, pages: [] }, data); } }
      class MangaPage { constructor(data) { Object.assign(this, { headers: {} }, data); } }
      // Names one thing by the source and the address, the same on every device.
      function stampOf(source, address) {
        let hash = 7n;
        for (const unit of `${source} ${address}`) hash = BigInt.asIntN(64, hash * 33n + BigInt(unit.codePointAt(0)));
        return hash.toString();
      }
      class BaseParser {
        constructor(context, source, domain, pageSize = 12) {
          this.context = context;
          this.source = source;
          this.domain = domain;
          this.pageSize = pageSize;
        }
        async getListPage(page, order, filter) { throw new Error("Not implemented"); }
        async getDetails(manga) { throw new Error("Not implemented"); }
        async getChapters(manga) { throw new Error("Not implemented"); }
        async getPages(chapter) { throw new Error("Not implemented"); }
        itemsOrNone(items) { return items && items.length ? items : []; }
        toAbsoluteUrl(url) {
          if (!url) return "";
          return url.startsWith("http") ? url : new URL(url, `https://${this.domain}`).href;
        }
        toRelativeUrl(url) {
          if (!url || !url.startsWith("http")) return url || "";
          try { const parsed = new URL(url); return parsed.pathname + parsed.search; } catch { return url; }
        }
      }

    """

  private static let entries = """
      function stampIds(parser, token) {
        const stamp = (item) => {
          if (item && item.url != null) item.id = stampOf(token, item.url);
          if (item && Array.isArray(item.chapters)) item.chapters.forEach(stamp);
          return item;
        };
        for (const name of ["getListPage", "getDetails", "getChapters"]) {
          const original = parser[name];
          if (typeof original !== "function") continue;
          parser[name] = async function (...args) {
            const result = await original.apply(this, args);
            if (Array.isArray(result)) result.forEach(stamp); else stamp(result);
            return result;
          };
        }
        return parser;
      }
      function getParser(sourceId, context) {
        const source = sourcesData.find((entry) => entry.id === sourceId);
        if (!source) return null;
        const Family = FAMILIES[source.family] || BaseParser;
        const parser = new Family(context, source, source.domain);
        if (source.overrides) Object.assign(parser, source.overrides);
        return stampIds(parser, source.id);
      }
      function getAllSources() { return sourcesData; }
      return { getParser, getAllSources };

    """
}
