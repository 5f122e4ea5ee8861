internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let rollback = Verb(
    VerbSpec(
      ["rollback"], summary: "undo a bad release: publish the content of an earlier one under a new number",
      options: [
        FeedVerb.feed, FeedVerb.channel,
        .option(
          "to", "VERSION",
          "the release to go back to; the newest earlier one with other content when left out"),
        .flag("to-embedded", "let apps run their embedded copy in place of every release up to the new one"),
        .option(
          "apps", "RANGE", "the apps that --to-embedded is for, such as 2.0.0..2.3.0; all when left out"),
        .option("reason", "TEXT", "why, for people; becomes the notes of the release").allowingEmpty(),
        .flag("allow-withdrawn", "go back to a release that was withdrawn; it must be named with --to"),
        .flag("yes", "do not ask"),
        .flag("dry-run", "say what would be done, but write nothing"),
        FeedVerb.allowClock, OutputFormat.option,
      ] + SigningOptions.release + FeedVerb.hosting + [FeedVerb.wait],
      manual: VerbManual(
        details: [
          "Uploads nothing but a manifest. The releases between are marked as withdrawn, so that devices stop running"
            + " them at their next launch, whether they take the new release or not.",
          "With --to-embedded no release of the channel up to the new one runs on those apps: they run their embedded copy, and"
            + " the next release ends that. Other apps and old clients get the content that is live, or that of --to.",
          "Going back once more within an hour, or to a release without some of the live sources, is rarely meant: then the"
            + " release must be named with --to. At a terminal the question says so.",
        ],
        examples: [
          "parser-ota rollback --feed feed --release-key release.pem --yes",
          "parser-ota rollback --feed feed --to 37 --reason 'blank lists' --release-key release.pem --yes",
          "parser-ota rollback --feed feed --to-embedded --apps 2.0.0..2.3.0 --release-key release.pem --yes",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      if arguments.flag("allow-withdrawn"), !arguments.flag("to") {
        throw arguments.usage(.missingOneOf(["--to VERSION"]))
      }
      var request = try rollbackRequest(arguments, context)
      let asked = request
      let plan = try await run(arguments) { () async throws(Problem) in
        try await publisher.planRollback(asked)
      }
      if request.dryRun || arguments.flag("yes") {
        if let caution = plan.cautions.first { throw failure(caution, plan, arguments) }
      } else {
        if Confirmation.canAsk(arguments, context) {
          let comparison = await compare(plan, publisher)
          let now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
          for line in RollbackPage(plan, comparison, isDeployed: try isDeployed(arguments), now: now).lines {
            context.talk.note(line)
          }
        }
        for caution in plan.cautions { context.talk.warning(caution.message) }
        let question =
          "publish release \(plan.next) with the content of release \(plan.target), in place of release \(plan.live)"
        try Confirmation.ask(question, flag: "yes", arguments, context)
        // The answer was about this release; an interrupted roll back is finished as it was asked for.
        if !plan.cautions.isEmpty { request.to = plan.target }
      }
      let meant = request
      let report = try await run(arguments) { () async throws(Problem) in try await publisher.rollback(meant)
      }
      var result = try await FeedVerb.finished(
        FeedVerb.result(report, verb: "rolled back:"), report, publisher, arguments)
      if report.outcome == .published {
        result.hint =
          (try isDeployed(arguments) ? "" : "deploy the feed as after a publish, ")
          + "revert the bad commit, then publish the corrected parsers"
      }
      return try FeedVerb.formatted(result, report, arguments)
    })

  /// Whether what is written is out by itself, on a host or by a command.
  private static func isDeployed(_ arguments: ParsedArguments) throws(CommandFailure) -> Bool {
    HostPlace.isHost(try arguments.required("feed")) || arguments.flag("deploy")
  }

  /// What the roll back changes; a release that is damaged is a reason to go back all the same.
  private static func compare(_ plan: RollbackPlan, _ publisher: Publisher) async -> ReleaseComparison? {
    do {
      return try await publisher.compare(plan.live, with: plan.target)
    } catch {
      return nil
    }
  }

  private static func rollbackRequest(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> RollbackRequest {
    var request = RollbackRequest(channel: try FeedVerb.channel(arguments))
    request.to = try arguments.value("to", as: Readings.version)
    request.allowsWithdrawn = arguments.flag("allow-withdrawn")
    request.reason = arguments.value("reason")
    let apps = try arguments.value("apps", as: Readings.apps)
    if apps != nil, !arguments.flag("to-embedded") { throw arguments.usage(.missingOneOf(["--to-embedded"])) }
    if let apps {
      request.toEmbedded = apps
    } else if arguments.flag("to-embedded") {
      request.toEmbedded = try Readings.allApps()
    }
    request.dryRun = arguments.flag("dry-run")
    request.date = try FeedVerb.date(context)
    request.signers = try SigningOptions(arguments, context).releaseSigners()
    return request
  }

  private static func failure(
    _ caution: RollbackCaution, _ plan: RollbackPlan, _ arguments: ParsedArguments
  ) -> CommandFailure {
    CommandFailure(
      ExitStatus(caution.code.responsibility), code: caution.code.rawValue, message: caution.message,
      kept: "release \(plan.live) is still live",
      hint: "if that is meant, name it: \(arguments.command(adding: ["--to", "\(plan.target)"]))")
  }

  /// A problem of the library as a failure, with the command that goes through where one option is missing.
  private static func run<Value: Sendable>(
    _ arguments: ParsedArguments, _ body: () async throws(Problem) -> Value
  ) async throws(CommandFailure) -> Value {
    do {
      return try await body()
    } catch {
      var failure = CommandFailure(error)
      if error.code == .withdrawnContent {
        failure.hint =
          "if it is right after all: \(arguments.command(adding: ["--allow-withdrawn"]))"
      }
      throw failure
    }
  }
}
