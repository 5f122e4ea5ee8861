internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

extension Verb {
  static let rootPrepare = Verb(
    VerbSpec(
      ["root", "prepare"], summary: "write the next root to a file that the holders of root keys sign",
      options: [
        FeedVerb.feed,
        .option("out", "FILE", "the file to write").completing(.file).required(),
        .option("add", "ROLE=FILE", "let the public key in FILE sign for a role").repeatable(),
        .option("remove", "ROLE=KEYID", "take a role away from a key").repeatable(),
        .option("threshold", "ROLE=N", "let N keys of a role be needed").repeatable(),
        .option(
          "name", "NAME",
          "name a feed that has no name yet, so that no other feed of the same keys passes for it"),
        RootReadings.newEpoch,
        .option("expires-days", "N", "how long it stays good; what init set when left out"),
        FeedVerb.allowClock,
      ],
      manual: VerbManual(
        details: [
          "ROLE is root, targets, snapshot, timestamp, or release for the last three. Without a change, the next root"
            + " only has a new expiry. Removals are made first, so that a key can take the place of another one.",
          "The file needs no secrecy: carry it to each holder for parser-ota root sign, and back for parser-ota root commit."
            + " Holders may sign copies at the same time: root commit joins them.",
          "Revoking a key of targets begins a new epoch, in which devices forget the versions and dates they have seen.",
        ],
        examples: [
          "parser-ota root prepare --feed feed --out next.root.json --add release=new.pem.pub --remove release=KEY_ID",
          "parser-ota root prepare --feed feed --out next.root.json --expires-days 730",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let path = context.absolutePath(try arguments.required("out"))
      try RootVerb.requireFree(path)
      let changes = try changes(arguments, context)
      let days = try arguments.value("expires-days", as: RootReadings.days)
      let (draft, live) = try await DeviceVerb.run { () async throws(Problem) in
        (try await publisher.prepareRoot(changes, expiryDays: days), try await publisher.liveRoot())
      }
      try RootVerb.write(draft, to: path, option: "--out")
      let approvals = try DeviceVerb.run { () throws(Problem) in try draft.approvals(previous: live) }
      let changed = draft.root.changes(since: live)
      return .outcome(
        "prepared", "root \(draft.version) is in \(path): sign it with parser-ota root sign",
        lines: changed + RootVerb.lines(approvals),
        payload: RootVerb.members(draft, approvals, path) + [
          JSONMember("changes", .array(changed.map { .string($0) }))
        ])
    })

  private static func changes(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> [RootChange] {
    var changes = try arguments.values("remove", as: RootReadings.removal)
    for addition in try arguments.values("add", as: RootReadings.addition) {
      changes.append(
        .add(try KeyFile.publicKey(addition.path, option: "--add", context), to: addition.roles))
    }
    changes += try arguments.values("threshold", as: RootReadings.threshold)
    if let name = try arguments.value("name", as: RootReadings.feedName) { changes.append(.name(name)) }
    if arguments.flag("new-epoch") { changes.append(.newEpoch) }
    return changes
  }
}
