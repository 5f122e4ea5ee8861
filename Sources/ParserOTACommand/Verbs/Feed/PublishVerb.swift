internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let publish = Verb(
    VerbSpec(
      ["publish"], summary: "publish a bundle and a catalog as the next release",
      options: [
        FeedVerb.feed,
        FeedVerb.bundle, FeedVerb.sources,
        FeedVerb.channel,
      ] + PublishOptions.all + FeedVerb.hosting + [FeedVerb.wait],
      manual: VerbManual(
        details: [
          "Checks the release first, as parser-ota check does, against the live one of its channel. What refuses stops it"
            + " before anything is written; --allow permits a finding, and is recorded in the manifest.",
          "Writes the immutable files first and manifest.json last, so that every reader sees the whole old or the whole"
            + " new release. Interrupted, the same command finishes the job. The same content as the live release is"
            + " nothing to publish, and no error. SOURCE_DATE_EPOCH fixes the date, so that the same input gives the same bytes.",
        ],
        examples: [
          "parser-ota publish --feed feed --bundle parsers.bundle.js --sources sources.json --release-key release.pem",
          "parser-ota publish --feed feed --bundle parsers.bundle.js --sources sources.json --alias OLD_ID=NEW_ID --dry-run",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      return try await PublishOptions.publish(
        try publishRequest(arguments, context), publisher, verb: "published", arguments, context)
    })

  private static func publishRequest(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> PublishRequest {
    let (bundle, sources) = (try arguments.required("bundle"), try arguments.required("sources"))
    var request = PublishRequest(
      bundlePath: context.absolutePath(bundle), sourcesPath: context.absolutePath(sources))
    (request.bundleName, request.sourcesName) = (bundle, sources)
    request.channel = try FeedVerb.channel(arguments)
    try PublishOptions.fill(&request, arguments, context)
    return request
  }
}
