internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench

extension Verb {
  static let run = Verb(
    VerbSpec(
      ["run"],
      summary: "call a parser by hand, on its real site or on recorded pages, and print what it returns",
      positionals: [
        PositionalSpec(
          name: "METHOD", help: "list, search, details or pages",
          shape: .choice(["list", "search", "details", "pages"])),
        PositionalSpec(
          name: "SUBJECT",
          help:
            "what is searched for, or a work or chapter: the JSON object that the parser gave, or only its address",
          count: .optional),
      ],
      options: ParserVerb.inputs + [
        .option("page", "N", "the page of a list or search; 1 when left out"),
        .option("order", "ORDER", "the order of a list or search, such as UPDATED; POPULARITY when left out"),
        .option("branch", "NAME", "the branch of a chapter, as the details gave it"),
        ParserVerb.fixtures, ParserVerb.trace, ParserVerb.timeout, ParserVerb.global, EngineChoice.option,
        ParserVerb.loopback,
      ],
      manual: VerbManual(
        details: [
          "The result goes to standard output as JSON; --trace shows each request and what the parser logs on standard error."
            + " With --fixtures the pages come from a recording, and the network is not asked.",
          "A parser that fails ends with 1, with the line and column in the bundle. A page that could not be had ends with 4:"
            + " a challenge of Cloudflare, an error status and a timeout are named as such.",
          "Apps hand the whole item of the list to details, and the whole chapter to pages. Give it as JSON when the parser reads"
            + " more than the address; a bare address is made into the least item.",
          "Only http and https to public addresses are asked for.",
        ],
        examples: [
          "parser-ota run list --bundle parsers.bundle.js --sources sources.json --source ABC --trace",
          "parser-ota run details /manga/x --bundle parsers.bundle.js --sources sources.json --source ABC --fixtures fixtures",
          "parser-ota run details '{\"url\":\"/manga/x\",\"title\":\"X\"}' --bundle parsers.bundle.js --sources sources.json --source ABC",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let (method, values) = try call(arguments, context)
      let bundle = try ParserVerb.bundle(arguments, context)
      let source = try ParserVerb.source(try arguments.required("source"), in: bundle.catalog)
      let engine = try ParserVerb.engine(arguments, context)
      let pages = try pages(for: source, arguments, context)
      let name = "\(method.rawValue) of \(source.id.text.printable())"
      let value = try await answer(
        Question(bundle: bundle, source: source.id, method: method, values: values, name: name), engine,
        pages,
        traces: arguments.flag("trace"), context)
      return result(value, method, name)
    })

  /// What is asked of which parser.
  private struct Question: Sendable {
    let bundle: ParserBundle
    let source: SourceID
    let method: ParserCall.Method
    let values: JSONValue
    let name: String
  }

  private static func call(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> (method: ParserCall.Method, values: JSONValue) {
    let method = arguments.positional("METHOD").flatMap(ParserCall.Method.init(rawValue:)) ?? .list
    let subject = arguments.positional("SUBJECT")
    let page = try arguments.value("page", as: Readings.count) ?? 1
    let order = arguments.value("order") ?? "POPULARITY"
    if method == .list {
      if let subject { throw arguments.usage(.unexpectedArgument(subject)) }
      return (method, CallArguments.list(page: page, order: order))
    }
    guard let subject else { throw arguments.usage(.missingArgument("SUBJECT")) }
    if method == .search { return (method, CallArguments.search(subject, page: page, order: order)) }
    let branch = arguments.value("branch").map { JSONValue.string($0) }
    if let item = try item(subject, arguments) {
      return (
        method,
        method == .pages ? CallArguments.pages(of: item, branch: branch) : CallArguments.details(of: item)
      )
    }
    let what = method == .pages ? "the chapter" : "the work"
    context.talk.note(
      "\(what) has only its address; apps pass all that the parser gave: give it as JSON to do the same")
    return (
      method,
      method == .pages
        ? CallArguments.pages(url: subject, branch: branch) : CallArguments.details(url: subject)
    )
  }

  /// The work or chapter that a subject describes as JSON; `nil` for an address.
  private static func item(
    _ subject: String, _ arguments: ParsedArguments
  ) throws(CommandFailure) -> JSONValue? {
    guard subject.utf8.first == UInt8(ascii: "{") else { return nil }
    let expected: String
    do {
      let item = try JSONReader.read(Array(subject.utf8), maxBytes: 1 << 20, maxDepth: 32)
      guard item.text("url", else: "publicUrl").isEmpty else { return item }
      expected = "url is missing: the parser is asked for an address"
    } catch {
      expected = error.message
    }
    throw arguments.usage(.invalidValue("SUBJECT", expected: expected, meant: nil))
  }

  private static func pages(
    for source: SourceEntry, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> any PageProvider {
    let pages: any PageProvider
    if let path = arguments.value("fixtures") {
      pages = FixturePages(try ParserVerb.fixture(of: source.id, path, context).exchanges)
    } else {
      pages = try ParserVerb.site(arguments)
    }
    return ParserVerb.traced(pages, arguments, context)
  }

  private static func answer(
    _ question: Question, _ engine: BundleEngine, _ pages: any PageProvider, traces: Bool,
    _ context: CommandContext
  ) async throws(CommandFailure) -> JSONValue {
    do {
      let session = try await BundleSession(question.bundle, engine: engine, pages: pages)
      let outcome: Result<JSONValue, EngineError>
      do {
        outcome = .success(try await session.call(question.method, of: question.source, question.values))
      } catch {
        outcome = .failure(error)
      }
      if traces { for line in await session.takeLogs() { context.talk.note(TraceLines.line(line)) } }
      await session.close()
      return try outcome.get()
    } catch {
      throw ParserVerb.failure(error, of: question.name, in: question.bundle.name)
    }
  }

  /// Prints whatever came; an answer of another shape than apps need is told, and is no success.
  private static func result(
    _ value: JSONValue, _ method: ParserCall.Method, _ name: String
  ) -> CommandResult {
    let payload = [JSONMember("result", value)]
    var result: CommandResult
    do {
      let answer = try ParserAnswer(value, to: method)
      result = .answer("answered", "\(name): \(answer.summary)", lines: [], payload: payload)
      if answer.richness == 0 {
        result.warnings = ["\(name) has nothing that a reader needs: \(answer.summary)"]
      }
    } catch {
      result = .answer(
        ProblemCode.parserFailed.rawValue, "\(name): the parser's answer \(error.message)", lines: [],
        payload: payload)
      result.status = .notAchieved
      result.warnings = [result.message]
    }
    result.output = .bytes(value.encoded(indented: true))
    return result
  }
}
