internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let verify = Verb(
    VerbSpec(
      ["verify"],
      summary: "verify an entire feed the way a new device sees it: every kept release and every file",
      positionals: [
        PositionalSpec(
          name: "FILE", help: "an archive made by parser-ota export, in place of a feed; - is standard input",
          count: .optional, shape: .file)
      ],
      options: [
        .option("feed", "DIR|URL", "the feed: a folder or its public address").completing(.directory)
          .setting(unless: ["FILE"]),
        .option(
          "root", "FILE", "the root of trust that ships in apps; needed to check signatures over a network"
        )
        .completing(.file),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ],
      manual: VerbManual(
        details: [
          "Signatures, every signed file and every expiry are checked with the root, else with metadata/1.root.json of a folder. An unsigned feed is checked by its checksums.",
          "Ends with 3 when something is wrong with the content, and with 0 when there are only warnings.",
        ],
        examples: [
          "parser-ota verify --feed feed", "parser-ota verify --feed https://parsers.example/feed/",
          "parser-ota verify --feed https://parsers.example/feed/ --root app/root.json",
          "parser-ota verify release.tar.zst --root app/root.json",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      if let reading = try await HostReading.begin(arguments, context) {
        return try await reading.read { (feed) async throws(CommandFailure) in
          try await verify(feed, arguments, context)
        }
      }
      return try await verify(try location(arguments, context), arguments, context)
    })

  private static func verify(
    _ feed: FeedLocation, _ arguments: ParsedArguments, _ context: CommandContext
  ) async throws(CommandFailure) -> CommandResult {
    var rootBytes: [UInt8]?
    if case .root(let bytes)? = try TrustChoice.given(arguments, context) { rootBytes = bytes }
    let root = rootBytes
    let allowsHTTP = arguments.flag("allow-http-loopback")
    let report = try await DeviceVerb.run { () async throws(Problem) in
      try await Publisher.audit(feed, root: root, allowsPlainHTTPOnLoopback: allowsHTTP)
    }
    return try result(report, feed)
  }

  private static func location(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> FeedLocation {
    guard let file = arguments.positional("FILE") else {
      return try InputArchive.feed(
        try arguments.required("feed", as: Readings.feed), option: "--feed", context)
    }
    guard !arguments.flag("feed") else { throw arguments.usage(.refusedTogether("FILE", "--feed")) }
    return .archive(try InputArchive.read(file, option: "FILE", context))
  }

  private static func result(_ report: AuditReport, _ feed: FeedLocation) throws(CommandFailure)
    -> CommandResult
  {
    let errors = report.findings.filter { $0.severity == .error }
    let summary =
      "\(releases(report, feed)), \(report.filesChecked) files, \(ByteCount.text(report.bytesChecked)) checked"
      + (report.trust.rootVersion == nil ? "" : "; \(TrustPage(report.trust).summary)")
    let payload =
      [
        JSONMember("feed", .string(feed.text)),
        JSONMember("releases", .array(report.releases.map { .integer($0.number) })),
        JSONMember("filesChecked", .integer(Int64(report.filesChecked))),
        JSONMember("bytesChecked", .integer(report.bytesChecked)),
        JSONMember("findings", .array(report.findings.map(json))),
      ] + TrustPage(report.trust).members
    if let first = errors.first {
      var failure = unreadable(errors, feed) ?? damaged(errors, first, feed)
      failure.payload = payload
      if report.findings.count > 1 { failure.details = rows(report.findings).lines(limit: 20) }
      throw failure
    }
    let verdict =
      report.releases.isEmpty ? "\(feed.text) has no release yet" : "\(feed.text) is whole: \(summary)"
    var result = CommandResult.answer("verified", verdict, lines: [verdict], payload: payload)
    result.warnings = report.findings.map { "\($0.place): \($0.message)" }
    return result.warning(report.trust.rootVersion == nil ? Trust.checksumsOnly.warning : nil)
  }

  private static func releases(_ report: AuditReport, _ feed: FeedLocation) -> String {
    if case .archive(let archive) = feed { return "release \(archive.manifest.version)" }
    return "\(report.releases.count) releases"
  }

  private static func hint(for errors: [AuditFinding], of feed: FeedLocation) -> String {
    let isExpired = { (finding: AuditFinding) in finding.code == ProblemCode.trustExpired.rawValue }
    if errors.contains(where: { isExpired($0) && $0.place.hasSuffix(".root.json") }) {
      return
        "parser-ota root prepare --feed \(folder(feed)) --out next.root.json, then root sign and root commit with the root keys"
    }
    return switch errors.first?.code {
    case ProblemCode.trustExpired.rawValue where feed.isArchive: "export the release again from its feed"
    case ProblemCode.trustExpired.rawValue:
      "renew the signatures: parser-ota refresh --feed \(folder(feed))"
    case "dated-ahead":
      "set the clock of this machine if it is wrong; else take the release out: parser-ota root prepare --new-epoch; parser-ota root commit --discard N"
    case ProblemCode.hostAnswersEverything.rawValue: "change the settings of the host, then verify again"
    case ProblemCode.unexpectedEncoding.rawValue:
      "upload the files without Content-Encoding and switch compression off, then verify again"
    default: hint(feed)
    }
  }

  private static func damaged(
    _ errors: [AuditFinding], _ first: AuditFinding, _ feed: FeedLocation
  ) -> CommandFailure {
    CommandFailure(
      .untrustedContent, code: first.code,
      message: errors.count == 1
        ? "\(feed.text): \(first.place): \(first.message)" : "\(feed.text): \(errors.count) errors",
      kept: "nothing was changed",
      hint: hint(for: errors, of: feed))
  }

  /// The failure when nothing is wrong but that files may not be read: then nobody needs to publish again.
  private static func unreadable(_ errors: [AuditFinding], _ feed: FeedLocation) -> CommandFailure? {
    guard case .directory = feed, let first = errors.first,
      errors.allSatisfy({ ProblemCode(rawValue: $0.code)?.responsibility == .notPermitted })
    else { return nil }
    return CommandFailure(
      .notPermitted, code: first.code,
      message: errors.count == 1
        ? "\(feed.text): \(first.place) cannot be read: \(first.message)"
        : "\(feed.text): \(errors.count) files cannot be read",
      kept: "nothing was changed", hint: "let this user read the files that are named, then verify again")
  }

  /// The folder of a feed in a hint; over a network it is not known.
  private static func folder(_ feed: FeedLocation) -> String {
    if case .directory(let path) = feed { path.shellWord } else { "DIR" }
  }

  private static func rows(_ findings: [AuditFinding]) -> FindingRows {
    var rows = FindingRows()
    for finding in findings {
      let word = finding.severity == .error ? "error" : "warning"
      rows.add(finding.code, word, "\(finding.place): \(finding.message)")
    }
    return rows
  }

  /// The command that mends what is wrong, where that can be done.
  private static func hint(_ feed: FeedLocation) -> String {
    switch feed {
    case .directory(let path):
      "parser-ota repair --feed \(path) restores what is named, from a copy with --from DIR|URL"
    case .archive: "export the release again from its feed"
    case .web: "run parser-ota repair on the folder that is deployed there, then deploy it again"
    }
  }

  private static func json(_ finding: AuditFinding) -> JSONValue {
    .object([
      JSONMember("severity", .string(finding.severity == .error ? "error" : "warning")),
      JSONMember("code", .string(finding.code)), JSONMember("place", .string(finding.place)),
      JSONMember("message", .string(finding.message)),
    ])
  }
}

extension FeedLocation {
  /// Whether this is an archive rather than a feed.
  fileprivate var isArchive: Bool { if case .archive = self { true } else { false } }
}
