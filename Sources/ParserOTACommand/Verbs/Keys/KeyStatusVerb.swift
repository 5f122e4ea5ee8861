internal import OTACrypto
internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

extension Verb {
  static let keyStatus = Verb(
    VerbSpec(
      ["key", "status"],
      summary: "show when signatures expire, who signed what, and what given keys may sign",
      options: [
        FeedVerb.feed,
        .option("public", "FILE", "a public key to look for").completing(.file).repeatable(),
      ] + SigningOptions.both,
      manual: VerbManual(
        details: ["Looks for the given keys in the roles. Nothing is signed."],
        examples: [
          "parser-ota key status --feed feed", "parser-ota key status --feed feed --public release.pem.pub",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      var given = try SigningOptions(arguments, context).allSigners().map(\.publicKey)
      for path in arguments.values("public") {
        given.append(try KeyFile.publicKey(path, option: "--public", context))
      }
      let keys = try await DeviceVerb.run { () async throws(Problem) in try await publisher.keys() }
      let now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
      var held: [(id: String, roles: [String])] = []
      for key in given {
        let id = try KeyPage(key).id
        held.append((id, keys.roles.filter { $0.keyIDs.contains(id) }.map(\.role.rawValue)))
      }
      return result(keys, held, now)
    })

  private static func result(
    _ keys: FeedKeys, _ held: [(id: String, roles: [String])], _ now: Timestamp
  ) -> CommandResult {
    let feed = [
      "feed \(keys.feedName ?? "without a name"), epoch \(keys.epoch)"
    ]
    let roles = keys.roles.flatMap { role in
      [
        "\(role.role.rawValue) \(role.version): expires \(role.expires), \(left(role.expires, now));"
          + " signed by \(role.signedBy.count) of \(role.keyIDs.count) keys (\(role.threshold) required)"
      ] + role.signedBy.map { "  \($0)" }
    }
    let lines = held.map {
      "key \($0.id): \($0.roles.isEmpty ? "no role" : $0.roles.joined(separator: ", "))"
    }
    var result = CommandResult.answer(
      "key-status", "the state of \(keys.roles.count) roles", lines: feed + roles + lines,
      payload: [
        JSONMember("feedName", keys.feedName.map { .string($0) } ?? .null),
        JSONMember("epoch", .integer(keys.epoch)),
        JSONMember("roles", .array(keys.roles.map { json($0, now) })),
        JSONMember("needsRefresh", .bool(keys.needsRefresh)),
        JSONMember(
          "givenKeys",
          .array(
            held.map {
              .object([
                JSONMember("keyID", .string($0.id)),
                JSONMember("roles", .array($0.roles.map { .string($0) })),
              ])
            })),
      ])
    result.warnings = warnings(keys, now)
    return result
  }

  private static func json(_ role: FeedKeys.Role, _ now: Timestamp) -> JSONValue {
    .object([
      JSONMember("role", .string(role.role.rawValue)), JSONMember("version", .integer(role.version)),
      JSONMember("expires", .string("\(role.expires)")),
      JSONMember("daysLeft", .integer(daysLeft(role.expires, now))),
      JSONMember("nearEnd", .bool(role.isNearEnd)), JSONMember("threshold", .integer(Int64(role.threshold))),
      JSONMember("keyIDs", .array(role.keyIDs.map { .string($0) })),
      JSONMember("signedBy", .array(role.signedBy.map { .string($0) })),
    ])
  }

  private static func warnings(_ keys: FeedKeys, _ now: Timestamp) -> [String] {
    var warnings = keys.roles.filter(\.isNearEnd).map { role in
      let remedy =
        role.role == .root
        ? "only the root keys can renew it: parser-ota root prepare --feed DIR --out next.root.json"
        : "run parser-ota refresh with the release keys"
      return
        "\(role.role.rawValue) \(now < role.expires ? "expires" : "expired") at \(role.expires): \(remedy)"
    }
    if keys.feedName == nil {
      warnings.append(
        "the feed has no name, so another feed of the same keys passes for it: parser-ota root prepare --feed DIR"
          + " --name NAME --out next.root.json")
    }
    if keys.needsRefresh {
      warnings.append("the newest root replaced keys: run parser-ota refresh with the release keys it names")
    }
    return warnings
  }

  /// Whole days, negative when the moment is past.
  private static func daysLeft(_ moment: Timestamp, _ now: Timestamp) -> Int64 {
    Int64((Double(moment.secondsSinceEpoch - now.secondsSinceEpoch) / 86_400).rounded(.down))
  }

  private static func left(_ moment: Timestamp, _ now: Timestamp) -> String {
    let days = daysLeft(moment, now)
    return now < moment ? "\(days) days left" : "expired"
  }
}
