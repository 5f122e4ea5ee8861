internal import OTAFeed
internal import OTAManifest

/// What parsers gave, beside what apps need and what the live release gave on the same pages.
struct ResultFindings {
  let subject: DryRunSubject

  /// One thing that is wrong with what a method gives.
  struct Verdict: Hashable {
    let severity: Finding.Severity
    let message: String
    let subject: String

    /// Whether it only says that there is less than before.
    var isLess: Bool { severity == .warning && ["none", "count"].contains(subject) }
  }

  func findings(_ run: DryRun) -> [Finding] {
    var order: [Key] = []
    var sources: [Key: [String]] = [:]
    let excused = excusedCalls(run)
    for method in ["list", "details", "pages"] {
      let live = subject.live?.run.shapes(of: method) ?? [:]
      for result in run.results where result.method == method {
        for source in result.sources {
          for verdict in verdicts(method, result.shape, live[source]) {
            if verdict.isLess, excused.contains("\(source)\n\(method)") { continue }
            let key = Key(family: subject.families[source] ?? "", method: method, verdict: verdict)
            if sources[key] == nil { order.append(key) }
            sources[key, default: []].append(source)
          }
        }
      }
    }
    return order.map { finding($0, sources[$0] ?? []) } + idFindings(run)
  }

  /// Sources with a method that generous pages stop: by what a page has there, or by an error of the parser's own, since pages
  /// that answer every selector have the signs of a challenge and of a paywall as well.
  private func excusedCalls(_ run: DryRun) -> Set<String> {
    let stops = run.failures.filter { failure in
      guard !failure.isCaught, failure.labels.contains(where: { $0.hasPrefix("generous ") }) else {
        return false
      }
      let isOwn = failure.error.name == "Error" && subject.fault(failure) == .data
      return isOwn || subject.isOfMadeUpPage(failure)
    }
    return Set(
      stops.flatMap { failure in
        failure.sources.map { "\($0)\n\(failure.method == "search" ? "list" : failure.method)" }
      })
  }

  private struct Key: Hashable {
    let family: String
    let method: String
    let verdict: Verdict
  }

  private func finding(_ key: Key, _ sources: [String]) -> Finding {
    Finding(
      .results, key.verdict.severity, subject.prefix(sources) + key.verdict.message,
      place: subject.place(ofMethod: key.method, source: sources[0]),
      advice: "look at what the parser returns: parser-ota run"
    ).with {
      $0.sources = sources
      $0.method = key.method
      $0.subject = key.verdict.subject
    }
  }

  // MARK: One method

  func verdicts(_ method: String, _ now: ResultShape, _ live: ResultShape?) -> [Verdict] {
    var rules = ShapeRules(
      method: method, version: subject.live?.version.description, isCompared: live != nil)
    rules.container(now, live)
    if method == "details" {
      rules.fields(now, live, what: "details", needed: ["title"])
      rules.chapters(now, live)
    } else if now.most > 0 {
      rules.entries(now, live, what: "an entry", needed: method == "list" ? ["url", "title"] : ["url"])
    }
    return rules.verdicts
  }

  // MARK: Ids

  /// Things with the same URL that have another id now: apps keep what people read by it.
  private func idFindings(_ run: DryRun) -> [Finding] {
    guard let live = subject.live else { return [] }
    func key(_ given: DryRun.GivenID) -> String { "\(given.source)\n\(given.part)\n\(given.url)" }
    let old = Dictionary(live.run.ids.map { (key($0), $0.id) }, uniquingKeysWith: { first, _ in first })
    let changed = run.ids.filter { given in
      given.part != "pages" && old[key(given)].map { !$0.hasSameBytes(as: given.id) } == true
    }
    return Dictionary(grouping: changed, by: \.part).sorted { $0.key < $1.key }.map { part, given in
      let sources = given.map(\.source).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
      let example = "\(old[key(given[0])] ?? "") before, \(given[0].id) now".printable(maxCharacters: 160)
      return Finding(
        .results, .warning, "\(subject.prefix(sources))\(part) give other ids for the same URL: \(example)",
        place: subject.place(ofMethod: part == "chapters" ? "details" : part, source: sources[0]),
        advice: "keep the ids, since apps know by them what people read"
      ).with {
        $0.sources = sources
        $0.method = part == "chapters" ? "details" : part
        $0.subject = "id"
      }
    }
  }
}

/// The rules for the shape of what one method gives. They refuse only what no page made better.
struct ShapeRules {
  let method: String
  /// The number of the live release; `nil` when there is none.
  let version: String?
  /// Whether the live release has the source too.
  let isCompared: Bool
  private(set) var verdicts: [ResultFindings.Verdict] = []

  init(method: String, version: String?, isCompared: Bool) {
    (self.method, self.version, self.isCompared) = (method, version, isCompared)
  }

  /// Forms that are as good as nothing.
  private static let missing: Set<String> = ["undefined", "null", "empty"]
  private static let unknown: Set<String> = ["any"]

  /// Refuses what is sure and new.
  private mutating func add(isSure: Bool, isOld: Bool, _ subject: String, _ message: String) {
    add(
      severity(isSure: isSure, isOld), subject,
      message + (isOld ? version.map { ", as it was with release \($0)" } ?? "" : ""))
  }

  private mutating func add(_ severity: Finding.Severity, _ subject: String, _ message: String) {
    verdicts.append(.init(severity: severity, message: message, subject: subject))
  }

  private func since() -> String { version.map { "with release \($0)" } ?? "before" }

  /// Refuses what is sure where the live release does better; without one, nothing says that apps want it otherwise.
  private func severity(isSure: Bool, _ liveHasIt: Bool) -> Finding.Severity {
    isSure && isCompared && !liveHasIt ? .error : .warning
  }

  // MARK: The whole

  mutating func container(_ now: ResultShape, _ live: ResultShape?) {
    let wanted = method == "details" ? "object" : "array"
    let kinds = now.kinds.subtracting(["threw", "returned"])
    let before = live?.kinds.subtracting(["threw", "returned"]) ?? []
    let isGoodBefore = before.contains(wanted) || before.contains("any")
    if kinds.contains(wanted) || kinds.contains("any") { return count(now, live) }
    guard !kinds.isEmpty else {
      if isGoodBefore, method == "details" || (live?.most ?? -1) > 0 {
        add(
          .warning, "none", "\(method) fails on every made-up page, and gave \(Self.amount(live)) \(since())")
      }
      return
    }
    let given = kinds.sorted().map(Self.word).joined(separator: " or ")
    let isNothing = kinds.isSubset(of: ["undefined", "null"])
    let isBetterBefore = isGoodBefore && (method == "details" || (live?.most ?? -1) > 0)
    let isSure = isNothing ? isBetterBefore : true
    add(
      severity(isSure: isSure, live != nil && !isGoodBefore), "kind",
      "\(method) gives \(given) on every made-up page, not \(method == "details" ? "an object" : "an array")"
        + (isBetterBefore ? "; it gave \(Self.amount(live)) \(since())" : ""))
  }

  private mutating func count(_ now: ResultShape, _ live: ResultShape?) {
    guard method != "details", let live, live.most > now.most, live.most > 0 else { return }
    let name = method == "pages" ? "pages" : "entries"
    add(.warning, "count", "\(method) gave \(live.most) \(name) \(since()), gives \(max(0, now.most))")
  }

  private static func amount(_ shape: ResultShape?) -> String {
    guard let most = shape?.most, most >= 0 else { return "an object" }
    return "\(most) entries"
  }

  private static func word(_ form: String) -> String {
    switch form {
    case "undefined": "nothing"
    case "null", "NaN": form
    case "promise": "a promise that nobody awaits"
    case "array": "an array"
    case "object": "an object"
    case "number": "a number"
    case "boolean": "true or false"
    case "node": "an element"
    case "function": "a function"
    case "text", "relative", "absolute", "empty", "garbled": "a text"
    default: "a \(form)"
    }
  }

  // MARK: Entries

  mutating func entries(_ now: ResultShape, _ live: ResultShape?, what: String, needed: [String]) {
    let forms = now.fields[""] ?? []
    if !forms.isEmpty, !forms.contains("object"), !forms.contains("any") {
      let given = Set(forms.map(Self.word)).sorted().joined(separator: " or ")
      let isOld = live?.fields[""].map { !$0.contains("object") && !$0.contains("any") } == true
      return add(severity(isSure: true, isOld), "entries", "\(what) is \(given), not an object")
    }
    fields(now, live, what: what, needed: needed)
  }

  mutating func chapters(_ now: ResultShape, _ live: ResultShape?) {
    guard let chapters = now.chapters.first else { return }
    let before = live?.chapters.first
    if let before, before.most > chapters.most, before.most > 0 {
      add(
        .warning, "chapters",
        "details gave \(before.most) chapters \(since()), gives \(max(0, chapters.most))")
    }
    if chapters.most > 0 { entries(chapters, before, what: "a chapter", needed: ["url"]) }
  }

  // MARK: Fields

  mutating func fields(_ now: ResultShape, _ live: ResultShape?, what: String, needed: [String]) {
    guard method != "details" || what != "details" || now.kinds.contains("object") else { return }
    for name in Set(now.fields.keys).union(live?.fields.keys.map { $0 } ?? []).union(needed).sorted()
    where !name.isEmpty {
      field(name, now.fields[name] ?? [], live?.fields[name], what: what, isNeeded: needed.contains(name))
    }
    if what == "details", now.chapters.isEmpty { missingChapters(now.fields["chapters"] ?? [], live) }
  }

  private mutating func missingChapters(_ forms: Set<String>, _ live: ResultShape?) {
    guard forms.isDisjoint(with: ["any", "promise", "array"]) else { return }
    let isGoodBefore =
      live.map { !$0.chapters.isEmpty || $0.fields["chapters"]?.contains("any") == true } ?? false
    let isNothing = forms.isSubset(of: ["undefined", "null"])
    if live == nil || isGoodBefore || !isNothing {
      let given =
        isNothing
        ? "no chapters" : "chapters that are \(forms.sorted().map(Self.word).joined(separator: " or "))"
      add(
        severity(isSure: isGoodBefore || !isNothing, live != nil && !isGoodBefore), "chapters",
        "details have \(given), not an array")
    }
  }

  private mutating func field(
    _ name: String, _ forms: Set<String>, _ live: Set<String>?, what: String, isNeeded: Bool
  ) {
    if name == "chapters", what == "details", !forms.contains("promise") { return }
    let good = forms.subtracting(Self.missing)
    let shown = name.printable(maxCharacters: 60)
    if !good.isEmpty, good.isSubset(of: ["promise"]) {
      return add(
        isSure: true, isOld: live?.contains("promise") == true, name,
        "\(shown) of \(what) is a promise that nobody awaits")
    }
    let before = live?.subtracting(Self.missing) ?? []
    if good.isEmpty {
      if !before.isEmpty {
        add(
          severity(isSure: isNeeded, false), name,
          "\(shown) of \(what) is always missing, and was there \(since())")
      } else if isNeeded, live == nil, version == nil, name == "url" {
        add(.warning, name, "\(what) has no \(shown) on any made-up page")
      }
      return
    }
    compare(shown, good, before, what: what, isNeeded: isNeeded)
    if before.isEmpty, isNeeded, good.isDisjoint(with: Self.texts.union(Self.unknown)) {
      add(severity(isSure: true, live != nil), name, "\(shown) of \(what) is \(Self.words(good)), not a text")
    }
  }

  private static let texts: Set<String> = ["text", "relative", "absolute", "empty", "garbled"]

  private static func words(_ forms: Set<String>) -> String {
    Set(forms.map(word)).sorted().joined(separator: " or ")
  }

  /// The type of a form, where all texts are one.
  private static func types(_ forms: Set<String>) -> Set<String> {
    Set(forms.map { texts.contains($0) ? "text" : $0 })
  }

  private mutating func compare(
    _ name: String, _ good: Set<String>, _ before: Set<String>, what: String, isNeeded: Bool
  ) {
    guard !before.isEmpty, good.isDisjoint(with: Self.unknown), before.isDisjoint(with: Self.unknown) else {
      return
    }
    if Self.types(good).isDisjoint(with: Self.types(before)) {
      let isSure = isNeeded && Self.types(before) == ["text"]
      return add(
        severity(isSure: isSure, false), name,
        "\(name) of \(what) is \(Self.words(good)), and was \(Self.words(before)) \(since())")
    }
    if good == ["garbled"], !before.contains("garbled") {
      return add(
        .warning, name,
        "\(name) of \(what) always contains undefined, NaN or [object …], and did not \(since())")
    }
    for (form, other) in [("relative", "absolute"), ("absolute", "relative")]
    where good.contains(form) && before.contains(other) && !good.contains(other) && !before.contains(form) {
      add(.warning, name, "\(name) of \(what) is \(form), and was \(other) \(since())")
    }
  }
}
