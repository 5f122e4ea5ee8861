internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let advise = Verb(
    VerbSpec(
      ["advise"], summary: "tell devices how a source works, at once and without a release",
      positionals: [
        PositionalSpec(name: "ID", help: "the source, as the catalog spells it", count: .optional)
      ],
      options: [
        FeedVerb.feed, FeedVerb.channel,
        .option("state", "STATE", "ok, degraded, broken or moved"),
        .option("text", "TEXT", "one sentence for people"),
        .option("locale", "TAG", "the language of --text; for all languages when left out"),
        .option("until", "DATE", "the end of the advisory, such as 2026-07-01T00:00:00Z or 7d"),
        .flag("disable", "ask apps to hide the source meanwhile"),
        .option("domain", "HOST", "the host to use in place of the one in the catalog"),
        .flag("list", "show the advisories that count now"),
        .option("clear", "ID", "say no more of this source").repeatable(),
        .option("from", "FILE", "take advisories from a JSON file, as survey writes it").completing(.file),
        FeedVerb.allowClock,
      ] + SigningOptions.release + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Advisories are data and no code: devices take them with their next check and apply them at once. Old clients"
            + " ignore them. A text in another language is added to those that the source has.",
          "A file of --from is a JSON object with the member advisories, an array of objects with source, state, text, until,"
            + " disable and domain.",
        ],
        examples: [
          "parser-ota advise ABC --state broken --text 'no chapters since Monday' --until 7d --feed feed --release-key release.pem",
          "parser-ota advise --list --feed feed",
          "parser-ota advise --clear ABC --feed feed --release-key release.pem",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let channel = try FeedVerb.channel(arguments)
      let current = try await DeviceVerb.run { () async throws(Problem) in
        try await publisher.advisories(of: channel)
      }
      if arguments.flag("list") { return listing(current) }
      var request = AdviseRequest(channel: channel)
      request.date = try FeedVerb.date(context)
      let now = request.date ?? Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
      request.cleared = try arguments.values("clear", as: Readings.sourceID)
      if let file = arguments.value("from") {
        request.advisories = try AdvisoryFile.read(file, now, context)
      }
      if let advisory = try given(arguments, current, now) { request.advisories.append(advisory) }
      guard !request.advisories.isEmpty || !request.cleared.isEmpty else {
        throw arguments.usage(.missingOneOf(["ID", "--from FILE", "--clear ID", "--list"]))
      }
      request.signers = try SigningOptions(arguments, context).releaseSigners()
      let asked = request
      let report = try await DeviceVerb.run { () async throws(Problem) in try await publisher.advise(asked) }
      let count = report.advisories.entries.count
      let message = "\(count) advisor\(count == 1 ? "y" : "ies") on channel \(channel)"
      var result = CommandResult.outcome(
        report.isChanged ? "advised" : "nothing-to-do",
        report.isChanged ? message : "nothing to do: \(message), as before",
        payload: members(report.advisories))
      result.warnings = report.warnings
      return result
    })

  /// The advisory that the command line describes; `nil` when it names no source.
  private static func given(
    _ arguments: ParsedArguments, _ current: Advisories, _ now: Timestamp
  ) throws(CommandFailure) -> Advisory? {
    guard let source = try arguments.positional("ID", as: Readings.sourceID) else { return nil }
    let known = current[source]
    guard let state = try arguments.value("state", as: Readings.advisoryState) ?? known?.state else {
      throw arguments.usage(.missingOneOf(["--state STATE"]))
    }
    var texts = known?.texts ?? []
    if let text = arguments.value("text") {
      guard let sentence = AdvisoryText(locale: arguments.value("locale") ?? "und", text) else {
        throw CommandFailure(
          .usage, code: "invalid-value",
          message:
            "--text must be one line of 1 to \(AdvisoryText.maxBytes) bytes, and --locale a tag such as de")
      }
      texts.removeAll { $0.locale == sentence.locale }
      texts.append(sentence)
    }
    let until = try arguments.value("until", as: Readings.end)
    return Advisory(
      source: source, state: state, texts: texts, until: until.map { $0.date(after: now) } ?? known?.until,
      disables: arguments.flag("disable") || (known?.disables ?? false),
      domain: try arguments.value("domain", as: Readings.publicHost) ?? known?.domain,
      since: known?.state == state ? known?.since ?? now : now)
  }

  private static func listing(_ advisories: Advisories) -> CommandResult {
    let count = advisories.entries.count
    return .listing(
      "advisories", count == 0 ? "no advisories" : "\(count) advisor\(count == 1 ? "y" : "ies")",
      lines: advisories.entries.map(AdvisoryLine.text), payload: members(advisories))
  }

  private static func members(_ advisories: Advisories) -> [JSONMember] {
    [
      JSONMember("channel", .string(advisories.channel.name)),
      JSONMember("advisories", .array(advisories.entries.map(\.json))),
    ]
  }
}

/// An advisory as one line for people.
enum AdvisoryLine {
  static func text(_ advisory: Advisory) -> String {
    var words = [advisory.source.text, advisory.state.rawValue]
    if let domain = advisory.domain { words.append("now at \(domain.name)") }
    if advisory.disables { words.append("hidden") }
    if let until = advisory.until { words.append("until \(until)") }
    if let text = advisory.text(for: "und") { words.append(text) }
    return words.joined(separator: "  ")
  }
}

/// A file of advisories, such as `survey` writes.
enum AdvisoryFile {
  static func read(
    _ file: String, _ now: Timestamp, _ context: CommandContext
  ) throws(CommandFailure) -> [Advisory] {
    let bytes = try InputFile.read(file, option: "--from", maxBytes: 4 << 20, context)
    do throws(InputError) {
      let object = try JSONObject(JSONReader.read(bytes, maxBytes: bytes.count, maxDepth: 8))
      var advisories: [Advisory] = []
      for (index, item) in try object.array("advisories").enumerated() {
        let entry = try JSONObject(item, path: "advisories[\(index)]", known: Advisory.fields)
        advisories.append(try Advisory(entry, since: now))
      }
      return advisories
    } catch {
      throw CommandFailure(
        Problem(.inputInvalid, "\(file.printable()): \(error.message)", advice: "correct the file"))
    }
  }
}

extension Readings {
  /// The end of something: a date, or a time from now.
  enum End {
    case date(Timestamp)
    case seconds(Int64)

    func date(after now: Timestamp) -> Timestamp {
      switch self {
      case .date(let date): date
      case .seconds(let seconds): now.advanced(bySeconds: seconds)
      }
    }
  }

  static func end(_ text: String) throws(Refusal) -> End {
    if let date = Timestamp(text) ?? Timestamp("\(text)T00:00:00Z") { return .date(date) }
    if let seconds = RolloutSteps.seconds(text) { return .seconds(seconds) }
    throw Refusal("must be a date such as 2026-07-01 or 2026-07-01T12:00:00Z, or a time such as 12h or 7d")
  }

  static func sourceID(_ text: String) throws(Refusal) -> SourceID {
    guard let source = SourceID(text) else { throw Refusal("cannot be the id of a source") }
    return source
  }

  static func advisoryState(_ text: String) throws(Refusal) -> Advisory.State {
    guard let state = Advisory.State(rawValue: text) else {
      throw Refusal("must be one of " + Advisory.State.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return state
  }

  static func publicHost(_ text: String) throws(Refusal) -> PublicHost {
    guard let host = PublicHost(text) else {
      throw Refusal("must be a public host name such as new.example, without scheme, port or path")
    }
    return host
  }
}
