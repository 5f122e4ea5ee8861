internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

extension Verb {
  static let deviceInit = Verb.device(
    VerbSpec(
      ["device", "init"], summary: "make a store that takes releases from a feed",
      options: [
        DeviceVerb.store,
        .option("feed", "URL|DIR", "the feed: an https URL, a file: URL or a folder").completing(.directory)
          .required(),
        .option(
          "mirror", "URL|DIR",
          "a copy of the feed, asked in this order when the feed gives nothing that can be verified"
        ).completing(.directory).repeatable(),
        TrustChoice.root, TrustChoice.checksumsOnly,
        .option("embedded", "DIR", "the copy inside the app, as parser-ota embed writes it").completing(
          .directory
        )
        .required(),
        .option("channel", "NAME", "the channel to follow; stable when left out"),
        .option("app-version", "V", "the version of the app, such as 2.1.0"),
        .option("contract", "N", "a contract that the app implements; once for each").repeatable(),
        .option(
          "unconfirmed-launches", "N",
          "how many launches may end unconfirmed before a release is rejected; 2 when left out"),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "A feed is authenticated by signatures that begin with its root.json, which parser-ota embed puts beside the copy inside the app; --checksums-only is for feeds that are not signed.",
          "Run it again to give a store other settings, all of them. Its releases stay, unless the feed is another one: of another root, or at another address without signatures. A feed that is a folder needs no server.",
        ],
        examples: [
          "parser-ota device init --store store --feed feed --embedded app",
          "parser-ota device init --store store --feed feed --checksums-only --embedded app",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let store = try InputFolder.requireOrMake(try arguments.required("store"), option: "--store", context)
      let settings = try settings(arguments, context)
      let embedded = try requireEmbedded(settings.embedded)
      let trust = try DeviceVerb.run { () throws(Problem) in try settings.trust.shipped() }
      let before = try? DeviceSettings.read(store: store)  // Unreadable or missing settings are written anew.
      try settings.write(store: store)
      let outcome = before == nil ? "created" : before == settings ? "unchanged" : "updated"
      return .outcome(
        outcome,
        "store \(store) \(outcome): follows \(settings.feed), channel \(settings.channel), \(TrustPage(trust).summary), copy inside the app is release \(embedded)",
        payload: [
          JSONMember("store", .string(store)), JSONMember("embeddedVersion", .integer(embedded.number)),
          JSONMember("rootVersion", trust.rootVersion.map { .integer($0) } ?? .null),
        ]
          + settings.members.dropFirst()
      ).warning(settings.trust.warning)
    })

  private static func settings(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> DeviceSettings {
    let location: FeedLocation = try arguments.required("feed", as: Readings.feed)
    let feed = try InputFolder.require(location, option: "--feed", context)
    let embedded = try InputFolder.require(try arguments.required("embedded"), option: "--embedded", context)
    var settings = DeviceSettings(
      feed: feed.text, trust: try TrustChoice.read(arguments, embedded: embedded, context), embedded: embedded
    )
    settings.channel = try arguments.value("channel", as: Readings.channel) ?? .stable
    settings.app = AppCapabilities(
      version: try arguments.value("app-version", as: Readings.appVersion),
      contracts: Set(try arguments.values("contract", as: Readings.contract)))
    settings.unconfirmedLaunches = try arguments.value("unconfirmed-launches", as: Readings.count) ?? 2
    settings.allowsHTTPOnLoopback = arguments.flag("allow-http-loopback")
    try requireAllowed(feed, option: "--feed", settings)
    for location in try arguments.values("mirror", as: Readings.feed) {
      let mirror = try InputFolder.require(location, option: "--mirror", context)
      try requireAllowed(mirror, option: "--mirror", settings)
      settings.mirrors.append(mirror.text)
    }
    return settings
  }

  private static func requireAllowed(
    _ feed: FeedLocation, option: String, _ settings: DeviceSettings
  ) throws(CommandFailure) {
    guard case .web(let address) = feed, address.scheme == "http" else { return }
    guard address.isLoopback else {
      throw CommandFailure(
        .usage, code: ProblemCode.forbiddenURL.rawValue, message: "\(option) \(feed.text) is plain http",
        hint: "give an https URL")
    }
    guard settings.allowsHTTPOnLoopback else {
      throw CommandFailure(
        .usage, code: ProblemCode.forbiddenURL.rawValue,
        message: "\(option) \(feed.text) is plain http to this machine",
        hint: "for a test on your own machine, add --allow-http-loopback")
    }
  }

  /// A store whose last resort does not work is not worth having: said at once, not at the first launch.
  private static func requireEmbedded(_ path: String) throws(CommandFailure) -> ReleaseVersion {
    let configuration = UpdaterConfiguration(
      directory: path + "/.no-store", feed: .directory(path), trust: .checksumsOnly,
      embedded: .directory(path))
    let active = Updater(configuration).activate()
    guard let version = active.version else {
      let reason =
        (active.notes.map(\.message) + active.passedOver.map(\.message)).first ?? "it is not usable"
      throw CommandFailure(
        .embeddedUnusable, "--embedded \(path): \(reason)",
        hint: "make it with parser-ota embed --feed DIR --out \(path)")
    }
    return version
  }
}

extension CommandResult {
  /// The same result with a warning, when there is one.
  func warning(_ text: String?) -> CommandResult {
    var result = self
    if let text { result.warnings.append(text) }
    return result
  }
}
