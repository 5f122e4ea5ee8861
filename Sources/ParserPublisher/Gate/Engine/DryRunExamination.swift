internal import OTAManifest
internal import ParserEngine

/// The dry run of a release and of the live one on the same pages, and what comes of it.
struct DryRunExamination {
  let engine: BundleEngine
  let globalName: String
  let release: GateCandidate

  private static let codes: [GateCode] = [.dryRun, .results, .requests, .selectors]

  private var runner: DryRunner { DryRunner(engine: engine, globalName: globalName) }

  /// - Parameter session: the engine that inspected the bundle, for another page; `nil` starts one.
  func run(
    _ run: inout GateRun, _ inspection: BundleInspection, against live: GateBaseline?,
    in session: EngineSession?
  ) async {
    let begin = ContinuousClock.now
    let bundle = InstrumentedBundle(TextPosition(release.bundle))
    let comparison = await LiveComparison(live, release.catalog, bundle, inspection)
    async let old = liveRun(comparison)
    var runner = runner
    runner.spare = session.map(SpareEngine.init)
    let outcome = await called(DryRunner.plan(release.catalog), release.bundle, bundle, by: runner)
    switch outcome {
    case .success(let dryRun):
      let subject = DryRunSubject(
        bundleName: release.bundleName, text: bundle.positions, bundle: bundle, inspection: inspection,
        live: await old?.completed(with: dryRun), catalog: release.catalog, catalogText: release.sources,
        catalogName: release.sourcesName)
      run.add(DryRunCheck(subject: subject).findings(dryRun))
      run.coverage = FamilyCoverage.of(release.catalog, bundle, bundle.positions, dryRun)
    case .failure(let fault) where fault.error.isAboutEngine: return run.withoutEngine(fault.error.text)
    case .failure(let fault): run.add([hang(fault)])
    }
    for code in Self.codes { run.ran(code, since: begin) }
  }

  /// Calls the parsers of a bundle with its instruments, or without them where the engine cannot parse them.
  private func called(
    _ sources: [DryRunner.Source], _ bundle: [UInt8], _ instruments: InstrumentedBundle,
    by runner: DryRunner
  ) async -> Result<DryRun, DryRunFault> {
    let name = EngineExamination.scriptName
    let whole = DryRunBundle(
      script: EngineScript(name: name, text: instruments.text), instruments: instruments)
    let result = await runner.run(sources, of: whole)
    guard case .failure(let fault) = result, case .script = fault.error else { return result }
    return await runner.run(
      sources, of: DryRunBundle(script: EngineExamination.script(bundle), instruments: nil))
  }

  /// What the live release gives where it may differ; `nil` when it cannot be run, and excuses nothing.
  private func liveRun(_ comparison: LiveComparison?) async -> LiveRun? {
    guard let comparison else { return nil }
    guard !comparison.differing.isEmpty else { return LiveRun(comparison, DryRun()) }
    let result = await called(comparison.differing, comparison.bytes, comparison.bundle, by: runner)
    guard case .success(let run) = result else { return nil }
    return LiveRun(comparison, run)
  }

  /// The finding for a page that did not survive its dry run.
  private func hang(_ fault: DryRunFault) -> Finding {
    let words = fault.call?.split(separator: " ") ?? []
    let call = words.first.map { "\($0) of \(fault.source ?? "")" } ?? fault.source.map { "a call of \($0)" }
    return Finding(
      .dryRun, .error, "\(call ?? "the dry run") \(fault.error.text)", place: .init(file: release.bundleName),
      advice: "look for a loop without an end"
    ).with {
      $0.sources = [fault.source].compactMap(\.self)
      $0.method = words.first.map(String.init)
    }
  }
}

/// The live release beside a new one, and which sources the change between them can reach.
private struct LiveComparison {
  let version: ReleaseVersion
  let bytes: [UInt8]
  let bundle: InstrumentedBundle
  /// Sources of both releases that must run twice.
  let differing: [DryRunner.Source]
  /// Sources that the live release runs as the new one does, word for word.
  let same: Set<String>

  /// Fails when there is no live release, or when it cannot be read.
  init?(
    _ live: GateBaseline?, _ catalog: SourceCatalog, _ new: InstrumentedBundle, _ inspection: BundleInspection
  ) async {
    // A live bundle that cannot be read excuses nothing; why it cannot is told by the comparison of sizes.
    guard let live, let bytes = try? await live.bundle() else { return nil }
    (version, self.bytes, bundle) = (live.version, bytes, InstrumentedBundle(TextPosition(bytes)))
    let reached = ChangeReach(from: bundle, to: new).sources(inspection)
    let old = Dictionary(
      live.catalog.entries.map { (ExactText($0.id.text), $0) }, uniquingKeysWith: { first, _ in first })
    var (differing, same): ([DryRunner.Source], Set<String>) = ([], [])
    for (source, entry) in zip(DryRunner.plan(catalog), catalog.entries) {
      guard let twin = old[ExactText(source.id)] else { continue }
      if twin == entry, !reached.contains(source.id) {
        same.insert(source.id)
      } else {
        differing.append(
          DryRunner.Source(
            id: source.id, domain: twin.domain, family: twin.family, isWhole: source.isWhole))
      }
    }
    (self.differing, self.same) = (differing, same)
  }
}

/// What the live release gave, as far as it was run.
private struct LiveRun {
  private let comparison: LiveComparison
  private let run: DryRun

  init(_ comparison: LiveComparison, _ run: DryRun) { (self.comparison, self.run) = (comparison, run) }

  /// - Parameter new: what the new release gave, which is what the live one gives where both are the same.
  func completed(with new: DryRun) -> DryRunSubject.Live {
    var whole = run
    whole.add(new.part(of: comparison.same))
    return DryRunSubject.Live(
      version: comparison.version, run: whole, bundle: comparison.bytes, bundleParts: comparison.bundle)
  }
}
