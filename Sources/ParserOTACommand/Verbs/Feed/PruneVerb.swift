internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let prune = Verb(
    VerbSpec(
      ["prune"], summary: "remove the files of a feed that no kept release needs",
      options: [FeedVerb.feed, .flag("yes", "remove them; without it they are only named")]
        + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Names the files, and removes them with --yes: those of releases that are no longer kept, and what interrupted"
            + " publishers left. What was live within the last hour stays, since a client may be in the middle of it."
        ],
        examples: ["parser-ota prune --feed feed", "parser-ota prune --feed s3://bucket/feed --yes"],
        exits: [
          .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .conflict, .busy, .notPermitted,
        ])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let isDryRun = !arguments.flag("yes")
      let report = try await DeviceVerb.run { () async throws(Problem) in
        try await publisher.prune(isDryRun: isDryRun)
      }
      return result(report).warning(of: publisher)
    })

  private static func result(_ report: PruneReport) -> CommandResult {
    let count = report.paths.count == 1 ? "1 file" : "\(report.paths.count) files"
    let (code, message) =
      switch (report.paths.isEmpty, report.isDone) {
      case (true, _): ("nothing-to-do", "nothing to remove: every file is needed")
      case (_, true): ("pruned", "\(count) removed")
      case (_, false): ("would-prune", "\(count) can go; nothing was removed")
      }
    var result = CommandResult.outcome(
      code, message, lines: report.paths,
      payload: [JSONMember("files", .array(report.paths.map { .string($0) }))])
    if code == "would-prune" { result.hint = "remove them with --yes" }
    return result
  }
}
