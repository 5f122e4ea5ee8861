public import OTAManifest
public import ParserEngine
public import ParserPages

/// Runs a parser against its site, and keeps the pages that it asked for.
public struct FixtureRecorder: Sendable {
  /// What is asked of the parser.
  public struct Plan: Sendable {
    /// The order of the list.
    public var order = "POPULARITY"
    /// How many works of the list are looked into.
    public var works = 2
    /// What is searched for as well; `nil` leaves the search out.
    public var query: String?

    /// The usual plan: a list, two works, and a chapter of each.
    public init() {}
  }

  /// Why nothing was recorded.
  public enum Failure: Error, Equatable, Sendable {
    /// The engine itself is missing, broken or cancelled.
    case engine(EngineError)
    /// A call failed; carries its name.
    case step(String, StepFailure)
    /// A call returned nothing that a reader needs, so that a recording of it would prove nothing.
    case empty(String)
  }

  private let engine: BundleEngine
  private let pages: any PageProvider

  /// Records what passes through to `pages`.
  public init(engine: BundleEngine, pages: any PageProvider) {
    self.engine = engine
    self.pages = pages
  }

  /// Lists, looks into the first works, and turns the pages of their first chapters.
  ///
  /// - Parameter now: the moment that the recording is dated with.
  public func record(
    _ source: SourceEntry, of bundle: ParserBundle, plan: Plan, now: Timestamp
  ) async throws(Failure) -> Fixture {
    let recording = RecordingPages(pages)
    let session: BundleSession
    do {
      session = try await BundleSession(bundle, engine: engine, pages: recording)
    } catch {
      throw error.isAboutEngine ? .engine(error) : .step("loading", StepFailure(error))
    }
    var run = RecordingRun(source: source.id, session: session)
    do {
      try await run.follow(plan)
    } catch {
      await session.close()
      throw error
    }
    await session.close()
    return Fixture(
      source: source, recorded: now, bundle: bundle.digest, steps: run.steps, exchanges: recording.exchanges)
  }
}

/// The calls of one recording.
private struct RecordingRun {
  let source: SourceID
  let session: BundleSession
  var steps: [Fixture.Step] = []

  init(source: SourceID, session: BundleSession) {
    (self.source, self.session) = (source, session)
  }

  mutating func follow(_ plan: FixtureRecorder.Plan) async throws(FixtureRecorder.Failure) {
    let list = try await call(.list, CallArguments.list(page: 1, order: plan.order))
    if let query = plan.query {
      _ = try await call(.search, CallArguments.search(query, page: 1, order: plan.order))
    }
    for work in list.items.prefix(plan.works) {
      let details = try await call(.details, CallArguments.details(of: work))
      guard let chapter = details.member("chapters")?.items.first else { continue }
      _ = try await call(.pages, CallArguments.pages(of: chapter))
    }
  }

  private mutating func call(
    _ method: ParserCall.Method, _ arguments: JSONValue
  ) async throws(FixtureRecorder.Failure) -> JSONValue {
    let name = "\(method.rawValue)\(arguments.text("url").isEmpty ? "" : " of \(arguments.text("url"))")"
    let value: JSONValue
    do {
      value = try await session.call(method, of: source, arguments)
    } catch {
      throw error.isAboutEngine ? .engine(error) : .step(name, StepFailure(error))
    }
    let answer: ParserAnswer
    do {
      answer = try ParserAnswer(value, to: method)
    } catch {
      throw .step(name, StepFailure(.parser, "the parser's answer \(error.message)"))
    }
    guard answer.richness > 0 else { throw .empty(name) }
    steps.append(Fixture.Step(method, arguments, answer: answer))
    return value
  }
}

extension JSONValue {
  /// The items of an array; none for every other value.
  fileprivate var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
}
