internal import OTAFeed
internal import OTAManifest
internal import ParserUpdater

extension Verb {
  private static let networkExits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .busy, .notPermitted,
  ]

  static let deviceCheck = Verb(
    VerbSpec(
      ["device", "check"], summary: "ask the feed what is new, and change nothing",
      options: [DeviceVerb.store],
      manual: VerbManual(
        details: ["Ends with 0 when something is available and when nothing is; code tells which."],
        examples: ["parser-ota device check --store store"], exits: networkExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let result = try await DeviceVerb.run { () async throws(Problem) in try await updater.check() }
      let (code, message, status) = DeviceVerb.describe(result)
      if status != .done {
        throw CommandFailure(
          status, code: code, message: message, kept: "what runs and what is staged are as they were")
      }
      return .answer(
        code, message, lines: [message],
        payload: [JSONMember("version", DeviceVerb.json(DeviceVerb.version(of: result)))])
    })

  static let deviceUpdate = Verb(
    VerbSpec(
      ["device", "update"], summary: "download, verify and stage the newest release for the next launch",
      options: [DeviceVerb.store],
      manual: VerbManual(
        details: [
          "What runs is never touched. When it fails or is interrupted, nothing is lost, and the next run goes on."
        ],
        examples: ["parser-ota device update --store store"], exits: networkExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let bar = DownloadBar(context)
      let result = try await DeviceVerb.run { () async throws(Problem) in
        try await updater.update { progress in bar.show(progress) }
      }
      bar.end()
      switch result {
      case .staged(let version):
        return .outcome(
          "staged", "release \(version) is verified and staged for the next launch",
          payload: [JSONMember("version", .integer(version.number))])
      case .unchanged(let found):
        let (code, message, status) = DeviceVerb.describe(found)
        if status != .done {
          throw CommandFailure(
            status, code: code, message: message, kept: "what runs and what is staged are as they were")
        }
        return .outcome(
          code, message, payload: [JSONMember("version", DeviceVerb.json(DeviceVerb.version(of: found)))])
      }
    })
}
