internal import OTAManifest
internal import ParserUpdater

extension Verb {
  private static let changeExits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .busy, .notPermitted,
  ]
  private static let versionArgument = PositionalSpec(
    name: "VERSION", help: "the number of a release", count: .optional)
  private static let release = OptionSpec.option(
    "release", "VERSION", "the release, as the other device verbs take it")

  /// The release that is named, as an argument or as an option.
  private static func version(_ arguments: ParsedArguments) throws(CommandFailure) -> ReleaseVersion? {
    let option = try arguments.value("release", as: Readings.version)
    guard let argument = try arguments.positional("VERSION", as: Readings.version) else { return option }
    guard option == nil else { throw arguments.usage(.refusedTogether("VERSION", "--release")) }
    return argument
  }

  static let deviceRollback = Verb.device(
    VerbSpec(
      ["device", "rollback"],
      summary: "leave the running release; the one before it runs from the next launch on",
      options: [DeviceVerb.store],
      manual: VerbManual(
        details: [
          "Works offline. The release that is left is rejected on this device: the same files are not used again,"
            + " under any version, until device forget."
        ],
        examples: ["parser-ota device rollback --store store"], exits: changeExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let result = try DeviceVerb.run { () throws(Problem) in try updater.rollback() }
      return .outcome(
        "rolled-back",
        "release \(result.left) is left and rejected; the next launch runs release \(result.next) (\(result.origin.rawValue))",
        payload: [
          JSONMember("left", .integer(result.left.number)), JSONMember("next", .integer(result.next.number)),
          JSONMember("origin", .string(result.origin.rawValue)),
        ])
    })

  static let devicePin = Verb.device(
    VerbSpec(
      ["device", "pin"], summary: "run this release at every launch until unpinned",
      positionals: [versionArgument],
      options: [DeviceVerb.store, release],
      manual: VerbManual(
        details: [
          "The current release, the one before it, or the copy inside the app; the current one when left out."
        ],
        examples: ["parser-ota device pin 37 --store store"], exits: changeExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let wanted = try version(arguments)
      let pinned = try DeviceVerb.run { () throws(Problem) in try updater.pin(wanted) }
      return .outcome(
        "pinned", "release \(pinned) is pinned: it runs at every launch until parser-ota device unpin",
        payload: [JSONMember("version", .integer(pinned.number))])
    })

  static let deviceUnpin = Verb.device(
    VerbSpec(
      ["device", "unpin"], summary: "take a pin away", options: [DeviceVerb.store],
      manual: VerbManual(examples: ["parser-ota device unpin --store store"], exits: changeExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let wasPinned = try DeviceVerb.run { () throws(Problem) in try updater.unpin() }
      return wasPinned
        ? .outcome("unpinned", "the pin is taken away; the usual rules choose from the next launch on")
        : .outcome("nothing-to-do", "nothing to do: no release is pinned")
    })

  static let deviceForget = Verb.device(
    VerbSpec(
      ["device", "forget"], summary: "forget what was rejected, so that it may be offered again",
      positionals: [versionArgument], options: [DeviceVerb.store, release],
      manual: VerbManual(
        details: ["All rejected releases when no version is given."],
        examples: ["parser-ota device forget --release 38 --store store"], exits: changeExits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let wanted = try version(arguments)
      let forgotten = try DeviceVerb.run { () throws(Problem) in try updater.forgetRejected(wanted) }
      if forgotten.isEmpty, let wanted {
        throw CommandFailure(
          .notAchieved, code: ProblemCode.noSuchRelease.rawValue,
          message: "release \(wanted) is not rejected on this device",
          hint: "parser-ota device status lists what is")
      }
      let list = forgotten.map(\.description).joined(separator: ", ")
      return .outcome(
        forgotten.isEmpty ? "nothing-to-do" : "forgotten",
        forgotten.isEmpty ? "nothing to do: nothing is rejected" : "forgotten: release \(list)",
        payload: [JSONMember("versions", .array(forgotten.map { .integer($0.number) }))])
    })
}
