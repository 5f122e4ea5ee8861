internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import ParserUpdater

extension Verb {
  private static let questionExits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .notPermitted,
  ]

  static let deviceStatus = Verb.device(
    VerbSpec(
      ["device", "status"], summary: "show what runs, what waits and what failed",
      options: [DeviceVerb.store],
      manual: VerbManual(examples: ["parser-ota device status --store store"], exits: questionExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let status = try DeviceVerb.run { () throws(Problem) in try updater.status() }
      let page = StatusPage(status, updater.configuration)
      return CommandResult.answer("status", page.summary, lines: page.lines, payload: page.members)
        .unless(status.obstacle)
        .warning(status.damage)
        .warning(status.clockDoubt.map { "\($0.code.rawValue): \($0.message)" })
        .warning(status.hostOddity)
    })

  static let deviceHistory = Verb.device(
    VerbSpec(
      ["device", "history"], summary: "show what happened on this device, oldest first",
      options: [DeviceVerb.store],
      manual: VerbManual(examples: ["parser-ota device history --store store"], exits: questionExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let events = try DeviceVerb.run { () throws(Problem) in try updater.history() }
      let lines = events.map { event in
        "\(event.date?.description ?? "")  \(event.kind.rawValue)"
          + (event.version.map { "  release \($0)" } ?? "") + "  \(event.text)"
      }
      return .listing(
        "history", events.isEmpty ? "no events yet" : "\(events.count) events", lines: lines,
        payload: [JSONMember("events", .array(events.map(\.json)))])
    })

  static let deviceExplain = Verb.device(
    VerbSpec(
      ["device", "explain"], summary: "explain what the next launch would run and why, and change nothing",
      options: [
        DeviceVerb.store,
        .option("manifest", "FILE", "also explain what an update would do with this manifest").completing(
          .file),
      ],
      manual: VerbManual(
        examples: [
          "parser-ota device explain --store store",
          "parser-ota device explain --store store --manifest feed/manifest.json",
        ], exits: questionExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      var manifest: [UInt8]?
      if let path = arguments.value("manifest") {
        manifest = try InputFile.readManifest(path, option: "--manifest", context).bytes
      }
      let explanation = try DeviceVerb.run { () throws(Problem) in try updater.explain(manifest: manifest) }
      let page = ExplanationPage(explanation)
      let status = try DeviceVerb.run { () throws(Problem) in try updater.status() }
      let trust = TrustPage(status.trust)
      let note =
        manifest == nil || status.trust.rootVersion == nil
        ? "" : "; whether that manifest is signed is not looked at here"
      return .answer(
        "explained", page.summary, lines: page.lines + ["trust: \(trust.summary)\(note)"],
        payload: page.members + trust.members
      ).unless(explanation.obstacle)
    })
}

extension CommandResult {
  /// The same answer, which is not the whole one when something is unknown: then the status says who must act.
  fileprivate func unless(_ obstacle: Problem?) -> CommandResult {
    guard let obstacle else { return self }
    var result = CommandResult(
      status: ExitStatus(obstacle.code.responsibility), code: obstacle.code.rawValue,
      message: "unknown: \(obstacle.message)", messageGoes: messageGoes, output: output, payload: payload)
    result.warnings = ["unknown: \(obstacle.message)"] + warnings
    return result
  }
}
