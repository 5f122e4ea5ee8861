internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

extension Verb {
  private static let details = [
    "Makes the next root. With enough root keys it is live at once, and the other roles are signed again where their keys"
      + " change; otherwise the root is written to a file that the other holders sign, see parser-ota root."
  ]
  private static let epochs =
    "Revoking a key of targets begins a new epoch: devices forget the versions and dates that it made them see, and run only"
    + " releases that are signed now. Name a thief's releases, or one with a wrong number or date, with --discard: the newest one left is published again."
  private static let exits: [ExitStatus] = [
    .done, .notAchieved, .untrustedContent, .localDisk, .conflict, .busy, .notPermitted,
  ]

  static let keyAdd = Verb(
    VerbSpec(
      ["key", "add"], summary: "let one more key sign for a role of a feed",
      options: [
        FeedVerb.feed, RootReadings.role,
        .option("public", "FILE", "the public half of the key, as PEM").completing(.file).required(),
        FeedVerb.allowClock,
      ] + SigningOptions.both + FeedVerb.hosting,
      manual: VerbManual(
        details: details,
        examples: [
          "parser-ota key add --feed feed --role release --public second.pem.pub --root-key root.pem"
        ], exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let roles = try arguments.required("role", as: RootReadings.roles)
      let key = try KeyFile.publicKey(try arguments.required("public"), option: "--public", context)
      return try await RootVerb.change([.add(key, to: roles)], arguments, context)
    })

  static let keyRemove = Verb(
    VerbSpec(
      ["key", "remove"], summary: "revoke a key's role",
      options: [
        FeedVerb.feed, RootReadings.role,
        .option("key-id", "ID", "the key, as key list shows it").required(), FeedVerb.allowClock,
        RootReadings.discard,
      ] + SigningOptions.both + FeedVerb.hosting,
      manual: VerbManual(
        details: details + [epochs],
        examples: [
          "parser-ota key remove --feed feed --role release --key-id KEY_ID --root-key root.pem --release-key second.pem"
        ],
        exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let roles = try arguments.required("role", as: RootReadings.roles)
      let id = try arguments.required("key-id", as: RootReadings.keyID)
      return try await RootVerb.change([.remove(keyID: id, from: roles)], arguments, context)
    })

  static let keyRotate = Verb(
    VerbSpec(
      ["key", "rotate"], summary: "put a new key in the place of a lost or old one",
      options: [
        FeedVerb.feed, RootReadings.role,
        .option("from", "ID", "the key that goes, as key list shows it").required(),
        .option("to-public", "FILE", "the public half of the key that comes, as PEM").completing(.file)
          .required(), FeedVerb.allowClock,
        .option("name", "NAME", "name a feed that has no name yet"), RootReadings.newEpoch,
        RootReadings.discard,
      ] + SigningOptions.both + FeedVerb.hosting,
      manual: VerbManual(
        details: details + [
          epochs,
          "Give the old release key as well when you have it: then no device is refused, not even for a moment."
            + " Interrupted, the same command finishes the job.",
        ],
        examples: [
          "parser-ota key rotate --feed feed --role release --from KEY_ID --to-public new.pem.pub --root-key root.pem"
            + " --release-key new.pem",
          "parser-ota key rotate --feed feed --role release --from KEY_ID --to-public new.pem.pub --root-key root.pem"
            + " --release-key new.pem --discard 38",
        ], exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let roles = try arguments.required("role", as: RootReadings.roles)
      let id = try arguments.required("from", as: RootReadings.keyID)
      let key = try KeyFile.publicKey(try arguments.required("to-public"), option: "--to-public", context)
      var changes = [RootChange.replace(keyID: id, with: key, in: roles)]
      if let name = try arguments.value("name", as: RootReadings.feedName) { changes.append(.name(name)) }
      if arguments.flag("new-epoch") { changes.append(.newEpoch) }
      return try await RootVerb.change(changes, arguments, context)
    })

  static let keyThreshold = Verb(
    VerbSpec(
      ["key", "threshold"], summary: "set how many keys of a role must sign",
      options: [
        FeedVerb.feed, RootReadings.role, .option("threshold", "N", "the number of keys").required(),
        FeedVerb.allowClock,
      ] + SigningOptions.both + FeedVerb.hosting,
      manual: VerbManual(
        details: details,
        examples: [
          "parser-ota key threshold --feed feed --role root --threshold 2 --root-key root.pem --root-key spare.pem"
        ],
        exits: exits)),
    run: { arguments, context throws(CommandFailure) in
      let roles = try arguments.required("role", as: RootReadings.roles)
      let count = try arguments.required("threshold", as: Readings.count)
      return try await RootVerb.change([.threshold(count, of: roles)], arguments, context)
    })
}
