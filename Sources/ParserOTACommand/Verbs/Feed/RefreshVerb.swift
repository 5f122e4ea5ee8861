internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let refresh = Verb(
    VerbSpec(
      ["refresh"], summary: "renew the signatures of a signed feed before they expire; makes no release",
      options: [
        FeedVerb.feed, .flag("force", "renew all three roles, also those far from expiry"),
        FeedVerb.allowClock, FeedVerb.checkInterval,
      ] + SigningOptions.release + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Renews the timestamp, and snapshot and targets when they expire soon. Run it from a schedule,"
            + " for example once a week: a feed that is neither published to nor refreshed for 30 days is stale."
        ],
        examples: ["parser-ota refresh --feed feed --release-key release.pem"],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let signers = try SigningOptions(arguments, context).requiredReleaseSigners()
      let (date, force) = (try FeedVerb.date(context), arguments.flag("force"))
      let report = try await DeviceVerb.run { () async throws(Problem) in
        try await publisher.refresh(signers: signers, date: date, force: force)
      }
      return result(report).warning(of: publisher)
    })

  private static func result(_ report: RefreshReport) -> CommandResult {
    let expires = report.expires.sorted { $0.key < $1.key }
    var result = CommandResult.outcome(
      report.outcome.rawValue,
      report.outcome == .refreshed
        ? "renewed: \(report.roles.joined(separator: ", "))" : "nothing to renew",
      lines: expires.map { "\($0.key) expires \($0.value)" },
      payload: [
        JSONMember("roles", .array(report.roles.map { .string($0) })),
        JSONMember("expires", .object(expires.map { JSONMember($0.key, .string("\($0.value)")) })),
        JSONMember("written", .array(report.writtenFiles.map { .string($0) })),
      ])
    result.warnings = report.warnings
    return result
  }
}
