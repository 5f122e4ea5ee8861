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
        .option("notes", "TEXT", "what changed, for people; an empty text is none").allowingEmpty(),
        .option("contract", "N", "the contract between app and bundle that the bundle needs"),
        .option("minimum-app-version", "V", "the oldest app that can run the bundle, such as 2.1.0"),
        GateOptions.alias, GateOptions.allowRemoved,
        .option("version", "N", "the number of the release; live + 1 when left out"),
        .option(
          "tag", "TAG", "take the number from a tag such as v2.10: major x 1000000 + minor x 1000 + patch"),
        .flag("allow-version-jump", "allow a number above live + 1000"),
        .option("expect-parent", "SHA256", "publish only on top of the manifest with this digest"),
        .flag("dry-run", "check everything and say what would be done, but write nothing"),
        FeedVerb.allowClock,
      ] + GateOptions.all + SigningOptions.release,
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
      var request = try publishRequest(arguments, context)
      let witness = GateWitness()
      request.observeGate = { witness.see($0) }
      defer { if let report = witness.report { GateOptions.annotate(report, context) } }
      do throws(Problem) {
        return FeedVerb.result(try await publisher.publish(request), verb: "published")
      } catch {
        var failure = CommandFailure(error)
        if let report = witness.report {
          if error.code == .gateRefused, report.refusals.count > 1 {
            failure.message = report.summary
            failure.details = GatePage(report).refusalLines
          } else if error.code == .gateRefused, let hint = report.refusals.first.flatMap(GatePage.hint) {
            failure.hint = hint
          }
          failure.payload.append(JSONMember("gate", .object(GatePage(report).members)))
        }
        throw failure
      }
    })

  private static func publishRequest(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> PublishRequest {
    let (bundle, sources) = (try arguments.required("bundle"), try arguments.required("sources"))
    var request = PublishRequest(
      bundlePath: context.absolutePath(bundle), sourcesPath: context.absolutePath(sources))
    (request.bundleName, request.sourcesName) = (bundle, sources)
    request.gate = try GateOptions.gate(arguments, context)
    request.channel = try FeedVerb.channel(arguments)
    request.notes = arguments.value("notes")
    request.contract = try arguments.value("contract", as: Readings.contract)
    request.minimumAppVersion = try arguments.value("minimum-app-version", as: Readings.appVersion)
    request.version = try arguments.value("version", as: Readings.version)
    request.tag = arguments.value("tag")
    request.allowsVersionJump = arguments.flag("allow-version-jump")
    request.aliases = try arguments.values("alias", as: Readings.aliases).flatMap(\.self)
    request.allowedRemovals = arguments.values("allow-removed")
    request.expectedParent = try arguments.value("expect-parent", as: Readings.digest)
    request.dryRun = arguments.flag("dry-run")
    request.date = try FeedVerb.date(context)
    request.signers = try SigningOptions(arguments, context).releaseSigners()
    return request
  }
}
