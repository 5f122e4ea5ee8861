public import OTAFeed
public import OTAManifest
public import ParserEngine
public import ParserPages

/// Which feed is searched, and for what.
public struct BisectRequest: Sendable {
  /// Where the feed is.
  public var feed: FeedLocation
  /// How its newest manifest is authenticated, and by digests the ones before it; `nil` takes a folder's own first root.
  public var trust: Trust?
  /// The channel whose releases are tried.
  public var channel = Channel.stable
  /// The recorded source.
  public var fixture: Fixture
  /// The name under which the bundles define themselves.
  public var globalName = ParserCall.defaultGlobalName
  /// Whether every release is tried, however many there are.
  public var triesAll = false
  /// Whether `http` to this machine is allowed.
  public var allowsPlainHTTPOnLoopback = false

  /// Asks which release broke a source.
  public init(feed: FeedLocation, trust: Trust?, fixture: Fixture) {
    (self.feed, self.trust, self.fixture) = (feed, trust, fixture)
  }
}

/// What the releases of a feed make of a recording.
public struct BisectReport: Sendable {
  /// One release that was tried.
  public struct Row: Sendable {
    /// The release.
    public let version: ReleaseVersion
    /// When it was published.
    public let released: Timestamp?
    /// Whether it makes of the pages at least what was recorded.
    public let isGood: Bool
    /// What it makes of them.
    public let summary: String
  }

  /// The number of releases that the feed keeps.
  public let kept: Int
  /// The releases that were tried, oldest first.
  public let rows: [Row]
  /// The last release that broke the source; `nil` when none that was tried did, or none is good.
  public let broken: ReleaseVersion?
  /// Whether a later release is good again.
  public let isUndone: Bool
  /// The release that undid it: the first good one after it that was tried.
  public let undoneBy: ReleaseVersion?
  /// The release before it.
  public let lastGood: ReleaseVersion?
  /// Whether the newest release is good.
  public let isGood: Bool
  /// How the feed was authenticated.
  public let trust: Trust
  /// Whether the answer rests on the assumption that the fault came once and stayed.
  public let assumesOneChange: Bool

  /// How often a release is bad after a good one, among those that were tried.
  public var breaks: Int { zip(rows, rows.dropFirst()).count { $0.isGood && !$1.isGood } }
}

/// Why a search gave no answer.
public enum BisectFailure: Error, Sendable {
  /// The feed, or a release of it, cannot be read.
  case feed(Problem)
  /// The engine itself is missing, broken or cancelled.
  case engine(EngineError)
}

extension Publisher {
  /// Tries the kept releases of a feed on a recording, and names the one that broke it.
  ///
  /// - Parameter observe: told of every release that was tried, in the order of trials.
  public static func bisect(
    _ request: BisectRequest, engine: BundleEngine, observe: (BisectReport.Row) -> Void = { _ in }
  ) async throws(BisectFailure) -> BisectReport {
    let reader = FeedReader(request.feed, allowsPlainHTTPOnLoopback: request.allowsPlainHTTPOnLoopback)
    let chain: ReleaseChain
    do {
      let trust = try await reader.usedTrust(request.trust)
      chain = try await ReleaseChain(of: request.channel, from: reader, trust: trust)
    } catch {
      throw .feed(error)
    }
    var run = BisectRun(request: request, chain: chain, engine: engine)
    while let row = try await run.step() { observe(row) }
    return run.report
  }
}

/// A search on its way; releases with the same files are tried once.
private struct BisectRun {
  private let request: BisectRequest
  private let chain: ReleaseChain
  private let replay: FixtureReplay
  private let aliases: [SourceAlias]
  private var search: Bisection
  private var known: [ContentPair: BisectReport.Row] = [:]
  private var rows: [Int: BisectReport.Row] = [:]

  init(request: BisectRequest, chain: ReleaseChain, engine: BundleEngine) {
    self.request = request
    self.chain = chain
    replay = FixtureReplay(engine: engine)
    aliases = chain.releases.last?.aliases ?? []
    let withdrawn = Set(chain.releases.last?.withdrawn ?? [])
    let suspects = chain.releases.indices.filter { withdrawn.contains(chain.releases[$0].version) }
    search = Bisection(
      count: chain.releases.count, triesAll: request.triesAll, withdrawn: Array(suspects))
  }

  /// Tries the next release; `nil` when the answer is known.
  mutating func step() async throws(BisectFailure) -> BisectReport.Row? {
    guard let position = search.next else { return nil }
    let manifest = chain.releases[position]
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

  var report: BisectReport {
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
      kept: chain.releases.count, rows: rows.sorted { $0.key < $1.key }.map(\.value),
      broken: broken.map { chain.releases[$0.bad].version }, isUndone: undoneAt != nil,
      undoneBy: undoneAt.map { chain.releases[$0].version },
      lastGood: broken.map { chain.releases[$0.good].version },
      isGood: finding == .good || undoneAt != nil, trust: chain.trust,
      assumesOneChange: search.assumesOneChange && broken != nil)
  }

  private func attempt(_ manifest: Manifest) async throws(BisectFailure) -> BisectReport.Row {
    var bundle: ParserBundle
    do {
      bundle = try await chain.bundle(of: manifest)
    } catch {
      throw .feed(error)
    }
    bundle.globalName = request.globalName
    guard let fixture = SourceNames(bundle.catalog, aliases: aliases).fixture(request.fixture) else {
      return Self.row(manifest, false, "the catalog has no \(request.fixture.source)")
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
