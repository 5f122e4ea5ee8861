public import OTAManifest
public import ParserEngine
public import ParserPages
internal import Synchronization

/// Runs recorded calls through bundles, on the recorded pages.
public struct FixtureReplay: Sendable {
  /// How long a call may take here: no page has to be waited for.
  private static let callTime: Duration = .seconds(10)

  private let engine: BundleEngine

  /// Replays in engines like this one.
  public init(engine: BundleEngine) {
    var engine = engine
    engine.limits.callTime = min(engine.limits.callTime, Self.callTime)
    self.engine = engine
  }

  /// Why sources could not be compared; what a bundle does is part of the report instead.
  public enum Failure: Error, Equatable, Sendable {
    /// The engine itself is missing, broken or cancelled.
    case engine(EngineError)
    /// A recording cannot be read.
    case fixture(FixtureError)
  }

  /// Compares a new bundle with the live one, source by source; one recording at a time is in memory.
  ///
  /// - Parameters:
  ///   - live: the bundle to compare with; `nil` compares with what was recorded, as for a source that is new.
  ///   - aliases: renamed sources, so that a recording and a catalog may know a source by another id.
  public func run(
    bundle: ParserBundle, live: ParserBundle?, fixtures: FixtureFolder, aliases: [SourceAlias] = []
  ) async throws(Failure) -> FixtureReport {
    let now = try await outcomes(of: bundle, fixtures, aliases)
    var before: [SourceID: Replayed] = [:]
    if let live {
      for replayed in try await outcomes(of: live, fixtures, aliases) where replayed.fixture != nil {
        before[replayed.recorded] = replayed
      }
    }
    let compared = now.compactMap { replayed in
      replayed.fixture.map {
        FixtureComparison.compare($0, before: before[replayed.recorded]?.outcomes, now: replayed.outcomes)
      }
    }
    return FixtureReport(sources: compared, absent: now.filter { $0.fixture == nil }.map(\.recorded))
  }

  /// What became of one recording.
  private struct Replayed {
    /// The id under which it was recorded.
    let recorded: SourceID
    /// Its steps under the id that the catalog has; `nil` when the catalog does not have the source.
    let fixture: Fixture?
    let outcomes: [StepOutcome]
  }

  private func outcomes(
    of bundle: ParserBundle, _ folder: FixtureFolder, _ aliases: [SourceAlias]
  ) async throws(Failure) -> [Replayed] {
    let names = SourceNames(bundle.catalog, aliases: aliases)
    var run = ReplayRun(bundle: bundle, engine: engine)
    var results: [Replayed] = []
    var failure: Failure?
    for source in try Self.reading({ () throws(FixtureError) in try folder.sources() }) {
      do throws(Failure) {
        results.append(try await Self.replay(source, folder, names, &run))
      } catch {
        failure = error
        break
      }
    }
    await run.close()
    if let failure { throw failure }
    return results
  }

  private static func replay(
    _ source: SourceID, _ folder: FixtureFolder, _ names: SourceNames, _ run: inout ReplayRun
  ) async throws(Failure) -> Replayed {
    let recorded = try reading { () throws(FixtureError) in try folder.read(source) }
    guard let fixture = names.fixture(recorded) else {
      return Replayed(recorded: source, fixture: nil, outcomes: [])
    }
    do {
      let outcomes = try await run.outcomes(of: fixture)
      return Replayed(recorded: source, fixture: fixture.withoutPages, outcomes: outcomes)
    } catch {
      throw .engine(error)
    }
  }

  private static func reading<Value>(
    _ read: () throws(FixtureError) -> Value
  ) throws(Failure) -> Value {
    do {
      return try read()
    } catch {
      throw .fixture(error)
    }
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
  let engine: BundleEngine
  private let pages = ChangingPages()
  private var session: BundleSession?
  /// Why the bundle cannot be loaded at all.
  private var loadFailure: StepFailure?

  init(bundle: ParserBundle, engine: BundleEngine) {
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
      return .failed(StepFailure(error))
    }
  }

  private mutating func openSession() async throws(EngineError) -> BundleSession? {
    if let session { return session }
    guard loadFailure == nil else { return nil }
    do {
      session = try await BundleSession(bundle, engine: engine, pages: pages)
    } catch {
      if error.isAboutEngine { throw error }
      loadFailure = StepFailure(error)
    }
    return session
  }

  mutating func close() async {
    await session?.close()
    session = nil
  }
}

/// Has the pages of one recording after the other.
final class ChangingPages: PageProvider {
  private let current = Mutex<any PageProvider>(NoPages())

  func show(_ pages: any PageProvider) { current.withLock { $0 = pages } }

  func answer(_ request: PageRequest) async -> PageAnswer {
    await current.withLock { $0 }.answer(request)
  }
}
