internal import OTAManifest
internal import ParserEngine
internal import ParserPages

/// Asks one source what apps ask: a list, a search, a work, a chapter, a picture.
struct SourceSurvey {
  /// What is asked for.
  struct Plan: Sendable {
    var order = "POPULARITY"
    /// What is searched for; `nil` takes a word of the first title on the list.
    var query: String?
  }

  /// How many works are looked into until one has chapters: what was announced has none yet.
  private static let maxWorks = 2

  let source: SourceEntry
  let plan: Plan
  let session: BundleSession
  let pages: RecordingPages
  private let host: String
  private(set) var steps: [SurveyStep] = []
  /// The calls that gave something, as a recording keeps them.
  private(set) var calls: [Fixture.Step] = []
  private var seen = 0

  init(_ source: SourceEntry, plan: Plan, session: BundleSession, pages: RecordingPages) {
    (self.source, self.plan, self.session, self.pages) = (source, plan, session, pages)
    host = SiteAddress.host(of: SiteAddress.root(ofDomain: source.domain, orURL: ""))
  }

  /// Runs all steps; what was not asked for is skipped.
  ///
  /// - Throws: what ended the engine, which is a fault of the step that was running, or of the engine itself.
  mutating func run() async throws(EngineError) {
    do {
      try await ask()
    } catch {
      guard !error.isAboutEngine else { throw error }
      let missing = SurveyStep.Name.allCases.first { name in !steps.contains { $0.name == name } }
      steps.append(SurveyStep(missing ?? .list, .fault, error.text))
      skipRest()
      throw error
    }
    skipRest()
  }

  private mutating func ask() async throws(EngineError) {
    let list = try await call(.list, .list, CallArguments.list(page: 1, order: plan.order))
    guard mayGoOn else { return }
    let query = plan.query ?? Self.word(in: list) ?? "one"
    let search = try await call(
      .search, .search, CallArguments.search(query, page: 1, order: plan.order))
    let works = list.items.isEmpty ? search.items : list.items
    guard let details = try await details(of: works) else { return }
    guard let urls = try await chapter(of: details.member("chapters")?.items ?? []) else { return }
    await picture(urls)
  }

  private var mayGoOn: Bool { steps.last.map { !$0.verdict.endsSource } ?? true }

  private mutating func details(of works: [JSONValue]) async throws(EngineError) -> JSONValue? {
    for (index, work) in works.prefix(Self.maxWorks).enumerated() {
      if index > 0 { steps.removeLast() }
      let details = try await call(.details, .details, CallArguments.details(of: work))
      guard mayGoOn else { return nil }
      if details.member("chapters")?.items.isEmpty == false { return details }
      guard steps.last?.verdict == .empty else { return nil }
    }
    return nil
  }

  /// The first chapter, else the last one: what is new may have to be paid for.
  private mutating func chapter(of chapters: [JSONValue]) async throws(EngineError) -> JSONValue? {
    guard let first = chapters.first, let last = chapters.last else { return nil }
    let pages = try await call(.pages, .pages, CallArguments.pages(of: first))
    guard steps.last?.verdict == .empty, chapters.count > 1 else { return pages }
    steps.removeLast()
    return try await call(.pages, .pages, CallArguments.pages(of: last))
  }

  private mutating func call(
    _ name: SurveyStep.Name, _ method: ParserCall.Method, _ arguments: JSONValue
  ) async throws(EngineError) -> JSONValue {
    var value = JSONValue.null
    var outcome: StepOutcome
    do {
      value = try await session.call(method, of: source.id, arguments)
      outcome = Self.outcome(value, method)
    } catch {
      switch error {
      case .call, .callTimedOut: outcome = .failed(StepFailure(error))
      default: throw error
      }
    }
    if case .answered(let answer) = outcome, answer.richness > 0 {
      calls.append(Fixture.Step(method, arguments, answer: answer))
    }
    note(name, outcome, fields: SurveyFields.names(in: value, of: method))
    return value
  }

  private static func outcome(_ value: JSONValue, _ method: ParserCall.Method) -> StepOutcome {
    do {
      return .answered(try ParserAnswer(value, to: method))
    } catch {
      return .failed(StepFailure(.parser, "the parser's answer \(error.message)"))
    }
  }

  private mutating func note(_ name: SurveyStep.Name, _ outcome: StepOutcome, fields: [String]) {
    let exchanges = pages.exchanges
    var step = SurveyJudge(outcome: outcome, exchanges: Array(exchanges.dropFirst(seen)), host: host)
      .step(name)
    seen = exchanges.count
    if step.found > 0 { step.fields = fields }
    steps.append(step)
  }

  /// Asks for the head of the first picture as apps ask for pictures.
  private mutating func picture(_ urls: JSONValue) async {
    let root = SiteAddress.root(ofDomain: source.domain, orURL: "")
    guard let url = Self.picture(in: urls, root: root) else { return }
    var request = PageRequest(method: "HEAD", url: url, domain: source.domain, source: source.id.text)
    var answer = await pages.answer(request)
    if case .page(let page) = answer, [405, 501].contains(page.status) {
      request.method = "GET"
      request.headers = [PageRequest.Header("Range", "bytes=0-0")]
      answer = await pages.answer(request)
    }
    var outcome = StepOutcome.failed(StepFailure(.page, "no picture"))
    if case .page(let page) = answer, page.status < 400 { outcome = .answered(.pages([url])) }
    note(.picture, outcome, fields: [])
    if let last = steps.indices.last, steps[last].verdict == .ok { steps[last].text = "there" }
  }

  /// The address of the first page; `nil` for one that is no address of a site, such as `data:`.
  private static func picture(in pages: JSONValue, root: String) -> String? {
    guard let first = pages.items.first else { return nil }
    let text: String
    if case .string(let url) = first { text = url } else { text = first.text("url") }
    if text.hasPrefix("//") { return "https:\(text)" }
    if text.hasPrefix("/") { return root + text.dropFirst() }
    return text.hasPrefix("https://") || text.hasPrefix("http://") ? text : nil
  }

  private mutating func skipRest() {
    for name in SurveyStep.Name.allCases where !steps.contains(where: { $0.name == name }) {
      steps.append(SurveyStep(name, .skipped, "not asked"))
    }
  }

  /// The longest word of the first title, which a search must find.
  private static func word(in list: JSONValue) -> String? {
    let title = list.items.first?.text("title") ?? ""
    let words = title.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return words.max { $0.count < $1.count }.flatMap { $0.count < 2 ? nil : String($0.prefix(40)) }
  }
}

extension JSONValue {
  /// The items of an array; none for every other value.
  fileprivate var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
}
