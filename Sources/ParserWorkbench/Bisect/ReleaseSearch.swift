package import OTAFeed
package import OTAManifest
package import ParserEngine
package import ParserPages

/// A search on its way; releases with the same files are tried once.
package struct ReleaseSearch {
  /// Reads the verified files of a release.
  package typealias Loading = (Manifest) async throws(Problem) -> ParserBundle

  private let releases: [Manifest]
  private let fixture: Fixture
  private let globalName: String
  private let load: Loading
  private let replay: FixtureReplay
  private let aliases: [SourceAlias]
  private var search: Bisection
  private var known: [ContentPair: BisectReport.Row] = [:]
  private var rows: [Int: BisectReport.Row] = [:]

  /// Searches releases, oldest first; nothing is tried yet.
  ///
  /// - Parameter triesAll: whether every release is tried, however many there are.
  package init(
    _ releases: [Manifest], fixture: Fixture, globalName: String, triesAll: Bool, engine: BundleEngine,
    load: @escaping Loading
  ) {
    (self.releases, self.fixture, self.globalName, self.load) = (releases, fixture, globalName, load)
    replay = FixtureReplay(engine: engine)
    aliases = releases.last?.aliases ?? []
    let withdrawn = Set(releases.last?.withdrawn ?? [])
    let suspects = releases.indices.filter { withdrawn.contains(releases[$0].version) }
    search = Bisection(
      count: releases.count, triesAll: triesAll, withdrawn: Array(suspects))
  }

  /// Tries the next release; `nil` when the answer is known.
  package mutating func step() async throws(BisectFailure) -> BisectReport.Row? {
    guard let position = search.next else { return nil }
    let manifest = releases[position]
    let row: BisectReport.Row
    if let twin = known[manifest.pair] {
      row = Self.row(manifest, twin.isGood, twin.summary)
    } else {
      row = try await attempt(manifest)
    }
    known[manifest.pair] = row
    rows[position] = row
    search.note(row.isGood, at: position)
    return row
  }

  /// What the search found so far.
  package func report(trust: Trust) -> BisectReport {
    let finding = search.finding
    var broken: (good: Int, bad: Int)?
    var undoneAt: Int?
    switch finding {
    case .broken(let good, let bad): broken = (good, bad)
    case .undone(let good, let bad):
      broken = (good, bad)
      undoneAt = rows.filter { $0.key > bad && $0.value.isGood }.keys.min()
    case .good, .neverGood: break
    }
    return BisectReport(
      kept: releases.count, rows: rows.sorted { $0.key < $1.key }.map(\.value),
      broken: broken.map { releases[$0.bad].version }, isUndone: undoneAt != nil,
      undoneBy: undoneAt.map { releases[$0].version },
      lastGood: broken.map { releases[$0.good].version },
      isGood: finding == .good || undoneAt != nil, trust: trust,
      assumesOneChange: search.assumesOneChange && broken != nil)
  }

  private func attempt(_ manifest: Manifest) async throws(BisectFailure) -> BisectReport.Row {
    var bundle: ParserBundle
    do {
      bundle = try await load(manifest)
    } catch {
      throw .feed(error)
    }
    bundle.globalName = globalName
    guard let fixture = SourceNames(bundle.catalog, aliases: aliases).fixture(fixture) else {
      return Self.row(manifest, false, "the catalog has no \(fixture.source)")
    }
    do {
      let outcomes = try await replay.outcomes(of: bundle, for: [fixture])
      let result = FixtureComparison.compare(fixture, before: nil, now: outcomes.first ?? [])
      let steps = result.steps.filter { $0.verdict == .worse }.map(FixtureReport.words)
      let summary = steps.isEmpty ? result.verdict.rawValue : steps.joined(separator: "; ")
      return Self.row(manifest, result.verdict != .worse, summary)
    } catch {
      throw .engine(error)
    }
  }

  private static func row(_ manifest: Manifest, _ isGood: Bool, _ summary: String) -> BisectReport.Row {
    BisectReport.Row(
      version: manifest.version, released: manifest.released, isGood: isGood, summary: summary)
  }
}
