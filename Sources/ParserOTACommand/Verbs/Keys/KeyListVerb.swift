internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

extension Verb {
  static let keyList = Verb(
    VerbSpec(
      ["key", "list"], summary: "list who may sign for a feed: roles, key ids, thresholds",
      options: [FeedVerb.feed],
      manual: VerbManual(
        examples: ["parser-ota key list --feed feed"],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let keys = try await DeviceVerb.run { () async throws(Problem) in try await publisher.keys() }
      let lines = keys.roles.flatMap { role in
        ["\(role.role.rawValue): \(role.threshold) of \(role.keyIDs.count) must sign"]
          + role.keyIDs.map { "  \($0)" }
      }
      return .answer(
        "keys", "\(keys.roles.count) roles", lines: lines,
        payload: [
          JSONMember(
            "roles",
            .array(
              keys.roles.map { role in
                .object([
                  JSONMember("role", .string(role.role.rawValue)),
                  JSONMember("threshold", .integer(Int64(role.threshold))),
                  JSONMember("keyIDs", .array(role.keyIDs.map { .string($0) })),
                ])
              }))
        ])
    })
}
