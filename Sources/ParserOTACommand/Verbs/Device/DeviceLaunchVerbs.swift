internal import OTAManifest
internal import ParserTrialLoad
internal import ParserUpdater

extension Verb {
  static let deviceActivate = Verb.device(
    VerbSpec(
      ["device", "activate"],
      summary: "launch: choose, verify and record the release that runs, as an app does",
      options: [
        DeviceVerb.store,
        .option(
          "out", "DIR",
          "write bundle, catalog and manifest of this launch to a folder, which is replaced in one step"
        ).completing(.directory),
        .option("format", "FORMAT", "how to show the launch; shell prints assignments for eval")
          .completing(.choice(["text", "shell"])),
        .option(
          "print", "WHAT",
          "write the verified bytes of this file to standard output instead; each call is a launch of its own"
        ).completing(.choice(["bundle", "sources"])),
        .flag(
          "trial-load", "load a staged release in the engine before its first use; reject one that fails"),
        EngineChoice.option,
      ],
      manual: VerbManual(
        details: [
          "Needs no network. A release on trial counts this launch as unconfirmed until device confirm, fail or close"
            + " reports on it. With --trial-load a staged release is loaded in the engine first, once, within 20 seconds.",
          "A program that wants both files takes them from one call: --out writes them, and --format shell names the files,"
            + " the number and the launch. Two calls are two launches, which may be of two releases.",
        ],
        examples: [
          "parser-ota device activate --store store",
          "launch=$(parser-ota device activate --store store --out run --format shell) && eval \"$launch\"",
          "parser-ota device activate --store store --print bundle > parsers.bundle.js",
          "parser-ota device activate --store store --trial-load",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let wanted = arguments.value("print")
      let isShell = arguments.value("format") == "shell"
      try arguments.refuseTogether("print", "out")
      if isShell {
        if wanted != nil { throw arguments.usage(.refusedTogether("--print", "--format shell")) }
        if arguments.flags.json { throw arguments.usage(.refusedTogether("--json", "--format shell")) }
      }
      let updater = try DeviceVerb.updater(arguments, context)
      let place = try launchPlace(arguments, context)
      let trial = try await tryStaged(updater, arguments, context)
      let active = updater.activate()
      guard let version = active.version else { throw nothingToLaunch(active) }
      let message =
        "release \(version) runs (\(active.origin.rawValue), \(DeviceVerb.words(active.standing)))"
      let files = try launchFiles(active, place, updater)
      var result = CommandResult.answer(
        "activated", message, lines: DeviceVerb.lines(active, files),
        payload: DeviceVerb.members(active, files)
      )
      if isShell { result.output = .bytes(Array(ShellAssignments.text(active, files).utf8)) }
      if let wanted {
        let bytes = wanted == "bundle" ? active.bundle : active.sources
        result.output = .bytes(bytes)
        result.payload.append(JSONMember("content", .string(String(decoding: bytes, as: UTF8.self))))
      }
      result.payload += trial.members
      result.warnings = trial.warnings + active.notes.map(\.message)
      return result
    })

  /// Why there is nothing to run: no copy is whole, or it is unknown because something may not be read.
  private static func nothingToLaunch(_ active: ActiveRelease) -> CommandFailure {
    var failure: CommandFailure
    if let unknown = active.notes.last(where: { $0.code.responsibility == .notPermitted }) {
      failure = CommandFailure(
        .notPermitted, code: unknown.code.rawValue,
        message: "what can be launched is unknown: \(unknown.message)",
        kept: "the releases and the state", hint: unknown.advice)
    } else {
      let reasons = active.notes.map(\.message) + active.passedOver.map(\.message)
      failure = CommandFailure(
        .untrustedContent, code: ProblemCode.embeddedUnusable.rawValue,
        message: "nothing can be launched: \(reasons.last ?? "no release is usable")",
        hint: "give the store a good copy with parser-ota device init --embedded DIR")
    }
    failure.payload = DeviceVerb.members(active)
    return failure
  }

  /// The folder of `--out`, looked at before the launch: what cannot be written must not count as one.
  private static func launchPlace(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> LaunchPlace? {
    guard let path = arguments.value("out") else { return nil }
    return try LaunchPlace(context.absolutePath(path))
  }

  /// Where the files of a launch are; a launch whose files could not be written does not count.
  private static func launchFiles(
    _ active: ActiveRelease, _ place: LaunchPlace?, _ updater: Updater
  ) throws(CommandFailure) -> LaunchFiles {
    guard let place else { return LaunchFiles(of: active) }
    do {
      return try LaunchFiles.write(active, to: place)
    } catch {
      // Nothing ran; when this cannot be recorded either, the launch counts as one that ended unconfirmed.
      _ = try? updater.close(version: active.version, launch: active.launch)
      throw error
    }
  }

  /// The trial load that was asked for, with what is to be said about it.
  private static func tryStaged(
    _ updater: Updater, _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> (members: [JSONMember], warnings: [String]) {
    guard arguments.flag("trial-load") else {
      guard arguments.value("engine") == nil else {
        throw CommandFailure(
          .usage, code: "conflicting-options", message: "--engine without --trial-load has nothing to do",
          hint: "add --trial-load, or leave --engine out")
      }
      return ([], [])
    }
    guard let engine = try EngineChoice.read(arguments, context) else {
      return (trialMembers("undecided", nil, "no engine is known"), ["no engine is known: nothing was tried"])
    }
    switch await updater.tryStaged(with: EngineTrialLoad(engine: engine)) {
    case .nothingToTry: return (trialMembers("nothing-to-try", nil, nil), [])
    case .tried(let version, .works): return (trialMembers("works", version, nil), [])
    case .tried(let version, .fails(let reason)):
      return (trialMembers("fails", version, reason), ["release \(version) is rejected: \(reason)"])
    case .tried(let version, .undecided(let reason)):
      return (
        trialMembers("undecided", version, reason), ["release \(version) could not be tried: \(reason)"]
      )
    case .overtaken(let version):
      return (trialMembers("overtaken", version, nil), ["release \(version) was used or replaced meanwhile"])
    case .notRecorded(let problem):
      return (trialMembers("not-recorded", nil, problem.message), ["nothing was tried: \(problem.message)"])
    }
  }

  private static func trialMembers(
    _ verdict: String, _ version: ReleaseVersion?, _ reason: String?
  ) -> [JSONMember] {
    var members = [JSONMember("verdict", .string(verdict)), JSONMember("version", DeviceVerb.json(version))]
    if let reason { members.append(JSONMember("reason", .string(reason))) }
    return [JSONMember("trialLoad", .object(members))]
  }

  private static let speaksFor: [OptionSpec] = [
    DeviceVerb.store,
    .option("release", "VERSION", "the release that is meant; the current one when left out"),
    .option("launch", "ID", "the launch that is meant; the newest one on trial when left out"),
  ]
  private static let verdictExits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .busy, .notPermitted,
  ]

  static let deviceConfirm = Verb.device(
    VerbSpec(
      ["device", "confirm"], summary: "report that the running release works", options: speaksFor,
      manual: VerbManual(
        details: [
          "Is about one release and one launch; reports about any other launch are logged and ignored."
        ],
        examples: ["parser-ota device confirm --store store"], exits: verdictExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let (version, launch) = try names(arguments)
      let result = try DeviceVerb.run { () throws(Problem) in
        try updater.confirm(version: version, launch: launch)
      }
      return try outcome(result, code: "confirmed", ("confirmed release ", ""), updater)
    })

  static let deviceClose = Verb.device(
    VerbSpec(
      ["device", "close"], summary: "report a clean exit, so the launch does not count as a failure",
      options: speaksFor,
      manual: VerbManual(examples: ["parser-ota device close --store store"], exits: verdictExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let (version, launch) = try names(arguments)
      let result = try DeviceVerb.run { () throws(Problem) in
        try updater.close(version: version, launch: launch)
      }
      return try outcome(result, code: "closed", ("the launch of release ", " does not count"), updater)
    })

  static let deviceFail = Verb.device(
    VerbSpec(
      ["device", "fail"],
      summary: "report that the running release does not work: reject it and run the next candidate",
      options: speaksFor + [.option("reason", "TEXT", "what went wrong, one line for the history")],
      manual: VerbManual(
        details: [
          "Rejects at once. The same files are not used again, under any version, until device forget."
        ],
        examples: ["parser-ota device fail --store store --reason 'blank list'"], exits: verdictExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let (version, launch) = try names(arguments)
      let reason = arguments.value("reason") ?? "reported by hand"
      let before = try DeviceVerb.run { () throws(Problem) in try updater.status() }
      let failed = version ?? before.current?.version
      let next = try DeviceVerb.run { () throws(Problem) in
        try updater.fail(version: version, launch: launch, reason: reason)
      }
      let after = try DeviceVerb.run { () throws(Problem) in try updater.status() }
      let left = after.rejected.last?.version
      if let problem = next.notes.first, !after.rejected.contains(where: { $0.version == failed }) {
        throw notRecorded(problem, next)
      }
      return .outcome(
        "rejected",
        "release \(left.map(\.description) ?? "") is rejected; release \(next.version.map(\.description) ?? "none") runs now",
        lines: DeviceVerb.lines(next),
        payload: [JSONMember("rejected", DeviceVerb.json(left))] + DeviceVerb.members(next))
    })

  /// The next candidate runs in this launch, and the one after it knows nothing of the failure.
  private static func notRecorded(_ problem: Problem, _ next: ActiveRelease) -> CommandFailure {
    var failure = CommandFailure(problem.keeping("the state as it was, so the release was not rejected"))
    failure.payload = DeviceVerb.members(next)
    return failure
  }

  private static func names(
    _ arguments: ParsedArguments
  ) throws(CommandFailure) -> (version: ReleaseVersion?, launch: LaunchID?) {
    (
      try arguments.value("release", as: Readings.version), try arguments.value("launch", as: Readings.launch)
    )
  }

  private static func outcome(
    _ result: VerdictResult, code: String, _ words: (before: String, after: String), _ updater: Updater
  ) throws(CommandFailure) -> CommandResult {
    switch result {
    case .recorded:
      let current = try DeviceVerb.run { () throws(Problem) in try updater.status() }.current?.version
      return .outcome(
        code, words.before + (current?.description ?? "") + words.after,
        payload: [JSONMember("version", DeviceVerb.json(current))])
    case .nothingToDo:
      return .outcome("nothing-to-do", "nothing to do: no release is on trial")
    case .ignored(let reason):
      throw CommandFailure(
        .notAchieved, code: ProblemCode.otherLaunch.rawValue, message: reason, kept: "the state as it was",
        hint: "parser-ota device status shows what runs")
    case .notRecorded(let problem): throw CommandFailure(problem)
    }
  }
}
