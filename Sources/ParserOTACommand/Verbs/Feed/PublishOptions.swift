internal import OTAManifest
internal import ParserPublisher

/// What `publish` and `import` have in common: what is said of a release, how it is checked, and how it is signed.
enum PublishOptions {
  static let all: [OptionSpec] =
    [
      .option("notes", "TEXT", "what changed, for people; an empty text is none").allowingEmpty()
    ] + NotesOptions.all + [
      .option("contract", "N", "the contract between app and bundle that the bundle needs"),
      .option("minimum-app-version", "V", "the oldest app that can run the bundle, such as 2.1.0"),
      GateOptions.alias, GateOptions.aliases, GateOptions.allowRemoved,
      .option("version", "N", "the number of the release; live + 1 when left out"),
      .option(
        "tag", "TAG", "take the number from a tag such as v2.10: major x 1000000 + minor x 1000 + patch"),
      .flag("allow-version-jump", "allow a number above live + 1000"),
      .option("expect-parent", "SHA256", "publish only on top of the manifest with this digest"),
      RolloutOptions.rollout, RolloutOptions.critical, RolloutOptions.line,
      .option(
        "patches", "N", "make patches from the last N releases of the channel; 8 when left out, 0 makes none"),
      .option("patch-from", "VERSION", "make a patch from this release, too; may be given again")
        .repeatable(),
      .flag("dry-run", "check everything and say what would be done, but write nothing"),
      FeedVerb.allowClock, FeedVerb.checkInterval, OutputFormat.option,
    ] + GateOptions.all + SigningOptions.release

  /// Takes over what the command line says; what it leaves out stays as it is.
  static func fill(
    _ request: inout PublishRequest, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) {
    request.gate = try GateOptions.gate(arguments, context)
    request.notes = try NotesOptions.notes(arguments, context) ?? request.notes
    if request.notes == nil { request.describe = NotesOptions.describe(arguments, context) }
    request.contract = try arguments.value("contract", as: Readings.contract) ?? request.contract
    request.minimumAppVersion =
      try arguments.value("minimum-app-version", as: Readings.appVersion) ?? request.minimumAppVersion
    request.version = try arguments.value("version", as: Readings.version)
    request.tag = arguments.value("tag")
    request.allowsVersionJump = arguments.flag("allow-version-jump")
    request.aliases += try GateOptions.aliases(arguments, context)
    request.allowedRemovals = arguments.values("allow-removed")
    try RolloutOptions.fill(&request, arguments)
    request.line = try arguments.value("line", as: Readings.contract)
    request.expectedParent = try arguments.value("expect-parent", as: Readings.digest)
    request.patches.releases =
      try arguments.value("patches", as: Readings.countOrNone) ?? request.patches.releases
    request.patches.versions = try arguments.values("patch-from", as: Readings.version)
    request.dryRun = arguments.flag("dry-run")
    request.date = try FeedVerb.date(context)
    request.signers = try SigningOptions(arguments, context).releaseSigners()
  }

  /// Publishes, and shows what the gate found whether the release passes or not.
  static func publish(
    _ request: PublishRequest, _ publisher: Publisher, verb: String, _ arguments: ParsedArguments,
    _ context: CommandContext
  ) async throws(CommandFailure) -> CommandResult {
    try await run(request, publisher, verb: verb, arguments, context) { (request) async throws(Problem) in
      try await publisher.publish(request)
    }
  }

  /// The same for another way to publish.
  static func run(
    _ request: PublishRequest, _ publisher: Publisher, verb: String, _ arguments: ParsedArguments,
    _ context: CommandContext, _ publish: @Sendable (PublishRequest) async throws(Problem) -> PublishReport
  ) async throws(CommandFailure) -> CommandResult {
    var request = request
    let witness = GateWitness()
    request.observeGate = { witness.see($0) }
    defer { if let report = witness.report { GateOptions.annotate(report, context) } }
    let report: PublishReport
    do throws(Problem) {
      report = try await publish(request)
    } catch {
      throw failure(error, witness.report)
    }
    let result = try await FeedVerb.finished(
      FeedVerb.result(report, verb: verb, rollout: request.rollout), report, publisher, arguments)
    return try FeedVerb.formatted(result, report, arguments)
  }

  private static func failure(_ problem: Problem, _ report: GateReport?) -> CommandFailure {
    var failure = CommandFailure(problem)
    guard let report else { return failure }
    if problem.code == .gateRefused, report.refusals.count > 1 {
      failure.message = report.summary
      failure.details = GatePage(report).refusalLines
    } else if problem.code == .gateRefused, let hint = report.refusals.first.flatMap(GatePage.hint) {
      failure.hint = hint
    }
    failure.payload.append(JSONMember("gate", .object(GatePage(report).members)))
    return failure
  }
}
