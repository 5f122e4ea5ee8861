internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let embed = Verb(
    VerbSpec(
      ["embed"], summary: "write the copy of a release that an app ships with",
      options: [
        .option("feed", "DIR", "the folder of the feed").completing(.directory).setting(unless: ["from"]),
        .option("from", "FILE", "take the release of an archive instead; - is standard input").completing(
          .file),
        .option("out", "DIR", "the folder to write to; it is made when there is none").completing(.directory)
          .required(),
        .option("version", "N", "the release; the live one when left out"),
        FeedVerb.channel.setting(unless: ["from", "version"]),
        .option("root", "FILE", "the root of trust that authenticates the archive; its own when left out")
          .completing(.file).withoutSetting(),
      ],
      manual: VerbManual(
        details: [
          "Writes parsers.bundle.js, sources.json, manifest.json, and ParserOTAEmbedded.swift with the version as a constant."
            + " From a signed feed also root.json, which the app trusts first."
        ],
        examples: [
          "parser-ota embed --feed feed --out App/Embedded",
          "parser-ota embed --from release.tar.zst --root root.json --out App/Embedded",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      try arguments.requireExactlyOne(of: "feed", "from")
      let report =
        try await arguments.flag("from") ? fromArchive(arguments, context) : fromFeed(arguments, context)
      var result = CommandResult.outcome(
        "embedded", "release \(report.version) is written to \(report.directory)", lines: report.files,
        payload: [
          JSONMember("version", .integer(report.version.number)),
          JSONMember("directory", .string(report.directory)),
          JSONMember("files", .array(report.files.map { .string($0) })),
        ])
      result.warnings = report.warnings
      return result
    })
  private static func fromFeed(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> EmbedReport {
    try arguments.refuseTogether("version", "channel")
    try arguments.refuseTogether("feed", "root")
    let publisher = try FeedVerb.publisher(arguments, context)
    let out = try InputFolder.requireOrMake(try arguments.required("out"), option: "--out", context)
    let version = try arguments.value("version", as: Readings.version)
    let channel = try FeedVerb.channel(arguments)
    return try await DeviceVerb.run { () async throws(Problem) in
      try await publisher.embed(version, channel: channel, into: out)
    }
  }

  /// An archive holds one release, so there is nothing to choose.
  private static func fromArchive(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> EmbedReport {
    try arguments.refuseTogether("from", "version")
    try arguments.refuseTogether("from", "channel")
    let out = try InputFolder.requireOrMake(try arguments.required("out"), option: "--out", context)
    var root: [UInt8]?
    if case .root(let bytes)? = try TrustChoice.given(arguments, context) { root = bytes }
    let trusted = root
    let archive = try InputArchive.read(try arguments.required("from"), option: "--from", context)
    return try await DeviceVerb.run { () async throws(Problem) in
      try await Publisher.embed(archive, root: trusted, into: out)
    }
  }
}
