internal import OTAManifest
internal import ParserPublisher

/// What the verbs of a publisher have in common: the feed, the clock, and how releases are shown.
enum FeedVerb {
  static let feed = OptionSpec.option(
    "feed", "DIR", "the feed: a folder, or the URL of a host such as s3://bucket/feed"
  ).completing(.directory).required()
  /// What goes along with a change on the way to readers.
  static let hosting: [OptionSpec] = [
    .option("deploy", "CMD", "a command that carries the folder to its host; it gets the paths of each step"),
    .option("public-url", "ADDRESS", "where readers get the feed; the base URL when left out"),
    .flag("squash", "leave no history in the branch of a git host"),
  ]
  static let wait = OptionSpec.option(
    "wait", "SECONDS", "end when a new device at the public address gets the release, at most after so long")
  static let bundle = OptionSpec.option("bundle", "FILE", "the parser bundle, JavaScript in UTF-8")
    .completing(.file).required()
  static let sources = OptionSpec.option("sources", "FILE", "the source catalog, a JSON array")
    .completing(.file).required()
  static let channel = OptionSpec.option("channel", "NAME", "the channel; stable when left out")

  static let allowClock = OptionSpec.flag(
    "allow-clock", "date and sign although this machine's clock disagrees with the feed or its host")

  static let checkInterval = OptionSpec.option(
    "check-interval", "TIME",
    "how long devices wait between two checks of a signed feed, such as 30m, 6h or 1d; 0 for no interval")

  /// The publisher of the feed that the command line names.
  ///
  /// - Parameter option: the option that names it; a copy may be made in a new folder.
  static func publisher(
    of option: String = "feed", _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> Publisher {
    let clock = context.clock
    let feed = try place(of: option, arguments, context, mayBeMade: option != "feed")
    var publisher = try DeviceVerb.run { () throws(Problem) in
      try Publisher(at: feed) { Timestamp(secondsSinceEpoch: clock.wallSeconds()) }
    }
    publisher.hostClock = .http
    // Verbs that only read have no such option.
    publisher.allowsClock =
      arguments.spec.option(named: allowClock.name) != nil && arguments.flag(allowClock.name)
    if arguments.spec.option(named: checkInterval.name) != nil {
      publisher.checkInterval = try arguments.value(checkInterval.name, as: Readings.interval)
    }
    return publisher
  }

  /// Where the feed is, with the options of its host.
  static func place(
    of option: String = "feed", _ arguments: ParsedArguments, _ context: CommandContext,
    mayBeMade: Bool = false
  ) throws(CommandFailure) -> HostPlace {
    let text = try arguments.required(option, as: folder)
    var place = HostPlace(text, environment: context.environment)
    if !place.isRemote {
      place.feed =
        try mayBeMade
        ? InputFolder.requireOrMake(text, option: "--\(option)", context)
        : InputFolder.require(
          text, option: "--feed", context,
          hint: "make a feed with parser-ota init, or give the folder of one")
    }
    // Verbs that only read have no such options.
    guard arguments.spec.option(named: "deploy") != nil else { return place }
    place.deploy = arguments.value("deploy")
    if place.isRemote, place.deploy != nil { throw arguments.usage(.refusedTogether("--deploy", place.feed)) }
    place.publicAddress = try arguments.value("public-url", as: Readings.address)
    place.squashes = arguments.flag("squash")
    if let limit = try waiting(arguments) { place.publicPatience = limit }
    return place
  }

  /// How long to wait for devices; `nil` when nobody asked.
  static func waiting(_ arguments: ParsedArguments) throws(CommandFailure) -> Duration? {
    guard arguments.spec.option(named: wait.name) != nil else { return nil }
    return try arguments.value(wait.name, as: Readings.count).map { .seconds($0) }
  }

  /// A result with what the host has to say, once a new device gets the release if that was asked for.
  static func finished(
    _ result: CommandResult, _ report: PublishReport, _ publisher: Publisher, _ arguments: ParsedArguments
  ) async throws(CommandFailure) -> CommandResult {
    var result = result
    result.warnings += publisher.hostWarnings
    guard let limit = try waiting(arguments), report.outcome != .wouldPublish else { return result }
    let manifest = report.manifest
    let took = try await DeviceVerb.run { () async throws(Problem) in
      try await publisher.waitForDevices(manifest.version, channel: manifest.channel, atMost: limit)
    }
    let milliseconds = Int64(took / .milliseconds(1))
    result = result.adding(
      line: "  devices get it after \(milliseconds / 1000).\(milliseconds % 1000 / 100) s")
    result.payload.append(JSONMember("waitedMilliseconds", .integer(milliseconds)))
    return result
  }

  /// A folder on this machine: the address of a feed is for verbs that only read.
  private static func folder(_ text: String) throws(Refusal) -> String {
    guard !text.contains("://") || HostPlace.isHost(text) else {
      throw Refusal("must be a folder: parser-ota verify looks at a feed by its address")
    }
    return text
  }

  static func channel(_ arguments: ParsedArguments) throws(CommandFailure) -> Channel {
    try arguments.value("channel", as: Readings.channel) ?? .stable
  }

  /// The time that a reproducible build asks for, from `SOURCE_DATE_EPOCH`.
  static func date(_ context: CommandContext) throws(CommandFailure) -> Timestamp? {
    guard let text = context.environment["SOURCE_DATE_EPOCH"], !text.isEmpty else { return nil }
    guard text.utf8.count <= 12, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let seconds = Int64(text)
    else {
      throw CommandFailure(
        .usage, code: "invalid-value",
        message: "SOURCE_DATE_EPOCH is not a number of seconds: \(text.printable())",
        hint: "set it to seconds since 1970, digits only, or unset it")
    }
    return Timestamp(secondsSinceEpoch: seconds)
  }

  /// A result in the format that the command line asks for.
  static func formatted(
    _ result: CommandResult, _ report: PublishReport, _ arguments: ParsedArguments
  ) throws(CommandFailure) -> CommandResult {
    let manifest = report.manifest
    return try OutputFormat.apply(
      to: result, arguments,
      values: [
        ("PARSER_OTA_RESULT", result.code), ("PARSER_OTA_VERSION", "\(manifest.version)"),
        ("PARSER_OTA_CHANNEL", manifest.channel.name), ("PARSER_OTA_CONTENT", "\(manifest.content)"),
        ("PARSER_OTA_PREVIOUS", report.previous.map { "\($0)" } ?? ""),
        ("PARSER_OTA_MANIFEST_SHA256", report.manifestDigest.hex),
      ])
  }

  /// What a publish or roll back did, as a result.
  static func result(
    _ report: PublishReport, verb: String, rollout: RolloutSteps? = nil
  ) -> CommandResult {
    let share =
      rollout.flatMap { $0 == RolloutSteps(.all) ? nil : " to \($0.steps[0].share) of devices first" } ?? ""
    let version = report.manifest.version
    let page = PublishPage(report)
    var result =
      switch report.outcome {
      case .published:
        CommandResult.outcome(
          "published", "\(verb) release \(version) on channel \(report.manifest.channel)\(share)",
          lines: page.lines,
          payload: page.members)
      case .wouldPublish:
        CommandResult.outcome(
          "would-publish", "release \(version) would be published; nothing was written", lines: page.lines,
          payload: page.members)
      case .nothingToPublish:
        CommandResult.outcome(
          "nothing-to-publish",
          "nothing to publish: release \(report.previous ?? version) has the same content",
          payload: page.members)
      }
    result.warnings = report.warnings + (report.gate.map { GatePage($0).warnings } ?? [])
    return result
  }
}

extension CommandResult {
  /// The same with what the host of a publisher has to say.
  func warning(of publisher: Publisher) -> CommandResult {
    var copy = self
    copy.warnings += publisher.hostWarnings
    return copy
  }
}
