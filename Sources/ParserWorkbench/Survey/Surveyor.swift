public import OTAManifest
public import ParserEngine
public import ParserPages
internal import Synchronization

/// Surveys many sources: several hosts at once, each host one source after the other.
public struct Surveyor: Sendable {
  /// How a survey is made.
  public struct Options: Sendable {
    /// The order of the lists.
    public var order = "POPULARITY"
    /// What is searched for; `nil` takes a word of the first title on the list.
    public var query: String?
    /// How many hosts are asked at once, each with an engine of its own.
    public var hosts = 8
    /// The most pages that a source may ask for.
    public var maxRequestsForSource = HostTurns.Manners().maxRequestsForSource

    /// The defaults.
    public init() {}
  }

  /// A source that is done.
  public struct Result: Sendable {
    /// What its steps came to.
    public let source: SurveyedSource
    /// Everything that was asked, with what came of it.
    public let recording: Fixture
  }

  private let bundle: ParserBundle
  private let engine: BundleEngine
  private let options: Options
  private let pages: @Sendable (SourceEntry) -> any PageProvider

  /// Prepares a survey; nothing is asked yet.
  ///
  /// - Parameter pages: where the pages of a source come from: its site, or a recording.
  public init(
    _ bundle: ParserBundle, engine: BundleEngine, options: Options = Options(),
    pages: @escaping @Sendable (SourceEntry) -> any PageProvider
  ) {
    (self.bundle, self.engine, self.options, self.pages) = (bundle, engine, options, pages)
  }

  /// Surveys sources and tells of each that is done.
  ///
  /// - Parameters:
  ///   - now: the moment that recordings are dated with.
  ///   - keep: called once for each source, by one worker at a time; `false` ends the survey, and what is on its way is dropped.
  /// - Throws: an `EngineError` about the engine itself; what a bundle does to it is a verdict instead.
  public func run(
    _ sources: [SourceEntry], now: Timestamp, keep: @escaping @Sendable (Result) async -> Bool
  ) async throws(EngineError) {
    let queue = SurveyQueue(sources)
    let keeper = Keeper(keep)
    let failure = await withTaskGroup(of: EngineError?.self) { group -> EngineError? in
      for _ in 0..<max(1, min(options.hosts, queue.count)) {
        group.addTask { await work(on: queue, now: now, keeper: keeper) }
      }
      var first: EngineError?
      for await failure in group {
        guard first == nil, let failure else { continue }
        first = failure
        queue.close()
        group.cancelAll()
      }
      return first
    }
    if let failure { throw failure }
  }

  private func work(on queue: SurveyQueue, now: Timestamp, keeper: Keeper) async -> EngineError? {
    var desk = SurveyDesk(bundle: bundle, engine: engine)
    var failure: EngineError?
    while failure == nil, let host = queue.next() {
      for source in host where failure == nil && !queue.isClosed {
        do throws(EngineError) {
          let result = try await survey(source, at: &desk, now: now)
          if await !keeper.take(result) { queue.close() }
        } catch {
          failure = error
        }
      }
    }
    await desk.close()
    return failure
  }

  private func survey(
    _ source: SourceEntry, at desk: inout SurveyDesk, now: Timestamp
  ) async throws(EngineError) -> Result {
    let recording = RecordingPages(CountedPages(pages(source), limit: options.maxRequestsForSource))
    let plan = SourceSurvey.Plan(order: options.order, query: options.query)
    let (steps, calls) = try await desk.survey(source, plan: plan, pages: recording)
    let fixture = Fixture(
      source: source, recorded: now, bundle: bundle.digest, steps: calls, exchanges: recording.exchanges)
    return Result(source: SurveyedSource(source, steps: steps), recording: fixture)
  }
}

/// One engine with the bundle in it; an engine that a source ended is replaced for the next one.
private struct SurveyDesk {
  let bundle: ParserBundle
  let engine: BundleEngine
  private let pages = ChangingPages()
  private var session: BundleSession?
  private var isUsed = false

  init(bundle: ParserBundle, engine: BundleEngine) { (self.bundle, self.engine) = (bundle, engine) }

  mutating func survey(
    _ source: SourceEntry, plan: SourceSurvey.Plan, pages recording: RecordingPages
  ) async throws(EngineError) -> (steps: [SurveyStep], calls: [Fixture.Step]) {
    let session: BundleSession
    do {
      session = try await openSession()
    } catch {
      await close()
      guard !error.isAboutEngine else { throw error }
      // The bundle does not load: each source fails alike, and the report says why.
      return ([SurveyStep(.list, .fault, "the bundle does not load: \(error.text)")], [])
    }
    pages.show(recording)
    var survey = SourceSurvey(source, plan: plan, session: session, pages: recording)
    isUsed = true
    do {
      try await survey.run()
    } catch {
      await close()
      if error.isAboutEngine { throw error }
    }
    return (survey.steps, survey.calls)
  }

  /// The engine with a fresh page of the bundle; one that does not come back is replaced.
  private mutating func openSession() async throws(EngineError) -> BundleSession {
    pages.show(NoPages())
    if isUsed, let session {
      do {
        try await session.renew()
        return session
      } catch {
        if case .cancelled = error { throw error }
        await close()
      }
    }
    if let session { return session }
    let opened = try await openTwice()
    session = opened
    return opened
  }

  /// Many engines that start at once may be slow to: one more try.
  private func openTwice() async throws(EngineError) -> BundleSession {
    do {
      return try await BundleSession(bundle, engine: engine, pages: pages)
    } catch {
      switch error {
      case .notStarted, .timedOut: return try await BundleSession(bundle, engine: engine, pages: pages)
      default: throw error
      }
    }
  }

  mutating func close() async {
    await session?.close()
    (session, isUsed) = (nil, false)
  }
}

/// The sources by their hosts, the longest queue first, so that the last worker is not left with it.
private final class SurveyQueue: Sendable {
  private let hosts: Mutex<[[SourceEntry]]>
  private let closed = Mutex(false)
  let count: Int

  init(_ sources: [SourceEntry]) {
    var order: [String] = []
    var byHost: [String: [SourceEntry]] = [:]
    for source in sources {
      let host = SiteAddress.host(of: SiteAddress.root(ofDomain: source.domain, orURL: ""))
      if byHost[host] == nil { order.append(host) }
      byHost[host, default: []].append(source)
    }
    let lists = order.compactMap { byHost[$0] }
    let sorted = lists.enumerated().sorted {
      ($0.element.count, $1.offset) > ($1.element.count, $0.offset)
    }
    count = lists.count
    hosts = Mutex(sorted.map(\.element).reversed())
  }

  var isClosed: Bool { closed.withLock { $0 } }

  func close() { closed.withLock { $0 = true } }

  /// The sources of the next host; `nil` when there is none, or when the survey ends.
  func next() -> [SourceEntry]? { isClosed ? nil : hosts.withLock { $0.popLast() } }
}

/// Hands results on, one at a time.
private actor Keeper {
  private let keep: @Sendable (Surveyor.Result) async -> Bool
  private var tail: Task<Bool, Never>?

  init(_ keep: @escaping @Sendable (Surveyor.Result) async -> Bool) { self.keep = keep }

  func take(_ result: Surveyor.Result) async -> Bool {
    let before = tail
    let task = Task { [keep] in
      if let before, await !before.value { return false }
      return await keep(result)
    }
    tail = task
    return await task.value
  }
}
