internal import OTAFeed
internal import OTAManifest

/// What the findings of a dry run are made from: the run, the bundle, and what the live release gave on the same pages.
struct DryRunSubject {
  /// What the live release gave; its places are those of another bundle.
  struct Live {
    let version: ReleaseVersion
    let run: DryRun
    let bundle: [UInt8]
    var bundleParts = InstrumentedBundle(TextPosition([]))
  }

  let bundleName: String
  let text: TextPosition
  let bundle: InstrumentedBundle
  let inspection: BundleInspection?
  let live: Live?
  private let catalog: SourceCatalog?
  /// The family of each source, by its id.
  let families: [String: String]
  /// The text of the catalog, where overrides stand.
  let catalogText: [UInt8]
  let catalogName: String
  let changes: ChangedLines?
  private let methods: MethodIndex?

  init(
    bundleName: String, text: TextPosition, bundle: InstrumentedBundle, inspection: BundleInspection? = nil,
    live: Live? = nil, catalog: SourceCatalog? = nil, catalogText: [UInt8] = [], catalogName: String = ""
  ) {
    (self.catalog, self.catalogName) = (catalog, catalogName)
    (self.bundleName, self.text, self.bundle) = (bundleName, text, bundle)
    (self.inspection, self.live, self.catalogText) = (inspection, live, catalogText)
    families = Dictionary(
      (catalog?.entries ?? []).map { ($0.id.text, $0.family) }, uniquingKeysWith: { first, _ in first })
    changes = live.map { ChangedLines(text.bytes, since: $0.bundle) }
    methods = inspection.map { MethodIndex($0, in: text, named: bundleName) }
  }

  /// The classes of the parser of a source, the nearest first; `nil` when it has none.
  func chain(of source: String) -> [Int]? { methods?.chains[source] }

  func place(_ line: Int?, _ column: Int?) -> Finding.Place {
    Finding.Place(file: bundleName, line: line, column: line == nil ? nil : column)
  }

  /// Where a selector stands in the bundle as a literal; calls at the end of a method leave no place of their own.
  func place(ofSelector text: String) -> Finding.Place? {
    bundle.selectors.first { $0.text.hasSameBytes(as: text) }.map {
      bundle.place(of: $0.offset, in: bundleName)
    }
  }

  /// Where the catalog gives one of the sources this selector as an override; `nil` when it gives none of them.
  func place(ofOverride selector: String, _ sources: [String]) -> Finding.Place? {
    let concerned = Set(sources)
    for entry in catalog?.entries ?? [] where concerned.contains(entry.id.text) {
      let override = entry.overrides.first {
        if case .string(let text) = $0.value { text.hasSameBytes(as: selector) } else { false }
      }
      guard let override else { continue }
      return CatalogLines(catalogName, catalogText).place(of: entry.id.text, override: override.key)
    }
    return nil
  }

  /// Where the catalog says which family reads a source.
  func place(ofFamily source: String) -> Finding.Place {
    catalogText.isEmpty ? place(nil, nil) : CatalogLines(catalogName, catalogText).place(of: source, "family")
  }

  /// The place of an error that calls of some sources met.
  func place(of error: PageError, _ sources: [String]) -> Finding.Place {
    if !error.isInBundle { return place(nil, nil) }
    let ending = "' is not a valid selector."
    guard error.message.hasSuffix(ending) else { return place(error.line, error.column) }
    let selector = String(error.message.dropFirst().dropLast(ending.count))
    if let found = place(ofOverride: selector, sources) { return found }
    return (error.line == nil ? place(ofSelector: selector) : nil) ?? place(error.line, error.column)
  }

  /// The families of some sources as the beginning of a sentence, such as `MadaraParser: `.
  func prefix(_ sources: [String]) -> String {
    let names = Set(sources.compactMap { families[$0] }).sorted()
    switch names.count {
    case 0: return ""
    case 1...2: return names.map { $0.printable(maxCharacters: 60) }.joined(separator: ", ") + ": "
    default: return "\(names[0].printable(maxCharacters: 60)) and \(names.count - 1) more families: "
    }
  }

  /// Whether a text stands in the bundle or in the catalog as it is.
  func isWritten(_ selector: String) -> Bool {
    let inCode = Array(selector.utf8)
    return text.offset(of: inCode) != nil || bundle.selectors.contains { $0.text.hasSameBytes(as: selector) }
      || TextPosition(catalogText).offset(of: Array(JSONValue.string(selector).encoded(indented: false)))
        != nil
  }

  func fault(_ failure: DryRun.Failure) -> FaultClass {
    FaultClass(
      failure.error,
      knowing: FaultKnowledge(
        settableNames: bundle.settableNames, assignedNames: bundle.assignedNames,
        evaluatesText: failure.error.line.map { bundle.evaluatesText(aroundLine: $0) } ?? false,
        isMethodOfData: failure.isMethodOfData, isWritten: isWritten))
  }

  /// Whether only the made-up page is to blame: text of it was run as a script, decoded, or taken for more than JSON has.
  func isOfMadeUpPage(_ failure: DryRun.Failure) -> Bool {
    let words = failure.error.message
    switch failure.error.name {
    case "SyntaxError":
      return bundle.evaluatesAnything && fault(failure) == .data && !words.hasPrefix("JSON Parse error")
    case "InvalidCharacterError": return failure.error.line.map { text.line($0).contains("atob(") } ?? false
    case "TypeError": return failure.isMethodOfData == true && words.contains("ProxyObject")
    default: return false
    }
  }

  /// Where the method stands that a call of a source runs: the first changed line in it, else its first line.
  func place(ofMethod method: String, source: String) -> Finding.Place {
    methods?.place(of: method, source: source, changes: changes) ?? place(nil, nil)
  }
}

/// Turns a dry run into findings, beside that of the live release.
struct DryRunCheck {
  let subject: DryRunSubject

  /// The findings by the check that they belong to.
  func findings(_ run: DryRun) -> [Finding] {
    FaultFindings(subject: subject).findings(run) + StubFindings(subject: subject).findings(run)
      + unsettledFindings(run) + ResultFindings(subject: subject).findings(run)
      + RequestFindings(subject: subject).findings(run) + SelectorFindings(subject: subject).findings(run)
  }

  private func unsettledFindings(_ run: DryRun) -> [Finding] {
    let known = Set(subject.live?.run.unsettled ?? [])
    let groups = Dictionary(grouping: run.unsettled.filter { !known.contains($0) }, by: \.method)
    return groups.sorted { $0.key < $1.key }.map { method, calls in
      Finding(
        .dryRun, .warning, "\(method) neither returned nor failed in the time that it was given",
        place: subject.place(ofMethod: method, source: calls[0].source),
        advice: "every promise must settle, or an app waits for its own limit"
      ).with {
        $0.sources = calls.map(\.source)
        $0.method = method
      }
    }
  }
}

/// Errors that no page could avoid, and errors of calls that the live release answers.
struct FaultFindings {
  let subject: DryRunSubject

  func findings(_ run: DryRun) -> [Finding] {
    let known = Set(
      (subject.live?.run.failures ?? []).flatMap { failure in failure.sources.map { Self.key(failure, $0) } })
    let answered = AnsweredCalls(subject.live?.run)
    return run.failures.flatMap { failure -> [Finding] in
      let old = failure.sources.filter { known.contains(Self.key(failure, $0)) }
      let new = failure.sources.filter { !known.contains(Self.key(failure, $0)) }
      switch (subject.fault(failure), failure.isCaught) {
      case (.programming, false):
        return [fault(failure, new, .error), fault(failure, old, .warning)].compactMap(\.self)
      case (.suspect, false): return [fault(failure, new, .warning)].compactMap(\.self)
      case (.programming, true): return [caught(failure, new)].compactMap(\.self)
      case (.data, false):
        if subject.isOfMadeUpPage(failure) { return [] }
        return [worse(failure, new.filter { answered.contains($0, failure) })].compactMap(\.self)
      case (.notImplemented, _), (.suspect, true), (.data, true): return []
      }
    }
  }

  /// Errors are compared between releases by source, call and words, since lines move.
  static func key(_ failure: DryRun.Failure, _ source: String) -> String {
    "\(source)\n\(failure.method)\n\(failure.error.text)"
  }

  private func finding(
    _ failure: DryRun.Failure, _ sources: [String], _ severity: Finding.Severity, _ message: String,
    _ advice: String
  ) -> Finding? {
    guard !sources.isEmpty else { return nil }
    let error = failure.error
    return Finding(
      .dryRun, severity, message,
      place: subject.place(of: error, sources), advice: advice
    ).with {
      $0.sources = sources
      $0.method = failure.method
    }
  }

  private func fault(_ failure: DryRun.Failure, _ sources: [String], _ severity: Finding.Severity) -> Finding?
  {
    let isSure = subject.fault(failure) == .programming
    let old = isSure && severity == .warning ? ", as it does in the live release" : ""
    return finding(
      failure, sources, severity, "\(failure.method) fails with \(failure.error.text)\(old)",
      isSure
        ? "correct the code: no page could make it work" : "correct the code if nothing else sets the name")
  }

  /// A fault that a `catch` hides is no failure; names that are only looked for there are meant.
  private func caught(_ failure: DryRun.Failure, _ sources: [String]) -> Finding? {
    let words = failure.error.message
    // Selectors have a check of their own, which knows where they are written.
    if words.hasSuffix("' is not a valid selector.") { return nil }
    let isLookedFor =
      words.hasPrefix("this.") || words.hasPrefix("Can't find variable: ") && HostNames.has(words)
    guard !isLookedFor else { return nil }
    return finding(
      failure, sources, .warning, "\(failure.method) meets \(failure.error.text), which its code catches",
      "correct the code: what it tries can never work")
  }

  private func worse(_ failure: DryRun.Failure, _ sources: [String]) -> Finding? {
    guard let live = subject.live, failure.error.isInBundle, failure.error.name != "Error" else { return nil }
    return finding(
      failure, sources, .warning,
      "\(failure.method) fails on a made-up page with \(failure.error.text), where release \(live.version) does not",
      "look at the place: the page is made up, but the same one was enough before")
  }
}

/// The calls on generous pages that the live release made and that did not fail there.
private struct AnsweredCalls {
  private var failed: [String: Set<String>] = [:]
  private let sources: Set<String>

  init(_ run: DryRun?) {
    sources = Set((run?.results ?? []).flatMap(\.sources))
    for failure in run?.failures ?? [] where !failure.isCaught {
      for source in failure.sources {
        failed["\(source)\n\(failure.method)", default: []].formUnion(failure.labels)
      }
    }
  }

  /// Whether one of the calls of a failure was answered before.
  func contains(_ source: String, _ failure: DryRun.Failure) -> Bool {
    guard sources.contains(source) else { return false }
    let failed = failed["\(source)\n\(failure.method)"] ?? []
    return failure.labels.contains { $0.hasPrefix("generous ") && !failed.contains($0) }
  }
}

/// Globals of other places where JavaScript runs: code asks for them to find out where it is.
enum HostNames {
  private static let names: Set<String> = [
    "Buffer", "Bun", "Deno", "GM_info", "GM_xmlhttpRequest", "browser", "chrome", "define", "exports",
    "global",
    "importScripts", "module", "process", "require", "unsafeWindow",
  ]

  static func has(_ words: String) -> Bool {
    names.contains(String(words.dropFirst("Can't find variable: ".count)))
  }
}

/// Sources of which a method is the stub of a base class: their family is missing.
struct StubFindings {
  let subject: DryRunSubject

  func findings(_ run: DryRun) -> [Finding] {
    var order: [String] = []
    var methods: [String: [String]] = [:]
    for failure in run.failures where FaultClass(failure.error) == .notImplemented && !failure.isCaught {
      // A search is a list with words.
      let method = failure.method == "search" ? "list" : failure.method
      for source in failure.sources where isStub(method, source) {
        if methods[source] == nil { order.append(source) }
        if methods[source]?.contains(method) != true { methods[source, default: []].append(method) }
      }
    }
    let groups = Dictionary(grouping: order) { methods[$0] ?? [] }
    return groups.sorted { $0.value[0] < $1.value[0] }.map { methods, sources in
      Finding(
        .catalogMatch, .error,
        "the parser only inherits \(methods.joined(separator: ", ")), which nobody implemented: its family is not in the bundle",
        place: subject.place(ofFamily: sources[0]),
        advice: "put the family into the bundle, or take the sources out of the catalog"
      ).with { $0.sources = sources }
    }
  }

  /// Whether a method is inherited and does nothing but throw.
  private func isStub(_ method: String, _ source: String) -> Bool {
    guard let inspection = subject.inspection else { return true }
    let name = MethodIndex.names[method] ?? method
    guard let chain = subject.chain(of: source),
      let depth = chain.firstIndex(where: { number in
        inspection.classes[number].members.contains { $0.name == name }
      }),
      depth > 0 || chain.count == 1,
      let text = inspection.classes[chain[depth]].members.first(where: { $0.name == name })?.text
    else { return false }
    let code = String(decoding: inspection.texts[text], as: UTF8.self)
    return code.wholeMatch(of: /[^{]*\{\s*(?:return\s+Promise\.reject\(|throw\s)[^;{}]*;?\s*\}/) != nil
  }
}
