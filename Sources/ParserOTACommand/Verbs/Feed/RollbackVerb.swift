internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let rollback = Verb(
    VerbSpec(
      ["rollback"], summary: "undo a bad release: publish the content of an earlier one under a new number",
      options: [
        FeedVerb.feed, FeedVerb.channel,
        .option(
          "to", "VERSION",
          "the release to go back to; the newest earlier one with other content when left out"),
        .option("reason", "TEXT", "why, for people; becomes the notes of the release"),
        .flag("yes", "do not ask"),
        .flag("dry-run", "say what would be done, but write nothing"),
      ] + SigningOptions.release,
      manual: VerbManual(
        details: [
          "Uploads nothing but a manifest. The releases between are marked as withdrawn, so that devices stop running"
            + " them at their next launch, whether they take the new release or not."
        ],
        examples: [
          "parser-ota rollback --feed feed --release-key release.pem --yes",
          "parser-ota rollback --feed feed --to 37 --reason 'blank lists' --yes",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      var request = RollbackRequest(channel: try FeedVerb.channel(arguments))
      request.to = try arguments.value("to", as: Readings.version)
      request.reason = arguments.value("reason")
      request.dryRun = arguments.flag("dry-run")
      request.date = try FeedVerb.date(context)
      request.signers = try SigningOptions(arguments, context).releaseSigners()
      let asked = request
      if !request.dryRun {
        let plan = try await DeviceVerb.run { () async throws(Problem) in
          try await publisher.planRollback(asked)
        }
        let question =
          "publish release \(plan.next) with the content of release \(plan.target), in place of release \(plan.live)"
        try Confirmation.ask(question, flag: "yes", arguments, context)
      }
      let report = try await DeviceVerb.run { () async throws(Problem) in try await publisher.rollback(asked)
      }
      return FeedVerb.result(report, verb: "rolled back:")
    })
}
