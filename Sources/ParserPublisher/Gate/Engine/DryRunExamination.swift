internal import OTAManifest
internal import ParserEngine

/// The dry run of a release and of the live one on the same pages, and what comes of it.
struct DryRunExamination {
  let engine: ParserEngine
  let globalName: String
  let release: GateCandidate

  private static let codes: [GateCode] = [.dryRun, .results, .requests, .selectors]

  private var runner: DryRunner { DryRunner(engine: engine, globalName: globalName) }

  /// An engine for the dry run, which starts at once.
  func spareEngine() -> SpareEngine { SpareEngine(runner) }

  /// - Parameter old: what the live release gave; one that could not be read or run excuses nothing.
  func run(
    _ run: inout GateRun, _ inspection: BundleInspection, beside old: Task<DryRunSubject.Live?, Never>,
    in spare: SpareEngine
  ) async {
    let begin = ContinuousClock.now
    let sources = DryRunner.plan(release.catalog)
    let text = TextPosition(release.bundle)
    let bundle = InstrumentedBundle(text)
    var runner = runner
    runner.spare = spare
    let outcome = await called(sources, release.bundle, bundle, by: runner)
    switch outcome {
    case .success(let dryRun):
      let subject = DryRunSubject(
        bundleName: release.bundleName, text: text, bundle: bundle, inspection: inspection,
        live: await old.value,
        catalog: release.catalog, catalogText: release.sources, catalogName: release.sourcesName)
      run.add(DryRunCheck(subject: subject).findings(dryRun))
      run.coverage = FamilyCoverage.of(release.catalog, bundle, text, dryRun)
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

  /// What the live release gives for the sources that it has too.
  func liveRun(_ live: GateBaseline?) async -> DryRunSubject.Live? {
    guard let live else { return nil }
    let sources = DryRunner.plan(release.catalog)
    let known = Dictionary(
      live.catalog.entries.map { (ExactText($0.id.text), $0) }, uniquingKeysWith: { first, _ in first })
    let shared = sources.compactMap { source in
      known[ExactText(source.id)].map {
        DryRunner.Source(id: source.id, domain: $0.domain, family: $0.family, isWhole: source.isWhole)
      }
    }
    do {
      let bytes = try await live.bundle()
      let instruments = InstrumentedBundle(TextPosition(bytes))
      guard case .success(let run) = await called(shared, bytes, instruments, by: runner) else { return nil }
      return DryRunSubject.Live(version: live.version, run: run, bundle: bytes, bundleParts: instruments)
    } catch {
      return nil
    }
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
