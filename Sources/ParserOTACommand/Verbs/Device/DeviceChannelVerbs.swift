internal import OTAManifest
internal import ParserUpdater

extension Verb {
  private static let exits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .busy, .notPermitted,
  ]

  static let deviceChannel = Verb.device(
    VerbSpec(
      ["device", "channel"], summary: "show the channel that is followed, or follow another one",
      positionals: [PositionalSpec(name: "NAME", help: "the channel to follow", count: .optional)],
      options: [DeviceVerb.store, .flag("default", "follow the channel of the app again")],
      manual: VerbManual(
        details: [
          "Each channel keeps its own releases, floor and list of what failed. What is staged is given up, so that nothing of a"
            + " channel starts after it was left. Going back finds what was there."
        ],
        examples: [
          "parser-ota device channel beta --store store", "parser-ota device channel --default --store store",
        ], exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let name = try arguments.positional("NAME", as: Readings.channel)
      if name != nil, arguments.flag("default") {
        throw arguments.usage(.refusedTogether("NAME", "--default"))
      }
      guard name != nil || arguments.flag("default") else {
        let standing = try DeviceVerb.run { () throws(Problem) in try updater.channel() }
        return .answer("channel", standing.sentence, lines: [standing.sentence], payload: members(standing))
      }
      let change = try DeviceVerb.run { () throws(Problem) in try updater.follow(name) }
      let standing = try DeviceVerb.run { () throws(Problem) in try updater.channel() }
      guard change.channel != change.before else {
        return .outcome("nothing-to-do", "nothing to do: \(standing.sentence)", payload: members(standing))
      }
      let dropped = change.dropped.map { "; release \($0) is not staged any more" } ?? ""
      var result = CommandResult.outcome(
        "channel-changed",
        "follows channel \(change.channel) from the next launch on, before: \(change.before)\(dropped)",
        payload: members(standing))
      result.hint =
        "take its newest release: parser-ota device update --store \(context.absolutePath(try arguments.required("store")).shellWord)"
      return result
    })

  private static func members(_ standing: ChannelStanding) -> [JSONMember] {
    [
      JSONMember("channel", .string(standing.followed.name)),
      JSONMember("configured", .string(standing.configured.name)),
      JSONMember("chosen", standing.chosen.map { .string($0.name) } ?? .null),
    ]
  }

  static let deviceAdvisories = Verb.device(
    VerbSpec(
      ["device", "advisories"], summary: "show what the feed says of sources", options: [DeviceVerb.store],
      manual: VerbManual(
        details: [
          "Works offline: the advisories are those of the last check or update, without what has run out."
        ],
        examples: ["parser-ota device advisories --store store"], exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let updater = try DeviceVerb.updater(arguments, context)
      let advisories = updater.advisories()
      let entries = advisories?.entries ?? []
      return .listing(
        "advisories",
        entries.isEmpty ? "no advisories" : "\(entries.count) advisor\(entries.count == 1 ? "y" : "ies")",
        lines: entries.map(AdvisoryLine.text),
        payload: [
          JSONMember("written", advisories.map { .string("\($0.written)") } ?? .null),
          JSONMember("advisories", .array(entries.map(\.json))),
        ])
    })
}
