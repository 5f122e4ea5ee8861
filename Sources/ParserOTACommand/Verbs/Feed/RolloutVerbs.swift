internal import OTAManifest
internal import ParserPublisher

extension Verb {
  private static let exits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted,
  ]
  private static let options = [FeedVerb.feed, FeedVerb.channel]
  private static let changing = options + [FeedVerb.allowClock] + SigningOptions.release + FeedVerb.hosting

  static let rolloutStatus = rollout(
    VerbSpec(
      ["rollout", "status"],
      summary: "show which devices get the release of a rollout, and when the next step begins",
      options: options,
      manual: VerbManual(
        details: ["Ends with 1 when no rollout goes on in the channel."],
        examples: ["parser-ota rollout status --feed feed"], exits: exits))
  ) { _ in .status }

  static let rolloutAdvance = rollout(
    VerbSpec(
      ["rollout", "advance"], summary: "let the next step of a rollout begin now", options: changing,
      manual: VerbManual(
        details: [
          "The steps after it follow at the distance that was planned. The step of 100% gives the release to everybody, old"
            + " clients included."
        ],
        examples: ["parser-ota rollout advance --feed feed --release-key release.pem"], exits: exits))
  ) { _ in .change(.advance) }

  static let rolloutSet = rollout(
    VerbSpec(
      ["rollout", "set"], summary: "let one share of devices have the release, without further steps",
      positionals: [PositionalSpec(name: "SHARE", help: "such as 25% or 0.5%")], options: changing,
      manual: VerbManual(
        details: ["Devices that have the release keep it when the share gets smaller."],
        examples: ["parser-ota rollout set 25% --feed feed --release-key release.pem"], exits: exits))
  ) { arguments throws(CommandFailure) in
    guard let share = try arguments.positional("SHARE", as: Readings.share) else {
      throw arguments.usage(.missingOneOf(["SHARE"]))
    }
    return share == .all ? .complete : .change(.set(share))
  }

  static let rolloutHalt = rollout(
    VerbSpec(
      ["rollout", "halt"], summary: "let no further device take the release of a rollout",
      options: changing + [.flag("withdraw", "also take it back from the devices that have it")],
      manual: VerbManual(
        details: [
          "Devices that have the release keep it. With --withdraw they go back at their next launch after a check."
        ],
        examples: [
          "parser-ota rollout halt --feed feed --release-key release.pem",
          "parser-ota rollout halt --withdraw --feed feed --release-key release.pem",
        ], exits: exits))
  ) { arguments in .change(arguments.flag("withdraw") ? .withdraw : .halt) }

  static let rolloutResume = rollout(
    VerbSpec(
      ["rollout", "resume"], summary: "go on with a rollout that was halted", options: changing,
      manual: VerbManual(
        details: ["The time that it stood still does not count for its steps."],
        examples: ["parser-ota rollout resume --feed feed --release-key release.pem"], exits: exits))
  ) { _ in .change(.resume) }

  static let rolloutComplete = rollout(
    VerbSpec(
      ["rollout", "complete"], summary: "give the release of a rollout to everybody, old clients included",
      options: changing,
      manual: VerbManual(
        examples: ["parser-ota rollout complete --feed feed --release-key release.pem"], exits: exits))
  ) { _ in .complete }

  private static func rollout(
    _ spec: VerbSpec,
    _ action: @escaping @Sendable (ParsedArguments) throws(CommandFailure) -> RolloutRequest.Action
  ) -> Verb {
    Verb(spec) { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      var request = RolloutRequest(try action(arguments), channel: try FeedVerb.channel(arguments))
      request.date = try FeedVerb.date(context)
      if request.action != .status {
        request.signers = try SigningOptions(arguments, context).releaseSigners()
      }
      let asked = request
      let report = try await DeviceVerb.run { () async throws(Problem) in try await publisher.rollout(asked) }
      return result(report, asked.action)
    }
  }

  private static func result(_ report: RolloutReport, _ action: RolloutRequest.Action) -> CommandResult {
    let rollout = report.rollout
    let name = "release \(rollout.version) on channel \(rollout.channel)"
    let state = "\(name): \(rollout.sentence(at: report.moment))"
    var members = [
      JSONMember("version", .integer(rollout.version.number)),
      JSONMember("channel", .string(rollout.channel.name)),
      JSONMember("complete", .integer(report.complete.number)),
      JSONMember("share", .integer(Int64(rollout.share(at: report.moment).parts))),
      JSONMember("rollout", rollout.json),
    ]
    if let next = rollout.next(at: report.moment) {
      members.append(
        JSONMember(
          "next",
          .object([
            JSONMember("share", .integer(Int64(next.share.parts))),
            JSONMember("date", .string("\(next.date)")),
          ])))
    }
    members.append(JSONMember("written", .array(report.writtenFiles.map { .string($0) })))
    if action == .status {
      let lines = [state, "  everybody may have release \(report.complete)", "  steps: \(rollout.steps)"]
      return .answer("rollout", state, lines: lines, payload: members)
    }
    var result =
      switch report.outcome {
      case .completed: CommandResult.outcome("completed", "\(name) is everybody's now", payload: members)
      case .changed: CommandResult.outcome("changed", state, payload: members)
      case .nothingToDo: CommandResult.outcome("nothing-to-do", "nothing to do: \(state)", payload: members)
      }
    result.warnings = report.warnings
    return result
  }
}
