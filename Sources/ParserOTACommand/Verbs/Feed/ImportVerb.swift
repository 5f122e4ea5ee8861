internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let importRelease = Verb(
    VerbSpec(
      ["import"], summary: "publish the release of an archive as the next release of a feed",
      positionals: [
        PositionalSpec(
          name: "FILE", help: "an archive made by parser-ota export; - is standard input", shape: .file)
      ],
      options: [
        FeedVerb.feed,
        .option("channel", "NAME", "the channel; that of the archive when left out")
          .withoutSetting(),
        .option(
          "root", "FILE", "the root of trust of the feed that the archive came from; its own when left out"
        )
        .completing(.file).withoutSetting(),
      ] + PublishOptions.all + FeedVerb.hosting + [FeedVerb.wait],
      manual: VerbManual(
        details: [
          "Publishes bundle and catalog as parser-ota publish does: the same checks, the next number of this feed, its keys, its"
            + " --allow. Notes, contract, oldest app and aliases are those of the archive unless given. What was allowed on the other"
            + " feed must be allowed here too.",
          "The archive is authenticated first, by --root or else by its own first root. Expired metadata counts here, since the"
            + " release is signed again.",
        ],
        examples: [
          "parser-ota import release.tar.zst --feed feed --release-key release.pem",
          "parser-ota export --feed staging --out - | parser-ota import - --feed feed --release-key release.pem",
        ],
        exits: [
          .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .conflict, .busy, .notPermitted,
        ])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      var root: [UInt8]?
      if case .root(let bytes)? = try TrustChoice.given(arguments, context) { root = bytes }
      let archive = try InputArchive.read(
        arguments.positional("FILE") ?? InputArchive.dash, option: "FILE", context)
      var request = PublishRequest(importing: archive)
      request.archiveRoot = root
      try PublishOptions.fill(&request, arguments, context)
      if let channel = try arguments.value("channel", as: Readings.channel) { request.channel = channel }
      return try await PublishOptions.publish(request, publisher, verb: "imported", arguments, context)
    })
}
