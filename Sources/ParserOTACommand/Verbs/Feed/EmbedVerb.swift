internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let embed = Verb(
    VerbSpec(
      ["embed"], summary: "write the copy of a release that an app ships with",
      options: [
        FeedVerb.feed,
        .option("out", "DIR", "the folder to write to; it is made when there is none").completing(.directory)
          .required(),
        .option("version", "N", "the release; the live one when left out"),
        FeedVerb.channel,
      ],
      manual: VerbManual(
        details: [
          "Writes parsers.bundle.js, sources.json, manifest.json, and ParserOTAEmbedded.swift with the version as a constant."
            + " From a signed feed also root.json, which the app trusts first."
        ],
        examples: ["parser-ota embed --feed feed --out App/Embedded"],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      try arguments.refuseTogether("version", "channel")
      let publisher = try FeedVerb.publisher(arguments, context)
      let out = try InputFolder.requireOrMake(try arguments.required("out"), option: "--out", context)
      let version = try arguments.value("version", as: Readings.version)
      let channel = try FeedVerb.channel(arguments)
      let report = try await DeviceVerb.run { () async throws(Problem) in
        try await publisher.embed(version, channel: channel, into: out)
      }
      return .outcome(
        "embedded", "release \(report.version) is written to \(report.directory)", lines: report.files,
        payload: [
          JSONMember("version", .integer(report.version.number)),
          JSONMember("directory", .string(report.directory)),
          JSONMember("files", .array(report.files.map { .string($0) })),
        ])
    })
}
