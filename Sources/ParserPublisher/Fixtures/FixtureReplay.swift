public import OTAManifest
public import ParserEngine
public import ParserPages
internal import Synchronization

/// Runs recorded calls through bundles, on the recorded pages.
public struct FixtureReplay: Sendable {
  /// How long a call may take here: no page has to be waited for.
  private static let callTime: Duration = .seconds(10)

  private let engine: ParserEngine

  /// Replays in engines like this one.
  public init(engine: ParserEngine) {
    var engine = engine
    engine.limits.callTime = min(engine.limits.callTime, Self.callTime)
    self.engine = engine
  }

  /// Compares a new bundle with the live one, source by source.
  ///
  /// - Parameters:
  ///   - live: the bundle to compare with; `nil` compares with what was recorded, as for a source that is new.
  ///   - aliases: renamed sources, so that a recording and a catalog may know a source by another id.
  /// - Throws: an error that is about the engine itself; what a bundle does is part of the report.
  public func run(
    bundle: ParserBundle, live: ParserBundle?, fixtures: [Fixture], aliases: [SourceAlias] = []
  ) async throws(EngineError) -> FixtureReport {
    let names = SourceNames(bundle.catalog, aliases: aliases)
    let known = fixtures.compactMap { names.fixture($0) }
    let now = try await outcomes(of: bundle, for: known)
    var before: [SourceID: [StepOutcome]] = [:]
    if let live {
      let names = SourceNames(live.catalog, aliases: aliases)
      let old = known.compactMap { fixture in
        names.fixture(fixture).map { (new: fixture.source, fixture: $0) }
      }
      for (pair, steps) in zip(old, try await outcomes(of: live, for: old.map(\.fixture))) {
        before[pair.new] = steps
      }
    }
    return FixtureReport(
      sources: zip(known, now).map { fixture, now in
        FixtureComparison.compare(fixture, before: before[fixture.source], now: now)
      },
      absent: fixtures.filter { names.fixture($0) == nil }.map(\.source))
  }

  /// What a bundle makes of recordings: an outcome for each step of each.
  func outcomes(
    of bundle: ParserBundle, for fixtures: [Fixture]
  ) async throws(EngineError) -> [[StepOutcome]] {
    var run = ReplayRun(bundle: bundle, engine: engine)
    var outcomes: [[StepOutcome]] = []
    for fixture in fixtures { outcomes.append(try await run.outcomes(of: fixture)) }
    await run.close()
    return outcomes
  }
}

/// One bundle on its way through recordings; a bundle that kills its page gets a new one for the next source.
private struct ReplayRun {
  let bundle: ParserBundle
  let engine: ParserEngine
  private let pages = ChangingPages()
  private var session: BundleSession?
  /// Why the bundle cannot be loaded at all.
  private var loadFailure: StepFailure?

  init(bundle: ParserBundle, engine: ParserEngine) {
    self.bundle = bundle
    self.engine = engine
  }

  mutating func outcomes(of fixture: Fixture) async throws(EngineError) -> [StepOutcome] {
    guard bundle.catalog[fixture.source] != nil else {
      return fixture.steps.map { _ in .failed(StepFailure(.absent, "the catalog has no \(fixture.source)")) }
    }
    pages.show(FixturePages(fixture.exchanges))
    var outcomes: [StepOutcome] = []
    for step in fixture.steps {
      outcomes.append(try await outcome(of: step, fixture.source))
    }
    return outcomes
  }

  private mutating func outcome(
    of step: Fixture.Step, _ source: SourceID
  ) async throws(EngineError) -> StepOutcome {
    guard let session = try await openSession() else {
      return .failed(loadFailure ?? StepFailure(.bundle, "the bundle does not load"))
    }
    do {
      return try await session.outcome(step.method, of: source, step.arguments)
    } catch {
      await close()
      if case .cancelled = error { throw error }
      return .failed(StepFailure(error, in: bundle.name))
    }
  }

  private mutating func openSession() async throws(EngineError) -> BundleSession? {
    if let session { return session }
    guard loadFailure == nil else { return nil }
    do {
      session = try await BundleSession(bundle, engine: engine, pages: pages)
    } catch {
      if error.isOfEngine { throw error }
      loadFailure = StepFailure(error, in: bundle.name)
    }
    return session
  }

  mutating func close() async {
    await session?.close()
    session = nil
  }
}

/// Has the pages of one recording after the other.
private final class ChangingPages: PageProvider {
  private let current = Mutex<any PageProvider>(NoPages())

  func show(_ pages: any PageProvider) { current.withLock { $0 = pages } }

  func answer(_ request: PageRequest) async -> PageAnswer {
    await current.withLock { $0 }.answer(request)
  }
}
