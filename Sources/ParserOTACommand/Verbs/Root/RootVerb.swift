internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import OTATrust
internal import ParserPublisher

/// What the verbs that change a root have in common: the file of a draft, and how its state is shown.
enum RootVerb {
  static let file = PositionalSpec(name: "FILE", help: "the file that root prepare wrote", shape: .file)
  static let files = PositionalSpec(
    name: "FILE", help: "the file that root prepare wrote, or signed copies of it", count: .oneOrMore,
    shape: .file)
  private static let maxBytes = FeedLayout.maxRootBytes

  /// Reads a draft.
  static func draft(_ path: String, _ context: CommandContext) throws(CommandFailure) -> RootDraft {
    let bytes = try InputFile.read(path, option: "FILE", maxBytes: maxBytes, context)
    do {
      return try RootDraft(decoding: bytes)
    } catch {
      if let stray = StrayContent(bytes) {
        throw CommandFailure(.inputInvalid, "\(path) \(stray.message)", hint: stray.advice)
      }
      throw CommandFailure(error.code, "\(path): \(error.message)", hint: error.advice)
    }
  }

  /// Reads copies of one draft, with the signatures of all of them.
  static func joined(_ paths: [String], _ context: CommandContext) throws(CommandFailure) -> RootDraft {
    var joined: (draft: RootDraft, path: String)?
    for path in paths {
      let read = try draft(path, context)
      guard case (var all, let first)? = joined else {
        joined = (read, path)
        continue
      }
      do {
        try all.join(read)
      } catch {
        throw CommandFailure(
          .notAchieved, code: error.code.rawValue, message: "\(first) and \(path): \(error.message)",
          kept: "nothing was changed", hint: error.advice)
      }
      joined = (all, first)
    }
    guard let joined else {
      throw CommandFailure(.usage, code: "missing-argument", message: "FILE is missing")
    }
    return joined.draft
  }

  /// Writes a draft durably; a failure names the option that the path came with.
  static func write(_ draft: RootDraft, to path: String, option: String = "FILE") throws(CommandFailure) {
    do {
      try durablyReplaceFile(at: path, with: draft.encoded(), mode: 0o644)
    } catch {
      throw OutputFile.failure(error, option: option)
    }
  }

  /// Refuses a path where anything but a draft stands: what is there may be the root key itself.
  static func requireFree(_ path: String) throws(CommandFailure) {
    let bytes: [UInt8]
    do {
      bytes = try readFile(at: path, maxBytes: maxBytes)
    } catch  where error.kind == .missing {
      return
    } catch {
      throw OutputFile.failure(error, option: "--out")
    }
    do {
      _ = try RootDraft(decoding: bytes)
    } catch {
      throw OutputFile.taken(path, "and is not an unfinished root")
    }
  }

  /// Makes changes to the root of a feed, and says what became of them.
  static func change(
    _ changes: [RootChange], _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> CommandResult {
    let publisher = try FeedVerb.publisher(arguments, context)
    let folder = try draftFolder(arguments, context)
    let signers = try SigningOptions(arguments, context).requiredRootSigners()
    let date = try FeedVerb.date(context)
    let discarding =
      arguments.spec.option(named: "discard") == nil
      ? [] : Set(try arguments.values("discard", as: Readings.version))
    let outcome = try await DeviceVerb.run { () async throws(Problem) in
      try await publisher.changeRoot(changes, signers: signers, date: date, discarding: discarding)
    }
    switch outcome {
    case .committed(let report): return result(report, draft: folder).warning(of: publisher)
    case .needsSignatures(let draft, let approvals, let reason):
      let path = "\(folder)/\(draftName(draft.version))"
      try write(draft, to: path)
      throw pending(draft, approvals, (try feedName(arguments, context), path), reason: reason)
    }
  }

  /// Where a draft waits for signatures: beside the settings of a folder; for a feed on a host, where the command runs.
  static func draftFolder(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> String {
    let feed = try feedName(arguments, context)
    return HostPlace.isHost(feed) ? context.currentDirectory : "\(feed)/\(FeedLayout.privateFolder)"
  }

  private static func feedName(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> String {
    let feed = try arguments.required("feed")
    return HostPlace.isHost(feed) ? feed : context.absolutePath(feed)
  }

  private static func draftName(_ version: Int64) -> String { "\(version).root.json" }

  /// A root that is live now; its draft has done its work.
  static func result(_ report: RootReport, draft folder: String) -> CommandResult {
    // A draft that cannot be removed does no harm: its version is taken.
    _ = try? Directory.open(folder).remove(draftName(report.version))
    let isNew = !report.writtenFiles.isEmpty
    let resigned =
      report.resigned.isEmpty ? "" : "; signed again: \(report.resigned.joined(separator: ", "))"
    var result = CommandResult.outcome(
      isNew ? "committed" : "nothing-to-do",
      isNew ? "root \(report.version) is live\(resigned)" : "root \(report.version) is live already",
      lines: report.changes,
      payload: [
        JSONMember("version", .integer(report.version)), JSONMember("expires", .string("\(report.expires)")),
        JSONMember("changes", .array(report.changes.map { .string($0) })),
        JSONMember("resigned", .array(report.resigned.map { .string($0) })),
        JSONMember("discarded", .array(report.discarded.map { .integer($0.number) })),
        JSONMember("written", .array(report.writtenFiles.map { .string($0) })),
      ])
    result.warnings = report.warnings
    return result
  }

  /// A draft that is not live yet, because others must sign it or the release keys are missing: not what was asked for.
  private static func pending(
    _ draft: RootDraft, _ approvals: [RootApproval], _ places: (feed: String, draft: String), reason: String?
  ) -> CommandFailure {
    let (feed, path) = (places.feed.shellWord, places.draft)
    let missing = approvals.filter { !$0.isReached }.map {
      "root \($0.version) has \($0.signed.count) of \($0.threshold) signatures"
    }
    var failure = CommandFailure(
      .notAchieved, code: "needs-signatures",
      message: "root \(draft.version) is not live yet: "
        + (reason.map { "it is fully signed, but \($0)" } ?? missing.joined(separator: ", ")),
      kept: "the signatures so far are in \(path)",
      hint: reason == nil
        ? "parser-ota root sign \(path.shellWord) --root-key KEY on the machines of the other keys, then parser-ota root commit \(path.shellWord) --feed \(feed)"
        : "parser-ota root commit \(path.shellWord) --feed \(feed) --release-key KEY")
    failure.payload = members(draft, approvals, path)
    return failure
  }

  static func lines(_ approvals: [RootApproval]) -> [String] {
    approvals.flatMap { approval in
      [
        "root \(approval.version) asks for \(approval.threshold) of \(approval.signed.count + approval.missing.count)"
          + " root keys, \(approval.signed.count) signed"
      ]
        + approval.signed.map { "  signed   \($0)" } + approval.missing.map { "  not yet  \($0)" }
    }
  }

  static func members(_ draft: RootDraft, _ approvals: [RootApproval], _ path: String) -> [JSONMember] {
    [
      JSONMember("file", .string(path)), JSONMember("version", .integer(draft.version)),
      JSONMember("expires", .string("\(draft.root.header.expires)")),
      JSONMember(
        "approvals",
        .array(
          approvals.map { approval in
            .object([
              JSONMember("root", .integer(approval.version)),
              JSONMember("threshold", .integer(Int64(approval.threshold))),
              JSONMember("signed", .array(approval.signed.map { .string($0) })),
              JSONMember("missing", .array(approval.missing.map { .string($0) })),
            ])
          })),
    ]
  }
}
