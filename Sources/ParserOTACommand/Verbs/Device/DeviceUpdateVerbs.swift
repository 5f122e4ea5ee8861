internal import OTAFeed
internal import OTAManifest
internal import ParserUpdater

extension Verb {
  private static let networkExits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .busy, .notPermitted,
  ]

  static let deviceCheck = Verb.device(
    VerbSpec(
      ["device", "check"], summary: "ask the feed what is new, and change nothing",
      options: [
        DeviceVerb.store, DeviceVerb.now, DeviceVerb.deadline,
        .flag("exit-code", "end with 1 when a release is available, with 0 when nothing is"),
      ],
      manual: VerbManual(
        details: [
          "Ends with 0 when something is available and when nothing is, unless --exit-code is given. The member outcome of"
            + " --json tells which: available, staged, up-to-date, pinned, rejected-here, or why a release cannot be used here."
        ],
        examples: [
          "parser-ota device check --store store",
          "parser-ota device check --store store --exit-code || parser-ota device update --store store",
        ], exits: networkExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let (deadline, isNow) = (try arguments.value("deadline", as: Readings.seconds), arguments.flag("now"))
      let result = try await DeviceVerb.run { () async throws(Problem) in
        try await updater.check(within: deadline, now: isNow)
      }
      let (code, message, status) = DeviceVerb.describe(result)
      if status != .done {
        throw CommandFailure(
          status, code: code, message: message, kept: "what runs and what is staged are as they were")
      }
      var answer = CommandResult.answer(
        code, message, lines: [message], payload: DeviceVerb.members(result, updater))
      answer.hint = try DeviceVerb.hint(result, arguments, context)
      if arguments.flag("exit-code"), case .available = result { answer.status = .notAchieved }
      return answer
    })

  static let deviceUpdate = Verb.device(
    VerbSpec(
      ["device", "update"], summary: "download, verify and stage the newest release for the next launch",
      options: [DeviceVerb.store, DeviceVerb.now, DeviceVerb.deadline],
      manual: VerbManual(
        details: [
          "What runs is never touched. When it fails or is interrupted, nothing is lost, and the next run goes on.",
          "Ends with 0 when there is nothing to install, too: because it is staged already, or because the newest release was"
            + " rejected here or cannot be used. The member outcome of --json tells which.",
        ],
        examples: ["parser-ota device update --store store"], exits: networkExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let (deadline, isNow) = (try arguments.value("deadline", as: Readings.seconds), arguments.flag("now"))
      let bar = DownloadBar(context)
      let result = try await DeviceVerb.run { () async throws(Problem) in
        try await updater.update(within: deadline, now: isNow) { progress in bar.show(progress) }
      }
      bar.end()
      return try DeviceVerb.result(result, updater, arguments, context)
    })
}

extension DeviceVerb {
  /// What an update did, from wherever it came.
  ///
  /// - Parameter source: what messages call the place, when it is not the host of the feed.
  static func result(
    _ result: UpdateResult, _ updater: Updater, _ arguments: ParsedArguments, _ context: CommandContext,
    source: String? = nil
  ) throws(CommandFailure) -> CommandResult {
    switch result {
    case .staged(let version):
      return .outcome(
        "staged", "release \(version) is verified and staged for the next launch",
        payload: [
          JSONMember("version", .integer(version.number)),
          JSONMember("channel", .string(updater.configuration.channel.name)),
        ])
    case .unchanged(let found):
      let (code, message, status) = describe(found, source: source)
      if status != .done {
        throw CommandFailure(
          status, code: code, message: message, kept: "what runs and what is staged are as they were")
      }
      var result = CommandResult.outcome(code, message, payload: members(found, updater))
      result.hint = try hint(found, arguments, context)
      return result
    }
  }
}
