internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench

extension Verb {
  static let record = Verb(
    VerbSpec(
      ["record"],
      summary: "run a parser against its real site and keep the pages, to replay them in later checks",
      options: ParserVerb.inputs + [
        .option("out", "DIR", "the folder of recordings; the source gets a folder of its own in it")
          .completing(.directory).setting("fixtures").required(),
        .option("works", "N", "how many works of the list are looked into; 2 when left out"),
        .option("order", "ORDER", "the order of the list, such as UPDATED; POPULARITY when left out"),
        .option("query", "TEXT", "search for this as well"),
        ParserVerb.trace, ParserVerb.timeout, ParserVerb.global, EngineChoice.option, ParserVerb.loopback,
      ],
      manual: VerbManual(
        details: [
          "Asks for a list, for the details of its first works, and for the pages of a chapter of each. When a step fails or"
            + " returns nothing, no file is touched; a recording that is there already is replaced as a whole.",
          "Pages, addresses and posted forms are kept; header fields, and cookies with them, are not.",
        ],
        examples: [
          "parser-ota record --bundle parsers.bundle.js --sources sources.json --source ABC --out fixtures"
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let bundle = try ParserVerb.bundle(arguments, context)
      let source = try ParserVerb.source(try arguments.required("source"), in: bundle.catalog)
      let plan = try plan(arguments)
      let engine = try ParserVerb.engine(arguments, context)
      let folder = FixtureFolder(
        try InputFolder.requireOrMake(try arguments.required("out"), option: "--out", context))
      let pages = ParserVerb.traced(try ParserVerb.site(arguments), arguments, context)
      let now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
      let fixture = try await record(
        FixtureRecorder(engine: engine, pages: pages), source, bundle, plan, now)
      do throws(FixtureError) {
        try folder.write(fixture)
      } catch {
        throw ParserVerb.failure(error)
      }
      return result(fixture, folder)
    })

  private static func plan(_ arguments: ParsedArguments) throws(CommandFailure) -> FixtureRecorder.Plan {
    var plan = FixtureRecorder.Plan()
    if let works = try arguments.value("works", as: Readings.count) { plan.works = min(works, 20) }
    if let order = arguments.value("order") { plan.order = order }
    plan.query = arguments.value("query")
    return plan
  }

  private static func record(
    _ recorder: FixtureRecorder, _ source: SourceEntry, _ bundle: ParserBundle, _ plan: FixtureRecorder.Plan,
    _ now: Timestamp
  ) async throws(CommandFailure) -> Fixture {
    let kept = "every recording as it was"
    do {
      return try await recorder.record(source, of: bundle, plan: plan, now: now)
    } catch {
      var failure: CommandFailure
      switch error {
      case .engine(let error): failure = ParserVerb.failure(error, of: "recording", in: bundle.name)
      case .step(let step, let cause):
        failure = ParserVerb.failure(cause, of: "\(step) (\(source.id.text.printable()))", in: bundle.name)
      case .empty(let step):
        failure = CommandFailure(
          .notAchieved, code: ProblemCode.parserFailed.rawValue,
          message: "\(step) (\(source.id.text.printable())) returned nothing that a reader needs",
          hint: "correct the parser first; --trace shows its requests")
      }
      failure.kept = kept
      throw failure
    }
  }

  private static func result(_ fixture: Fixture, _ folder: FixtureFolder) -> CommandResult {
    let steps = fixture.steps.map { step in
      JSONValue.object([
        JSONMember("method", .string(step.method.rawValue)),
        JSONMember("answer", .string(step.answer.summary)),
      ])
    }
    return .outcome(
      "recorded",
      "recorded \(fixture.source.text.printable()): \(fixture.steps.count) calls, \(fixture.exchanges.count) requests",
      lines: fixture.steps.map { "\($0.method.rawValue): \($0.answer.summary)" },
      payload: [
        JSONMember("source", .string(fixture.source.text)), JSONMember("folder", .string(folder.path)),
        JSONMember("requests", .integer(Int64(fixture.exchanges.count))), JSONMember("steps", .array(steps)),
      ])
  }
}
