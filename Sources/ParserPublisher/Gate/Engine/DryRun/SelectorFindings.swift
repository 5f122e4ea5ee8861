internal import OTAFeed
internal import OTAManifest

/// Selectors that the engine does not know, and promises that code reads as if they were values.
struct SelectorFindings {
  let subject: DryRunSubject

  func findings(_ run: DryRun) -> [Finding] {
    selectorFindings(run) + literalFindings(run) + promiseFindings(run)
  }

  private func selectorFindings(_ run: DryRun) -> [Finding] {
    let live = (subject.live?.run.asides ?? []).filter { $0.kind == .selector }
    let known = Set(live.map(\.text))
    // An error that a call ended with is told by the dry run already.
    let told = Set(
      run.failures.filter { !$0.isCaught && $0.error.message.hasSuffix("is not a valid selector.") }
        .compactMap(\.error.line))
    var seen: Set<String> = []
    var findings: [Finding] = []
    for aside in run.asides where aside.kind == .selector && !known.contains(aside.text) {
      if let line = aside.line, told.contains(line) { continue }
      guard subject.isWritten(aside.text), seen.insert(aside.text).inserted else { continue }
      findings.append(finding(aside.text, place(of: aside), aside.sources, aside.method))
    }
    return findings
  }

  /// Findings for literals in code that no call reached.
  private func literalFindings(_ run: DryRun) -> [Finding] {
    var told = Set(run.asides.filter { $0.kind == .selector }.map(\.text))
    told.formUnion(subject.live?.bundleParts.selectors.map(\.text) ?? [])
    return subject.bundle.selectors.filter {
      run.refusedSelectors.contains($0.text) && told.insert($0.text).inserted
    }.map { finding($0.text, subject.bundle.place(of: $0.offset, in: subject.bundleName), [], nil) }
  }

  private func place(of aside: DryRun.Aside) -> Finding.Place {
    if let place = subject.place(ofOverride: aside.text, aside.sources) { return place }
    if aside.line == nil, let place = subject.place(ofSelector: aside.text) { return place }
    return subject.place(aside.line, aside.column)
  }

  private func finding(_ text: String, _ place: Finding.Place, _ sources: [String], _ method: String?)
    -> Finding
  {
    Finding(
      .selectors, .warning,
      "\(subject.prefix(sources))the engine knows no selector \(text.printable(maxCharacters: 120))",
      place: place,
      advice: "write it with what browsers know: :contains(), :eq() and the like are jQuery's and Jsoup's"
    ).with {
      $0.sources = sources
      $0.method = method
      $0.subject = text
    }
  }

  private func promiseFindings(_ run: DryRun) -> [Finding] {
    func key(_ aside: DryRun.Aside, _ source: String) -> String {
      "\(source)\n\(aside.method)\n\(aside.text)"
    }
    let known = Set(
      (subject.live?.run.asides ?? []).filter { $0.kind == .promise }.flatMap { aside in
        aside.sources.map { key(aside, $0) }
      })
    return run.asides.filter { $0.kind == .promise }.compactMap { aside in
      let sources = aside.sources.filter { !known.contains(key(aside, $0)) }
      guard !sources.isEmpty, aside.line != nil else { return nil }
      return Finding(
        .results, .warning,
        "\(subject.prefix(sources))\(aside.method) reads \(aside.text.printable()) of a promise: an await is missing",
        place: subject.place(aside.line, aside.column), advice: "await the value first"
      ).with {
        $0.sources = sources
        $0.method = aside.method
        $0.subject = "promise"
      }
    }
  }
}
