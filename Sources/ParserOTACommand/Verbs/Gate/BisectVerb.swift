internal import OTAFeed
internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench

extension Verb {
  static let bisect = Verb(
    VerbSpec(
      ["bisect"], summary: "name the release of a feed that broke a source, by its recording",
      options: [
        .option("feed", "DIR|URL", "the feed: a folder or its public address").completing(.directory)
          .required(),
        .option("source", "ID", "the recorded source").required(),
        .option("fixtures", "DIR", "the folder of recordings, as parser-ota record writes it").completing(
          .directory
        ).required(),
        .flag("all", "try every release, however many there are"),
        FeedVerb.channel,
        .option(
          "root", "FILE", "the root of trust that ships in apps; a folder's own first root when left out"
        )
        .completing(.file),
        ParserVerb.global, EngineChoice.option,
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "Each release that the feed keeps gets the recorded pages, and is good when it makes of them at least what was"
            + " recorded. It reports the last release that went from good to bad, and the release that undid it if there is one. The newest"
            + " manifest is authenticated by the root, each one before it by the digest in the next.",
          "Up to 12 releases are tried one by one. Of more, the middle between a good and a bad one is tried until they are"
            + " neighbours: right as long as the fault came once. --all tries them all.",
        ],
        examples: ["parser-ota bisect --feed feed --source ABC --fixtures fixtures"],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let request = try bisectRequest(arguments, context)
      let engine = try ParserVerb.engine(arguments, context)
      let talk = context.talk
      let report: BisectReport
      do throws(BisectFailure) {
        var count = 0
        // The rows are the result; while the search goes on, a terminal only shows how far it is.
        report = try await Publisher.bisect(request, engine: engine) { row in
          count += 1
          if talk.canRedraw { talk.redraw("tried \(count): release \(row.version)") }
        }
        talk.eraseLine()
      } catch {
        switch error {
        case .feed(let problem): throw CommandFailure(problem)
        case .engine(let error): throw ParserVerb.failure(error, of: "the search", in: "the bundle")
        }
      }
      return result(report, request)
    })

  private static func bisectRequest(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> BisectRequest {
    let location: FeedLocation = try arguments.required("feed", as: Readings.feed)
    let feed = try InputFolder.require(location, option: "--feed", context)
    let name = try arguments.required("source")
    guard let source = SourceID(name) else {
      throw arguments.usage(
        .invalidValue("--source \(name)", expected: "must be the id of a source", meant: nil))
    }
    let fixture = try ParserVerb.fixture(of: source, try arguments.required("fixtures"), context)
    var trust = try TrustChoice.given(arguments, context)
    if trust == nil, case .web = feed { trust = .checksumsOnly }
    var request = BisectRequest(feed: feed, trust: trust, fixture: fixture)
    request.channel = try FeedVerb.channel(arguments)
    request.triesAll = arguments.flag("all")
    request.allowsPlainHTTPOnLoopback = arguments.flag("allow-http-loopback")
    if let name = try arguments.value("global", as: Readings.globalName) { request.globalName = name }
    return request
  }

  private static func line(_ row: BisectReport.Row) -> String {
    "release \(row.version)  \(row.released?.description ?? "no date")  \(row.isGood ? "good" : "bad")  \(row.summary)"
  }

  private static func result(_ report: BisectReport, _ request: BisectRequest) -> CommandResult {
    let source = request.fixture.source.text.printable()
    let (code, message) = verdict(report, source)
    var result = CommandResult.answer(
      code, message, lines: report.rows.map(line) + [message],
      payload: [
        JSONMember("source", .string(request.fixture.source.text)),
        JSONMember("broken", DeviceVerb.json(report.broken)),
        JSONMember("lastGood", DeviceVerb.json(report.lastGood)),
        JSONMember("undone", .bool(report.isUndone)),
        JSONMember("undoneBy", DeviceVerb.json(report.undoneBy)),
        JSONMember("kept", .integer(Int64(report.kept))),
        JSONMember("releases", .array(report.rows.map(json))),
      ])
    if code == "never-good" { result.status = .notAchieved }
    if report.assumesOneChange {
      result.warnings.append("the answer is right as long as the fault came once; --all tries every release")
    } else if report.breaks > 1 {
      result.warnings.append(
        "the fault came and went: \(report.breaks) releases are bad after a good one, and the last of them is named"
      )
    }
    return result.warning(report.trust.warning)
  }

  private static func verdict(_ report: BisectReport, _ source: String) -> (code: String, message: String) {
    if let broken = report.broken, let good = report.lastGood {
      if let undone = report.undoneBy {
        return (
          "undone",
          "release \(broken) broke \(source); release \(good) before it is good; release \(undone) undid it"
        )
      }
      return ("broken", "release \(broken) broke \(source); release \(good) before it is good")
    }
    if report.isGood { return ("not-broken", "the newest release is good for \(source)") }
    return (
      "never-good",
      "no release that was tried makes of the recorded pages of \(source) what was recorded: the pages may be newer"
    )
  }

  private static func json(_ row: BisectReport.Row) -> JSONValue {
    .object([
      JSONMember("version", .integer(row.version.number)),
      JSONMember("released", row.released.map { .string($0.description) } ?? .null),
      JSONMember("good", .bool(row.isGood)), JSONMember("summary", .string(row.summary)),
    ])
  }
}
