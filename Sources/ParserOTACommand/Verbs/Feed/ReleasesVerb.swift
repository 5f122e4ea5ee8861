internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let releases = Verb(
    VerbSpec(
      ["releases"], summary: "list the releases of a feed, newest first",
      options: [
        .option("feed", "DIR|URL", "the feed: a folder or its public address").completing(.directory)
          .required(),
        .option("root", "FILE", "the root of trust that ships in apps, for a feed at an address")
          .completing(.file),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "At an address, releases are found from the newest one backwards, as far as the feed keeps them."
        ],
        examples: [
          "parser-ota releases --feed feed",
          "parser-ota releases --feed https://parsers.example/ --root root.json",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let list = try await read(arguments, context)
      let message = list.releases.isEmpty ? "no releases yet" : "\(list.releases.count) releases"
      var result = CommandResult.listing(
        "releases", message, lines: list.releases.map(line),
        payload: [
          JSONMember("releases", .array(list.releases.map(json))),
          JSONMember("damage", .array(list.damage.map { .string($0) })),
        ])
      result.warnings = list.damage
      return result
    })

  private static func read(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> ReleaseList {
    if HostPlace.isHost(try arguments.required("feed")) {
      let publisher = try FeedVerb.publisher(arguments, context)
      return try await DeviceVerb.run { () async throws(Problem) in try await publisher.releaseList() }
    }
    var location: FeedLocation = try arguments.required("feed", as: Readings.feed)
    var root: [UInt8]?
    if case .root(let bytes)? = try TrustChoice.given(arguments, context) { root = bytes }
    if case .directory = location, root == nil {
      let publisher = try FeedVerb.publisher(arguments, context)
      return try await DeviceVerb.run { () async throws(Problem) in try await publisher.releaseList() }
    }
    location = try InputFolder.require(location, option: "--feed", context)
    let feed = location
    let (trusted, allowsHTTP) = (root, arguments.flag("allow-http-loopback"))
    return try await DeviceVerb.run { () async throws(Problem) in
      try await Publisher.releases(of: feed, root: trusted, allowsPlainHTTPOnLoopback: allowsHTTP)
    }
  }

  private static func line(_ release: ReleaseSummary) -> String {
    var words = [
      "release \(release.version)", release.channel.name, release.released?.description ?? "no date",
    ]
    if release.isLive { words.append("live") }
    if release.isWithdrawn { words.append("withdrawn") }
    if release.content != release.version { words.append("content of \(release.content)") }
    if let notes = release.notes { words.append(notes) }
    return words.joined(separator: "  ")
  }

  private static func json(_ release: ReleaseSummary) -> JSONValue {
    .object([
      JSONMember("version", .integer(release.version.number)),
      JSONMember("channel", .string(release.channel.name)),
      JSONMember("released", release.released.map { .string($0.description) } ?? .null),
      JSONMember("content", .integer(release.content.number)), JSONMember("live", .bool(release.isLive)),
      JSONMember("withdrawn", .bool(release.isWithdrawn)),
      JSONMember("notes", release.notes.map { .string($0) } ?? .null),
      JSONMember("bundleSHA256", .string(release.bundle.sha256.hex)),
      JSONMember("bundleBytes", .integer(release.bundle.bytes)),
      JSONMember("sourcesSHA256", .string(release.sources.sha256.hex)),
      JSONMember("sourcesBytes", .integer(release.sources.bytes)),
      JSONMember("manifestSHA256", .string(release.manifestDigest.hex)),
    ])
  }
}
