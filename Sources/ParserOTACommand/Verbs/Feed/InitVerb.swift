internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let initialise = Verb(
    VerbSpec(
      ["init"], summary: "make a feed in a folder, or adopt a live one",
      options: [
        FeedVerb.feed,
        .option(
          "base-url", "URL",
          "the public address of the folder; manifests then carry absolute URLs, as old clients need"),
        .option(
          "adopt", "URL|DIR",
          "adopt a live feed: its newest release is copied, and the next one counts on from it"
        )
        .completing(.directory),
        .option(
          "keep-old-names", "N",
          "for how many releases an adopted feed's old addresses are served; 3 when left out, 0 drops them at once"
        ),
        .option(
          "name", "NAME",
          "the name of a new signed feed, which all its metadata carries; random when left out"),
        .option("keep", "N", "how many releases of a channel stay reachable; 20 at first"),
        .option(
          "engines", "LIST",
          "the oldest engines of apps, such as \"ios 15, android-webview 90\", which each release is checked for"
        ),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
        FeedVerb.allowClock, FeedVerb.checkInterval,
      ] + InitialTrust.options + SigningOptions.both + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Run it again to change the settings of a feed; what is left out stays as it is, and so do its releases.",
          "A signed feed has a root key, which stays off the network and is needed again only to change keys, and a"
            + " release key, which signs every release. Either kind may be given more than once.",
        ],
        examples: [
          "parser-ota init --feed feed --root-key root.pem --release-key release.pem",
          "parser-ota init --feed feed --base-url https://parsers.example/feed/ --checksums-only",
        ],
        exits: [
          .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .conflict, .busy, .notPermitted,
        ])),
    run: { arguments, context throws(CommandFailure) in
      let place = try FeedVerb.place(arguments, context, mayBeMade: true)
      let directory = place.feed
      var adopt = try arguments.value("adopt", as: Readings.feed)
      if let feed = adopt { adopt = try InputFolder.require(feed, option: "--adopt", context) }
      var request = InitRequest(
        directory: directory, baseURL: try arguments.value("base-url", as: Readings.address), adopt: adopt,
        allowsPlainHTTPOnLoopback: arguments.flag("allow-http-loopback"),
        keptReleases: try arguments.value("keep", as: Readings.count),
        trust: try InitialTrust.read(arguments, context),
        date: try FeedVerb.date(context) ?? Timestamp(secondsSinceEpoch: context.clock.wallSeconds()),
        name: try arguments.value("name", as: RootReadings.feedName))
      request.engines = try arguments.value("engines", as: Readings.engines)
      request.keepOldNames = try arguments.value("keep-old-names", as: Readings.countOrNone)
      request.now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
      request.hostClock = .http
      request.allowsClock = arguments.flag(FeedVerb.allowClock.name)
      if place.isRemote || place.deploy != nil {
        request.host = try DeviceVerb.run { () throws(Problem) in try place.host() }
      }
      let wanted = request
      let report = try await DeviceVerb.run { () async throws(Problem) in
        try await Publisher.initialise(wanted)
      }
      var answer = result(report)
      answer.warnings += wanted.host?.warnings ?? []
      return answer
    })

  private static func result(_ report: InitReport) -> CommandResult {
    let (code, message, changes): (String, String, [String]) =
      switch report.outcome {
      case .created: ("created", "feed \(report.directory) is ready", [])
      case .alreadyInitialised: ("nothing-to-do", "feed \(report.directory) is initialised already", [])
      case .updated(let changes): ("updated", "feed \(report.directory) is updated", changes)
      }
    let adopted = report.adopted.map { "; adopted release \($0)" } ?? ""
    var result = CommandResult.outcome(
      code, message + adopted, lines: changes + report.settings + adoptionLines(report),
      payload: [
        JSONMember("feed", .string(report.directory)), JSONMember("adopted", DeviceVerb.json(report.adopted)),
        JSONMember("changes", .array(changes.map { .string($0) })),
        JSONMember("settings", .array(report.settings.map { .string($0) })),
        JSONMember("oldNames", .array(report.oldNames.map { .string($0) })),
        JSONMember("oldNamesUntil", DeviceVerb.json(report.oldNamesUntil)),
      ])
    result.warnings = report.warnings
    return report.isSigned ? result : result.warning(Trust.checksumsOnly.warning)
  }

  /// What was taken over, and what to do next.
  private static func adoptionLines(_ report: InitReport) -> [String] {
    guard let adopted = report.adopted else { return [] }
    let served = report.oldNamesUntil.map { until in
      report.oldNames.map { "  \($0) is served for old clients until release \(until)" }
    }
    return ["adopted release \(adopted)"] + (served ?? [])
      + [
        "next: deploy \(report.directory) to where the feed is served, then publish release"
          + " \(adopted.next.map(\.description) ?? "")"
      ]
  }
}
