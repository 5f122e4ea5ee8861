internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let repair = Verb(
    VerbSpec(
      ["repair"], summary: "restore lost and damaged files of a feed, or drop the releases that need them",
      options: [
        FeedVerb.feed,
        .option("from", "DIR|URL", "a copy of the feed to restore files from; may be given more than once")
          .completing(.directory).repeatable(),
        .flag("dry-run", "say what would be done, but write nothing"),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ] + SigningOptions.release + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Every file is known by its digest, so any copy will do: one on the feed itself, those of --from in order, and last"
            + " the feed's own public address. Files with other line ends are put right.",
          "A release that nothing can restore is dropped from the list; a signed feed needs the release key for that. The"
            + " newest release of a channel is never dropped: without its files the command ends with 3. Run it again after"
            + " an interruption.",
        ],
        examples: [
          "parser-ota repair --feed feed --dry-run",
          "parser-ota repair --feed feed --from https://parsers.example/ --release-key release.pem",
        ],
        exits: [
          .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .conflict, .busy, .notPermitted,
        ])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      var sources: [FeedLocation] = []
      for source in try arguments.values("from", as: Readings.feed) {
        sources.append(try InputFolder.require(source, option: "--from", context))
      }
      var request = RepairRequest(sources: sources)
      request.allowsPlainHTTPOnLoopback = arguments.flag("allow-http-loopback")
      request.dryRun = arguments.flag("dry-run")
      request.date = try FeedVerb.date(context)
      request.signers = try SigningOptions(arguments, context).releaseSigners()
      let wanted = request
      let report = try await DeviceVerb.run { () async throws(Problem) in try await publisher.repair(wanted) }
      return result(report).warning(of: publisher)
    })

  private static func result(_ report: RepairReport) -> CommandResult {
    let (restored, dropped) = (report.restored, report.dropped)
    let counts = "\(restored.count) files restored, \(dropped.count) releases dropped"
    let message =
      switch report.outcome {
      case .repaired: "the feed is whole again: \(counts)"
      case .wouldRepair: "the feed can be made whole: \(counts); nothing was written"
      case .nothingToRepair: "nothing to repair: every file is there, as it was published"
      }
    var result = CommandResult.outcome(
      report.outcome.rawValue, message,
      lines: restored.map { "restored \($0.path) from \($0.source)" }
        + dropped.map { "dropped release \($0.version): \($0.reason)" },
      payload: [
        JSONMember(
          "restored",
          .array(
            restored.map {
              .object([JSONMember("path", .string($0.path)), JSONMember("source", .string($0.source))])
            })),
        JSONMember(
          "dropped",
          .array(
            dropped.map {
              .object([
                JSONMember("version", .integer($0.version.number)), JSONMember("reason", .string($0.reason)),
              ])
            })),
      ])
    result.warnings = report.warnings
    return result
  }
}
