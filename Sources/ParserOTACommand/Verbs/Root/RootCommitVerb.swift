internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

extension Verb {
  static let rootCommit = Verb(
    VerbSpec(
      ["root", "commit"], summary: "make a signed root the live one",
      positionals: [RootVerb.files],
      options: [FeedVerb.feed, FeedVerb.allowClock, RootReadings.discard] + SigningOptions.both
        + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Both the root before and the new one must be signed by enough of their keys. Where the keys of the other roles"
            + " change, these are signed again with the release keys that the new root names. Interrupted, the same"
            + " command finishes the job. Root keys that are given sign the file first.",
          "Several files are copies of one root that different holders signed: their signatures are joined.",
        ],
        examples: [
          "parser-ota root commit next.root.json --feed feed --release-key release.pem",
          "parser-ota root commit alice.root.json bob.root.json --feed feed --release-key release.pem",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let read = try RootVerb.joined(arguments.positionals("FILE"), context)
      let discarding = Set(try arguments.values("discard", as: Readings.version))
      let signers = try SigningOptions(arguments, context).allSigners()
      let date = try FeedVerb.date(context)
      let report = try await DeviceVerb.run { () async throws(Problem) in
        var draft = read
        let live = try await publisher.liveRoot()
        if live.version < draft.version { _ = try await draft.sign(with: signers, previous: live) }
        return try await publisher.commitRoot(draft, signers: signers, date: date, discarding: discarding)
      }
      return RootVerb.result(report, draft: try RootVerb.draftFolder(arguments, context)).warning(
        of: publisher)
    })
}
