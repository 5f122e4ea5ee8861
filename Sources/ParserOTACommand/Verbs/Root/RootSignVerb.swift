internal import OTAManifest
internal import OTATrust
internal import ParserPublisher

extension Verb {
  static let rootSign = Verb(
    VerbSpec(
      ["root", "sign"], summary: "add your signature to the next root; needs no feed and no network",
      positionals: [RootVerb.file],
      options: [
        .option("previous", "FILE", "the root before, to see what changes and whose signatures are missing")
          .completing(.file)
      ] + SigningOptions.root,
      manual: VerbManual(
        details: [
          "Each holder may sign a copy of the file, at the same time: parser-ota root commit takes all copies.",
          "Look at the changes before you sign: enough root keys decide everything about the feed. Without --previous,"
            + " only what the file itself says can be shown.",
        ],
        examples: [
          "parser-ota root sign next.root.json --root-key root.pem --previous feed/metadata/1.root.json"
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      guard let file = arguments.positional("FILE") else { throw arguments.usage(.missingArgument("FILE")) }
      let draft = try RootVerb.draft(file, context)
      var previous: Root?
      if let path = arguments.value("previous") { previous = try RootVerb.draft(path, context).root }
      if let previous, previous.version + 1 != draft.version {
        throw CommandFailure(
          .inputRefused,
          "--previous has version \(previous.version), and \(file) has version \(draft.version)",
          hint: "give the root with version \(draft.version - 1)")
      }
      let options = SigningOptions(arguments, context)
      let signers = try options.signers(.root) + [options.commandSigner()].compactMap(\.self)
      guard !signers.isEmpty else { throw arguments.usage(.missingOneOf(["--root-key", "--sign-with"])) }
      return try await sign(draft, signers, previous, path: context.absolutePath(file))
    })

  private static func sign(
    _ unsigned: RootDraft, _ signers: [any MetadataSigner], _ previous: Root?, path: String
  ) async throws(CommandFailure) -> CommandResult {
    let (draft, signed) = try await DeviceVerb.run { () async throws(Problem) in
      var draft = unsigned
      let signed = try await draft.sign(with: signers, previous: previous)
      return (draft, signed)
    }
    guard !signed.isEmpty else {
      throw CommandFailure(
        .notAchieved, code: ProblemCode.keyNotTrusted.rawValue,
        message: "none of the given keys is a root key of version \(draft.version) or of the one before",
        kept: "the file is as it was", hint: "parser-ota key public --key FILE --json shows the id of a key")
    }
    try RootVerb.write(draft, to: path)
    let approvals = try DeviceVerb.run { () throws(Problem) in try draft.approvals(previous: previous) }
    let changes = previous.map { draft.root.changes(since: $0) } ?? []
    var result = CommandResult.outcome(
      "signed", "root \(draft.version) is signed by \(signed.joined(separator: ", "))",
      lines: changes + RootVerb.lines(approvals),
      payload: RootVerb.members(draft, approvals, path) + [
        JSONMember("signedNow", .array(signed.map { .string($0) })),
        JSONMember("changes", .array(changes.map { .string($0) })),
      ])
    if previous == nil {
      result.warnings = ["without --previous it is not known what this root changes"]
    }
    return result
  }
}
