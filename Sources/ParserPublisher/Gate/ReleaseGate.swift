internal import OTAManifest
public import ParserEngine

/// Decides whether a release may leave: checks its two files, runs them in the engine, compares them with the live ones.
///
/// Without an engine it says which checks it could not run, and refuses; nothing is skipped in silence.
public struct ReleaseGate: Sendable {
  /// What runs the bundle; `nil` when there is none.
  public var engine: BundleEngine?
  /// The name under which the bundle defines itself.
  public var globalName = ParserCall.defaultGlobalName
  /// Whether a missing engine refuses; without it the report says what was not checked, and no more.
  var requiresEngine = true
  /// Declarations of what apps offer beside the contract; an interface of the same name is added to.
  public var contractTypes: [ContractTypes] = []
  /// The oldest engines that must run the bundle; none compares with no old engine.
  public var engines: [OldEngine] = []
  /// Recorded sources that the release must not make worse; `nil` replays none.
  public var fixtures: FixtureDemand?
  /// What is meant, and may go out.
  public var allowances: [Allowance]

  /// Makes a gate.
  public init(engine: BundleEngine? = nil, allowances: [Allowance] = []) {
    (self.engine, self.allowances) = (engine, allowances)
  }

  /// Runs every check that can run; never throws, since a check that fails is an answer too.
  ///
  /// - Parameter live: the release to compare with; `nil` when the channel has none.
  public func check(_ release: GateCandidate, against live: GateBaseline?) async -> GateReport {
    var run = GateRun(requiresEngine: requiresEngine, bundleName: release.bundleName)
    run.record(.input) { [] }
    // Only what runs and reads code looks into the live bundle again and again.
    let live = engine == nil ? live : live?.readingBundle()
    run.record(.catalogFields) { CatalogFieldsCheck.findings(release, against: live?.catalog) }
    if fixtures == nil { run.skip(.fixtures, "no recordings were given") }
    async let reading = read(release, against: live)
    await examine(release, against: live, &run)
    await replay(release, against: live, &run)
    CodeChecks(release, hasEngines: !engines.isEmpty).record(await reading, &run)
    run.record(.leftovers) { LeftoverCheck.findings(release) }
    await compare(release, against: live, &run)
    WithdrawnContentCheck.run(release, &run)
    return run.report(
      allowances, catalogs: [release.catalog] + (live.map { [$0.catalog] } ?? []), comparedWith: live?.version
    )
  }

  private typealias Comparison = @Sendable (GateCandidate, GateBaseline) async -> [Finding]

  /// What is compared with the live release, in the order of the report.
  private static let comparisons: [(GateCode, Comparison)] = [
    (.idsRemoved, { CatalogChangeChecks.removed($0, against: $1) }),
    (.idChangedMeaning, { CatalogChangeChecks.changedMeaning($0, against: $1) }),
    (.size, { await SizeCheck.findings($0, against: $1) }),
    (.unchanged, { UnchangedCheck.findings($0, against: $1) }),
  ]

  private func compare(_ release: GateCandidate, against live: GateBaseline?, _ run: inout GateRun) async {
    for (code, check) in Self.comparisons {
      guard let live else {
        run.skip(code, "there is no live release to compare with")
        continue
      }
      let begin = ContinuousClock.now
      run.add(await check(release, live))
      run.ran(code, since: begin)
    }
  }

  /// Reads the code beside what runs it; `nil` without the program that confines the reader.
  private func read(
    _ release: GateCandidate, against live: GateBaseline?
  ) async -> Result<CodeReading, CodeReader.Fault>? {
    guard let engine, engine.isInstalled else { return nil }
    // A live bundle that cannot be read excuses nothing; why it cannot is told by what compares with it.
    let liveBundle = try? await live?.bundle()
    let words = release.catalog.entries.flatMap { $0.overrides.map(\.key) }
    let question = CodeQuestion(
      bundle: release.bundle, live: liveBundle, sourceMap: release.sourceMap, catalogWords: Array(Set(words)),
      contracts: contractTypes, engines: engines)
    return await CodeReader(program: engine.program, environment: engine.environment).read(question)
  }

  /// The checks that run the bundle.
  private func examine(_ release: GateCandidate, against live: GateBaseline?, _ run: inout GateRun) async {
    guard let engine else { return run.withoutEngine("none was given") }
    await EngineExamination(engine: engine, globalName: globalName, release: release, live: live).run(&run)
  }

  /// Replays recordings, once it is known that the bundle runs.
  private func replay(_ release: GateCandidate, against live: GateBaseline?, _ run: inout GateRun) async {
    guard let fixtures, let engine, run.hasRun(.dryRun) else { return }
    let begin = ContinuousClock.now
    let check = FixtureCheck(demand: fixtures, engine: engine, globalName: globalName)
    let (findings, report) = await check.run(release, against: live)
    run.add(findings)
    run.fixtures = report
    run.ran(.fixtures, since: begin)
  }
}
