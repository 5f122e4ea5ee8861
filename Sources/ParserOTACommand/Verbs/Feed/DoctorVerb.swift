internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let doctor = Verb(
    VerbSpec(
      ["doctor"], summary: "examine how a host serves a feed, and say what to change there",
      options: [
        .option(
          "feed", "URL|DIR", "the public address of the feed's folder, or the folder before it is deployed"
        )
        .completing(.directory).required(),
        .option(
          "root", "FILE", "the root that ships in apps; with it signatures and every file are checked too"
        )
        .completing(.file),
        .option("mirror", "URL", "a copy of the feed whose state is compared with it").repeatable(),
      ],
      manual: VerbManual(
        details: [
          "Asks for the files of the newest release the way devices do, for a name that cannot exist, for a part of a file,"
            + " again with an entity tag, and over IPv4 and IPv6 apart. Some twenty requests; nothing is changed.",
          "Each finding has a stable code, whom it hurts, and the remedy for that host. Ends with 1 when devices are hurt,"
            + " and with 0 when there are only warnings and notes.",
        ],
        examples: [
          "parser-ota doctor --feed https://parsers.example/feed/",
          "parser-ota doctor --feed https://parsers.example/feed/ --root app/root.json --json",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      var root: [UInt8]?
      if case .root(let bytes)? = try TrustChoice.given(arguments, context) { root = bytes }
      let feed = try InputArchive.feed(
        try arguments.required("feed", as: Readings.feed), option: "--feed", context)
      let mirrors = try arguments.values("mirror", as: Readings.address)
      let ownRoot = root
      let report = try await DeviceVerb.run { () async throws(Problem) in
        if case .web(let address) = feed {
          return try await HostExamination(address, root: ownRoot, mirrors: mirrors).run()
        }
        return try await FolderExamination(feed.text).run()
      }
      return DoctorPage(report, checksSignatures: root != nil || !report.isOfHost).result
    })
}

/// What a host does with a feed, for people and for programs.
private struct DoctorPage {
  let report: HostReport
  let checksSignatures: Bool

  init(_ report: HostReport, checksSignatures: Bool) {
    self.report = report
    self.checksSignatures = checksSignatures
  }

  var result: CommandResult {
    var result = CommandResult.answer(
      report.isSound ? "sound" : "unsound", message, lines: lines, payload: payload)
    result.status = report.isSound ? .done : .notAchieved
    if !checksSignatures {
      result.hint = "add --root FILE, the root that ships in apps, to check signatures and every file too"
    }
    return result
  }

  private var message: String {
    let counts = HostFinding.Severity.allCases.map { severity in
      let count = report.findings.count { $0.severity == severity }
      return "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let verdict = report.isSound ? "devices can update from" : "devices are hurt by"
    let place = report.isOfHost ? "\(report.address) (\(report.host.rawValue))" : report.address
    return "\(verdict) \(place): \(counts.joined(separator: ", "))"
  }

  private var lines: [String] {
    var lines = [message]
    for finding in report.findings {
      lines += [
        "", "\(finding.severity.rawValue)  \(finding.code.rawValue)  \(finding.place)",
        "  \(finding.message)",
        "  hurts:  \(finding.hurts)", "  remedy: \(finding.remedy)",
      ]
    }
    guard report.isOfHost else { return lines }
    let sizes = report.wireBytes.sorted { $0.key < $1.key }
    lines += [
      "",
      "on the wire: " + sizes.map { "\($0.key) \(ByteCount.text(Int64($0.value)))" }.joined(separator: ", "),
    ]
    for role in report.trust?.roles ?? [] {
      lines.append("\(role.name) \(role.version) expires \(role.expires)")
    }
    return lines
  }

  private var payload: [JSONMember] {
    [
      JSONMember("feed", .string(report.address)), JSONMember("host", .string(report.host.rawValue)),
      JSONMember("findings", .array(report.findings.map(Self.json))),
      JSONMember(
        "wireBytes",
        .object(
          report.wireBytes.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer(Int64($0.value))) })),
      JSONMember(
        "expires",
        .object((report.trust?.roles ?? []).map { JSONMember($0.name, .string("\($0.expires)")) })),
    ]
  }

  private static func json(_ finding: HostFinding) -> JSONValue {
    .object([
      JSONMember("severity", .string(finding.severity.rawValue)),
      JSONMember("code", .string(finding.code.rawValue)),
      JSONMember("place", .string(finding.place)), JSONMember("message", .string(finding.message)),
      JSONMember("hurts", .string(finding.hurts)), JSONMember("remedy", .string(finding.remedy)),
    ])
  }
}
