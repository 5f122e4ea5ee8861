internal import OTAManifest
internal import ParserPublisher

extension Verb {
  private static let exits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted,
  ]

  static let channels = Verb(
    VerbSpec(
      ["channels"], summary: "list the channels of a feed, with their newest releases",
      options: [FeedVerb.feed],
      manual: VerbManual(examples: ["parser-ota channels --feed feed"], exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let channels = try await DeviceVerb.run { () async throws(Problem) in try await publisher.channels() }
      let count = channels.count == 1 ? "1 channel" : "\(channels.count) channels"
      return .listing(
        "channels", channels.isEmpty ? "no releases yet" : count, lines: channels.map(line),
        payload: [JSONMember("channels", .array(channels.map(json)))])
    })

  private static func line(_ channel: ChannelSummary) -> String {
    var words = [channel.channel.name, "release \(channel.live.version)"]
    if let date = channel.live.released { words.append("\(date)") }
    if let rollout = channel.rollout {
      words.append("rollout of release \(rollout.version) (\(rollout.state.rawValue))")
    }
    if let follow = channel.live.follow { words.append("ended, its devices follow \(follow)") }
    if let line = channel.channel.lineOf {
      words.append("line of \(line.channel) for contract \(line.contract)")
    }
    if channel.advisories > 0 {
      words.append("\(channel.advisories) advisor\(channel.advisories == 1 ? "y" : "ies")")
    }
    return words.joined(separator: "  ")
  }

  private static func json(_ channel: ChannelSummary) -> JSONValue {
    .object([
      JSONMember("channel", .string(channel.channel.name)),
      JSONMember("version", .integer(channel.live.version.number)),
      JSONMember("content", .integer(channel.live.content.number)),
      JSONMember("released", channel.live.released.map { .string("\($0)") } ?? .null),
      JSONMember("follows", channel.live.follow.map { .string($0.name) } ?? .null),
      JSONMember("lineOf", channel.channel.lineOf.map { .string($0.channel.name) } ?? .null),
      JSONMember("contract", channel.live.contract.map { .integer($0) } ?? .null),
      JSONMember("rollout", channel.rollout?.json ?? .null),
      JSONMember("advisories", .integer(Int64(channel.advisories))),
    ])
  }

  static let channelRetire = Verb(
    VerbSpec(
      ["channel", "retire"], summary: "end a channel: its devices follow stable from their next update on",
      positionals: [PositionalSpec(name: "NAME", help: "the channel that ends")],
      options: [FeedVerb.feed, .flag("yes", "do not ask"), FeedVerb.allowClock] + SigningOptions.release
        + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Publishes the content of stable in the channel once more, for old clients, with a signed word that leads newer"
            + " ones to stable. A later release of the channel brings it back."
        ],
        examples: ["parser-ota channel retire beta --feed feed --release-key release.pem --yes"], exits: exits
      )),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      guard let channel = try arguments.positional("NAME", as: Readings.channel) else {
        throw arguments.usage(.missingOneOf(["NAME"]))
      }
      if !arguments.flag("yes") {
        try Confirmation.ask("end channel \(channel)", flag: "yes", arguments, context)
      }
      let (date, signers) = (
        try FeedVerb.date(context), try SigningOptions(arguments, context).releaseSigners()
      )
      let report = try await DeviceVerb.run { () async throws(Problem) in
        try await publisher.retire(channel, signers: signers, date: date)
      }
      if report.outcome == .nothingToPublish {
        return .outcome(
          "nothing-to-do", "nothing to do: channel \(channel) has ended already",
          payload: PublishPage(report).members)
      }
      var result = CommandResult.outcome(
        "retired",
        "channel \(channel) ended with release \(report.manifest.version); its devices follow stable",
        payload: PublishPage(report).members)
      result.warnings = report.warnings
      return result
    })

  static let promote = Verb(
    VerbSpec(
      ["promote"], summary: "publish a release of one channel in another, with the same files",
      options: [
        FeedVerb.feed,
        .option("from", "NAME", "the channel that has the release").required(),
        .option("to", "NAME", "the channel that gets it").required(),
        .option("version", "N", "the release; the newest of the channel when left out"),
        .option("notes", "TEXT", "what changed, for people; the notes of the release when left out")
          .allowingEmpty(),
        RolloutOptions.rollout, RolloutOptions.critical, GateOptions.allowRemoved,
        .flag("dry-run", "check everything and say what would be done, but write nothing"),
        FeedVerb.allowClock, OutputFormat.option,
      ] + GateOptions.all + SigningOptions.release + FeedVerb.hosting + [FeedVerb.wait],
      manual: VerbManual(
        details: [
          "Uploads nothing but manifests. The release passes the same checks as a new one, against what is live in the"
            + " channel that gets it."
        ],
        examples: [
          "parser-ota promote --from beta --to stable --feed feed --release-key release.pem",
          "parser-ota promote --from beta --to stable --version 41 --rollout 10% --feed feed --release-key release.pem",
        ],
        exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let request = PromoteRequest(
        from: try arguments.required("from", as: Readings.channel),
        to: try arguments.required("to", as: Readings.channel),
        version: try arguments.value("version", as: Readings.version))
      var publish = PublishRequest(bundlePath: "", sourcesPath: "")
      publish.gate = try GateOptions.gate(arguments, context)
      publish.notes = arguments.value("notes")
      publish.allowedRemovals = arguments.values("allow-removed")
      publish.dryRun = arguments.flag("dry-run")
      publish.date = try FeedVerb.date(context)
      publish.signers = try SigningOptions(arguments, context).releaseSigners()
      try RolloutOptions.fill(&publish, arguments)
      return try await PublishOptions.run(publish, publisher, verb: "promoted", arguments, context) {
        (next) async throws(Problem) in try await publisher.promote(request, next)
      }
    })
}

/// How a release goes to some devices first.
enum RolloutOptions {
  static let rollout = OptionSpec.option(
    "rollout", "STEPS",
    "let some devices have it first: 10%, or steps such as '1%, 10% after 6h, 100% after 3d'")
  static let critical = OptionSpec.flag("critical", "let devices take it without waiting for their share")
  static let line = OptionSpec.option(
    "line", "N", "publish in the line of the channel for apps that implement contract N")

  static func fill(_ request: inout PublishRequest, _ arguments: ParsedArguments) throws(CommandFailure) {
    request.rollout = try arguments.value("rollout", as: Readings.steps)
    request.isCritical = arguments.flag("critical")
  }
}

extension Readings {
  static func share(_ text: String) throws(Refusal) -> Share {
    guard let share = Share(text) else { throw Refusal("must be a share such as 25% or 0.5%") }
    return share
  }

  static func steps(_ text: String) throws(Refusal) -> RolloutSteps {
    do {
      return try RolloutSteps(text)
    } catch {
      throw Refusal(error.detail)
    }
  }

  /// Every app.
  static func allApps() throws(CommandFailure) -> EmbeddedOnly {
    do {
      return try EmbeddedOnly()
    } catch {
      throw CommandFailure(.usage, code: "invalid-value", message: "no apps are meant")
    }
  }

  /// `2.0.0..2.3.0`, `2.0.0..`, `..2.3.0` or `all`.
  static func apps(_ text: String) throws(Refusal) -> EmbeddedOnly {
    do {
      if text == "all" { return try EmbeddedOnly() }
      let refusal = Refusal("must be a range of app versions such as 2.0.0..2.3.0, 2.0.0.. or all")
      guard let dots = text.ranges(of: "..").first else { throw refusal }
      let (from, through) = (text[..<dots.lowerBound], text[dots.upperBound...])
      guard from.isEmpty || AppVersion(from) != nil, through.isEmpty || AppVersion(through) != nil,
        !from.isEmpty || !through.isEmpty
      else { throw refusal }
      return try EmbeddedOnly(from: AppVersion(from), through: AppVersion(through))
    } catch let refusal as Refusal {
      throw refusal
    } catch let error as InputError {
      throw Refusal(error.detail)
    } catch {
      throw Refusal("must be a range of app versions")
    }
  }
}
