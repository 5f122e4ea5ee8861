internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserPublisher

extension Verb {
  static let export = Verb(
    VerbSpec(
      ["export"], summary: "put a release into one file, with all that a device needs to trust it",
      options: [
        .option("feed", "DIR|URL", "the feed: a folder or its public address").completing(.directory)
          .required(),
        .option("out", "FILE", "the archive to write, such as release.tar.zst; - is standard output")
          .completing(.file).required(),
        .option("version", "N", "the release; the live one when left out"),
        FeedVerb.channel.setting(unless: ["version"]),
        .option("root", "FILE", "a root of trust that the archive must lead to").completing(.file),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "The archive is a tar in zstd, laid out as a feed: bundle, catalog, manifest, the newest manifest of the channel, and"
            + " on a signed feed every root, timestamp, snapshot and targets. All of it is verified first. The same state of the"
            + " feed gives the same bytes.",
          "device import, import, verify, check --against and embed --from read it. It needs no network, and it is judged as the"
            + " feed would be: signed metadata in it expires as usual.",
        ],
        examples: [
          "parser-ota export --feed feed --out release.tar.zst",
          "parser-ota export --feed https://parsers.example/feed/ --version 36 --out - | parser-ota device import - --store store",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let out = try arguments.required("out")
      if let reading = try await HostReading.begin(arguments, context) {
        return try await reading.read { (feed) async throws(CommandFailure) in
          try await export(feed, out, arguments, context)
        }
      }
      let feed: FeedLocation = try arguments.required("feed", as: Readings.feed)
      return try await export(
        try InputFolder.require(feed, option: "--feed", context), out, arguments, context)
    })

  private static func export(
    _ feed: FeedLocation, _ out: String, _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> CommandResult {
    let request = try exportRequest(feed, arguments, context)
    try requireUsable(out, arguments, context)
    let report = try await DeviceVerb.run { () async throws(Problem) in
      try await Publisher.export(request)
    }
    return try result(report, out, context)
  }

  private static func exportRequest(
    _ feed: FeedLocation, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> ExportRequest {
    try arguments.refuseTogether("version", "channel")
    var request = ExportRequest(feed)
    if case .root(let bytes)? = try TrustChoice.given(arguments, context) { request.root = bytes }
    request.version = try arguments.value("version", as: Readings.version)
    request.channel = try FeedVerb.channel(arguments)
    request.allowsPlainHTTPOnLoopback = arguments.flag("allow-http-loopback")
    return request
  }

  /// Refuses a place that cannot take an archive before anything is asked for.
  private static func requireUsable(
    _ out: String, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) {
    if out == InputArchive.dash {
      if arguments.flags.json { throw arguments.usage(.refusedTogether("--json", "--out -")) }
      guard context.console.isTerminal(.data) else { return }
      throw CommandFailure(
        .usage, code: "invalid-value", message: "--out - would send an archive to the terminal",
        hint: "redirect standard output, or name a file with --out")
    }
    let path = context.absolutePath(out)
    do {
      let old = try readFile(at: path, maxBytes: ReleaseArchive.maxBytes)
      guard old.isEmpty || InputArchive.begins(old) else {
        throw OutputFile.taken(path, "and is not a release archive")
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as StorageError where error.kind == .missing && error.path == path {
      return
    } catch let error as StorageError {
      throw OutputFile.failure(error, option: "--out")
    } catch {
      throw CommandFailure(.storageFailed, "--out: \(path) cannot be read")
    }
  }

  private static func result(
    _ report: ExportReport, _ out: String, _ context: CommandContext
  ) throws(CommandFailure) -> CommandResult {
    let size = ByteCount.text(Int64(report.archive.count))
    let message =
      "release \(report.manifest.version) is in \(out == InputArchive.dash ? "the archive" : out), \(size)"
    var result = CommandResult.outcome("exported", message, payload: members(report, out, context))
    if out == InputArchive.dash {
      result.output = .bytes(report.archive)
    } else {
      do {
        try durablyReplaceFile(at: context.absolutePath(out), with: report.archive, mode: 0o644)
      } catch {
        throw OutputFile.failure(error, option: "--out")
      }
    }
    return result.warning(report.trust.rootVersion == nil ? Trust.checksumsOnly.warning : nil)
  }

  private static func members(
    _ report: ExportReport, _ out: String, _ context: CommandContext
  ) -> [JSONMember] {
    [
      JSONMember("version", .integer(report.manifest.version.number)),
      JSONMember("channel", .string(report.manifest.channel.name)),
      JSONMember("archive", .string(context.absolutePath(out))),
      JSONMember("bytes", .integer(Int64(report.archive.count))),
      JSONMember("sha256", .string(report.digest.hex)),
      JSONMember("manifestSHA256", .string(report.manifestDigest.hex)),
      JSONMember("files", .array(report.files.map { .string($0.path) })),
    ] + TrustPage(report.trust).members
  }
}
