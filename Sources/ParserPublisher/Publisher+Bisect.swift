public import OTAFeed
public import OTAManifest
public import ParserEngine
public import ParserPages
public import ParserWorkbench

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
    let kept = chain
    var search = ReleaseSearch(
      kept.releases, fixture: request.fixture, globalName: request.globalName, triesAll: request.triesAll,
      engine: engine
    ) { (manifest) throws(Problem) in try await kept.bundle(of: manifest) }
    while let row = try await search.step() { observe(row) }
    return search.report(trust: chain.trust)
  }
}
