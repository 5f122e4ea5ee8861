internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let check = Verb(
    VerbSpec(
      ["check"], summary: "say whether a bundle and a catalog may go out, and what is wrong with them",
      options: [
        FeedVerb.bundle, FeedVerb.sources,
        .option(
          "against", "DIR|URL|FILE", "the feed whose live release it is compared with, or an archive of one"
        ).completing(.file).setting("feed"),
        FeedVerb.channel.setting(with: ["against"]),
        .option("root", "FILE", "the root of trust of that feed; a folder's own first root when left out")
          .completing(.file).setting(with: ["against"]),
        .flag("checksums-only", "that feed is not signed: sizes and digests are checked, nothing more"),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
        GateOptions.alias, GateOptions.aliases, GateOptions.allowRemoved,
      ] + GateOptions.all + [
        .flag("coverage", "say how much of each family's code ran on made-up pages, and where it did not"),
        .option("sarif", "FILE", "write the findings as SARIF 2.1.0, for code scanning").completing(.file),
        .option("junit", "FILE", "write the checks as JUnit XML, for test reports").completing(.file),
      ],
      manual: VerbManual(
        details: [
          "Looks at the two files, runs the bundle in parser-ota-engine, and compares with the live release. Ends with 1"
            + " when something refuses the release, with 3 when a file cannot be one of a release, and with 0 when there are"
            + " only warnings. A table of findings on standard output, the verdict on standard error. Checks that could not run are"
            + " named; publish refuses without an engine, unless told --allow no-engine. In a GitHub workflow the findings"
            + " become annotations."
        ],
        examples: [
          "parser-ota check --bundle parsers.bundle.js --sources sources.json --against feed",
          "parser-ota check --bundle parsers.bundle.js --sources sources.json --coverage",
          "parser-ota check --bundle parsers.bundle.js --sources sources.json --sarif findings.sarif --allow no-engine",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      var gate = try GateOptions.gate(arguments, context)
      gate.allowances += arguments.values("allow-removed").map { Allowance(.idsRemoved, $0) }
      let request = try checkRequest(arguments, context)
      let report = try await DeviceVerb.run { () async throws(Problem) in try await gate.check(request) }
      try write(report, arguments, context)
      GateOptions.annotate(report, context)
      return result(report, saysCoverage: arguments.flag("coverage"))
    })

  private static func checkRequest(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> CheckRequest {
    let bundle = try arguments.required("bundle")
    let sources = try arguments.required("sources")
    var request = CheckRequest(
      bundlePath: context.absolutePath(bundle), sourcesPath: context.absolutePath(sources))
    (request.bundleName, request.sourcesName) = (bundle, sources)
    request.aliases = try GateOptions.aliases(arguments, context)
    request.against = try feed(arguments, context)
    return request
  }

  /// The feed to compare with, and how it is authenticated.
  private static func feed(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> CheckRequest.Feed? {
    guard let named = try arguments.value("against", as: Readings.feed) else {
      for option in ["root", "checksums-only", "channel"] where arguments.flag(option) {
        throw arguments.usage(.missingOneOf(["--against DIR|URL"]))
      }
      return nil
    }
    try arguments.refuseTogether("root", "checksums-only")
    let location = try InputArchive.feed(named, option: "--against", context)
    let trust = arguments.flag("checksums-only") ? .checksumsOnly : try TrustChoice.given(arguments, context)
    if trust == nil, case .web = location {
      throw arguments.usage(.missingOneOf(["--root FILE", "--checksums-only"]))
    }
    var channel = try FeedVerb.channel(arguments)
    if case .archive(let archive) = location, !arguments.isGiven("channel") {
      channel = archive.manifest.channel
    }
    var feed = CheckRequest.Feed(location, trust: trust, channel: channel)
    feed.allowsPlainHTTPOnLoopback = arguments.flag("allow-http-loopback")
    return feed
  }

  private static func write(
    _ report: GateReport, _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) {
    for (option, bytes) in [("sarif", SARIFDocument(report).bytes), ("junit", JUnitDocument(report).bytes)] {
      guard let path = arguments.value(option) else { continue }
      try ReportFile.write(bytes, to: context.absolutePath(path), option: "--\(option)")
    }
  }

  private static func result(_ report: GateReport, saysCoverage: Bool) -> CommandResult {
    let page = GatePage(report)
    let refusal: ProblemCode? =
      !report.isRefused
      ? nil : report.refusals.contains { $0.code == .input } ? .inputInvalid : .gateRefused
    var result = CommandResult.answer(
      refusal?.rawValue ?? "passed", report.summary,
      lines: page.lines + (saysCoverage ? page.coverageLines : []),
      payload: page.members + (saysCoverage ? [page.coverageMember] : []))
    if let refusal { result.status = ExitStatus(refusal.responsibility) }
    // The findings are the answer; the verdict is said once, beside them.
    result.messageGoes = .spoken
    result.warnings = page.notRunWarnings
    return result
  }
}
