internal import OTAManifest
internal import ParserPublisher

/// What the verbs of a publisher have in common: the feed, the clock, and how releases are shown.
enum FeedVerb {
  static let feed = OptionSpec.option("feed", "DIR", "the folder of the feed").completing(.directory)
    .required()
  static let bundle = OptionSpec.option("bundle", "FILE", "the parser bundle, JavaScript in UTF-8")
    .completing(.file).required()
  static let sources = OptionSpec.option("sources", "FILE", "the source catalog, a JSON array")
    .completing(.file).required()
  static let channel = OptionSpec.option("channel", "NAME", "the channel; stable when left out")

  static let allowClock = OptionSpec.flag(
    "allow-clock", "date and sign although this machine's clock disagrees with the feed or its host")

  /// The publisher of the feed that the command line names.
  static func publisher(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> Publisher {
    let clock = context.clock
    let feed = try InputFolder.require(
      try arguments.required("feed", as: folder), option: "--feed", context,
      hint: "make a feed with parser-ota init, or give the folder of one")
    var publisher = Publisher(feed: feed) {
      Timestamp(secondsSinceEpoch: clock.wallSeconds())
    }
    publisher.hostClock = .http
    // Verbs that only read have no such option.
    publisher.allowsClock =
      arguments.spec.option(named: allowClock.name) != nil && arguments.flag(allowClock.name)
    return publisher
  }

  /// A folder on this machine: the address of a feed is for verbs that only read.
  private static func folder(_ text: String) throws(Refusal) -> String {
    guard !text.contains("://") else {
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

  /// What a publish or roll back did, as a result.
  static func result(_ report: PublishReport, verb: String) -> CommandResult {
    let version = report.manifest.version
    let page = PublishPage(report)
    var result =
      switch report.outcome {
      case .published:
        CommandResult.outcome(
          "published", "\(verb) release \(version) on channel \(report.manifest.channel)", lines: page.lines,
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
