internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserPublisher

extension Verb {
  static let diff = Verb(
    VerbSpec(
      ["diff"], summary: "say what changes from one release to another: sources, code, size, findings",
      positionals: [
        PositionalSpec(name: "A", help: sideHelp + "; live when left out", count: .optional, shape: .file),
        PositionalSpec(
          name: "B", help: "the same; the files of --bundle and --sources when left out", count: .optional,
          shape: .file),
      ],
      options: [
        .option("feed", "DIR|URL", "the feed of live and of numbers: a folder or its public address")
          .completing(.directory),
        .option("bundle", "FILE", "the parser bundle of new").completing(.file),
        .option("sources", "FILE", "the source catalog of new").completing(.file),
        FeedVerb.channel,
        .option("root", "FILE", "the root of trust of the feed; its own first root when left out")
          .completing(.file),
        .flag("checksums-only", "the feed is not signed: sizes and digests are checked, nothing more"),
        .flag("markdown", "print it for a release page or a pull request"),
        .flag("no-gate", "leave out what the checks find in each of the two"),
        ParserVerb.global, EngineChoice.option,
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "A and B are the number of a release, live, new (the files that the next publish would take), a folder of a feed or"
            + " one that parser-ota embed wrote, the address of a feed, or an archive. A number that is a folder's name is given"
            + " as ./36.",
          "Shows sources that were added, removed, moved or changed field by field, the classes and functions whose code"
            + " changed, the families and sources that this touches, the sizes, and the findings of the checks that are new or"
            + " gone. White space and comments are no change.",
        ],
        examples: [
          "parser-ota diff --feed feed 37 live --no-gate",
          "parser-ota diff live new --feed feed --bundle parsers.bundle.js --sources sources.json --markdown --no-gate",
          "parser-ota diff App/Embedded feed --no-gate",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      // The copy of a feed on a host stays until both are read.
      let host = try await HostReading.begin(arguments, context)
      let old = try await side(arguments.positional("A") ?? "live", "A", host, arguments, context)
      let new = try await side(arguments.positional("B") ?? "new", "B", host, arguments, context)
      var gate: ReleaseGate?
      if !arguments.flag("no-gate") {
        var asked = ReleaseGate(engine: try EngineChoice.read(arguments, context))
        if let name = try arguments.value("global", as: Readings.globalName) { asked.globalName = name }
        gate = asked
      }
      let wanted = gate
      let comparison = try await DeviceVerb.run { () async throws(Problem) in
        try await ReleaseComparison(from: old, to: new, gate: wanted)
      }
      let page = ComparisonPage(comparison)
      var result = CommandResult.answer("diff", page.summary, lines: page.lines, payload: page.members)
      if arguments.flag("markdown") {
        result.output = .bytes(Array(page.markdown.utf8))
        result.payload.append(JSONMember("markdown", .string(page.markdown)))
      }
      return result
    })

  private static let sideHelp = "a release: its number, live, new, a folder, an address or an archive"

  private static func side(
    _ text: String, _ name: String, _ host: HostReading?, _ arguments: ParsedArguments,
    _ context: CommandContext
  ) async throws(CommandFailure) -> ComparedRelease {
    if text == "new" { return try files(arguments, context) }
    let allowsHTTP = arguments.flag("allow-http-loopback")
    var trust = try TrustChoice.given(arguments, context)
    if arguments.flag("checksums-only") { trust = .checksumsOnly }
    let given = trust
    let channel = try FeedVerb.channel(arguments)
    if let version = ReleaseVersion(decimal: text) {
      let feed: FeedLocation
      if let host { feed = host.location } else { feed = try Verb.feed(arguments, context) }
      return try await DeviceVerb.run { () async throws(Problem) in
        try await ComparedRelease(version, of: feed, trust: given, allowsPlainHTTPOnLoopback: allowsHTTP)
      }
    }
    let location: FeedLocation
    if text == "live" {
      if let host { location = host.location } else { location = try feed(arguments, context) }
    } else {
      if let copy = try embeddedCopy(text, context) { return copy }
      guard let named = try arguments.positional(name, as: Readings.feed) else {
        throw arguments.usage(.missingArgument(name))
      }
      location = try InputArchive.feed(named, option: name, context)
    }
    var wanted = channel
    if case .archive(let archive) = location { wanted = archive.manifest.channel }
    let asked = wanted
    return try await DeviceVerb.run { () async throws(Problem) in
      try await ComparedRelease(
        live: asked, of: location, trust: given, allowsPlainHTTPOnLoopback: allowsHTTP)
    }
  }

  private static func feed(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> FeedLocation {
    try InputFolder.require(
      try arguments.required("feed", as: Readings.feed), option: "--feed", context)
  }

  private static func files(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> ComparedRelease {
    let (bundle, sources) = (try arguments.required("bundle"), try arguments.required("sources"))
    return try DeviceVerb.run { () throws(Problem) in
      try ComparedRelease(
        bundlePath: context.absolutePath(bundle), sourcesPath: context.absolutePath(sources), name: bundle)
    }
  }

  /// The two files in a folder that `embed` wrote; `nil` for anything else.
  private static func embeddedCopy(
    _ text: String, _ context: CommandContext
  ) throws(CommandFailure) -> ComparedRelease? {
    guard !text.contains("://") else { return nil }
    let path = context.absolutePath(text)
    do throws(StorageError) {
      let folder = try Directory.open(path)
      guard try folder.kind(of: "parsers.bundle.js") == .file, try folder.kind(of: "sources.json") == .file,
        try folder.kind(of: "files") == nil
      else { return nil }
    } catch {
      // What is wrong with it is said where it is opened as a feed.
      return nil
    }
    return try DeviceVerb.run { () throws(Problem) in
      try ComparedRelease(
        bundlePath: "\(path)/parsers.bundle.js", sourcesPath: "\(path)/sources.json", name: text)
    }
  }
}
