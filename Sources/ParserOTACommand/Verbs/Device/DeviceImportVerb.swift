internal import OTAManifest
internal import ParserUpdater

extension Verb {
  static let deviceImport = Verb.device(
    VerbSpec(
      ["device", "import"],
      summary: "verify the release in an archive and stage it for the next launch, offline",
      positionals: [
        PositionalSpec(
          name: "FILE", help: "an archive made by parser-ota export; - is standard input", shape: .file)
      ],
      options: [DeviceVerb.store],
      manual: VerbManual(
        details: [
          "The rules are those of an update: the trust of the store, its channel, what was seen before, and what was"
            + " rejected here. No network is asked. A damaged or unsafe archive is refused as a whole.",
          "Ends with 0 when there is nothing to install, too: because it is older than what was seen, is staged already, or was"
            + " rejected here. The member outcome of --json tells which.",
        ],
        examples: ["parser-ota device import release.tar.zst --store store"],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let archive = try InputArchive.read(
        arguments.positional("FILE") ?? InputArchive.dash, option: "FILE", context)
      let result = try await DeviceVerb.run { () async throws(Problem) in
        try await updater.update(from: archive)
      }
      return try DeviceVerb.result(result, updater, arguments, context, source: "the archive")
    })
}
