internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserPublisher

/// How `init` authenticates a feed.
enum InitialTrust {
  static let options: [OptionSpec] = [
    .flag(
      "checksums-only", "make a feed that is not signed: clients check sizes and digests, nothing more"),
    .option("root-threshold", "N", "how many root keys must sign a root; 1 when left out"),
    .option("release-threshold", "N", "how many release keys must sign a release; 1 when left out"),
  ]

  /// The kind of trust that the command line asks for, exactly one; `nil` keeps that of a feed that exists.
  static func read(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> InitTrust? {
    let keys = ["root-key", "release-key", "sign-with", "root-threshold", "release-threshold"]
    guard !arguments.flag("checksums-only") else {
      try arguments.refuseTogether("checksums-only", FeedVerb.checkInterval.name)
      for key in keys { try arguments.refuseTogether("checksums-only", key) }
      return .checksumsOnly
    }
    let options = SigningOptions(arguments, context)
    var (root, release) = (try options.signers(.root), try options.signers(.release))
    if let command = try options.commandSigner() {
      // The command stands in where there is no key file; a key in a service is a release key first.
      if root.isEmpty && !release.isEmpty { root = [command] } else { release.append(command) }
    }
    let feed = context.absolutePath(try arguments.required("feed"))
    if !keys.contains(where: arguments.isGiven), HostPlace.isHost(try arguments.required("feed")),
      root.isEmpty, release.isEmpty
    {
      // Whether there is a feed to ask is known by its host alone.
      return nil
    }
    if !keys.contains(where: arguments.isGiven), showsTrust(feed) {
      _ = try interval(arguments, feed)
      return nil
    }
    guard !root.isEmpty, !release.isEmpty else { throw missing(root: root.isEmpty, release: release.isEmpty) }
    var expiry = ExpiryPolicy()
    expiry.checkInterval = try interval(arguments, feed)
    return .signed(
      rootSigners: root, releaseSigners: release,
      rootThreshold: try arguments.value("root-threshold", as: Readings.count) ?? 1,
      releaseThreshold: try arguments.value("release-threshold", as: Readings.count) ?? 1, expiry: expiry)
  }

  /// The check interval of a new feed; that of one that is signed already stands in signed metadata.
  private static func interval(
    _ arguments: ParsedArguments, _ feed: String
  ) throws(CommandFailure) -> Int64? {
    let interval = try arguments.value(FeedVerb.checkInterval.name, as: Readings.interval)
    guard interval != nil, isSigned(feed) else { return interval }
    throw CommandFailure(
      .usage, code: "conflicting-options", message: "\(feed) is signed already, and init signs nothing there",
      hint: "parser-ota refresh --feed \(feed.shellWord) --check-interval TIME changes the interval")
  }

  /// Whether a feed has signed metadata.
  static func isSigned(_ feed: String) -> Bool { exists("\(feed)/metadata/timestamp.json") }

  /// Whether a feed says by itself what authenticates it: in its settings, or where it lost them by what is there.
  private static func showsTrust(_ feed: String) -> Bool {
    if exists("\(feed)/.parser-ota/feed.json") || isSigned(feed) { return true }
    // A folder that cannot be read is found by the library, which says more.
    let releases = (try? Directory.open("\(feed)/files/releases")) != nil
    return releases && !exists("\(feed)/.parser-ota/adopting.json")
  }

  private static func exists(_ path: String) -> Bool {
    // A file that is there and cannot be read is found by the library, which says more.
    (try? readFile(at: path, maxBytes: 1 << 20)) != nil
  }

  private static func missing(root: Bool, release: Bool) -> CommandFailure {
    let what = [root ? "--root-key" : nil, release ? "--release-key" : nil].compactMap(\.self)
    return CommandFailure(
      .usage, code: "missing-option", message: "a signed feed needs \(what.joined(separator: " and "))",
      hint:
        "parser-ota key generate makes keys; PARSER_OTA_ROOT_KEY and PARSER_OTA_RELEASE_KEY can hold them;"
        + " --checksums-only makes a feed without signatures")
  }
}
