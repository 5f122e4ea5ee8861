internal import OTAManifest
internal import ParserPublisher

/// A publish for people and for programs: what is new in the catalog, and what was written.
struct PublishPage {
  let lines: [String]
  let members: [JSONMember]

  init(_ report: PublishReport) {
    lines = Self.lines(report)
    members = Self.members(report)
  }

  private static func lines(_ report: PublishReport) -> [String] {
    let manifest = report.manifest
    var lines = [
      "release \(manifest.version)"
        + (manifest.content == manifest.version ? "" : " with the content of release \(manifest.content)"),
      "  bundle   \(ByteCount.text(manifest.bundle.bytes))  \(manifest.bundle.sha256.hex.prefix(12))",
      "  sources  \(ByteCount.text(manifest.sources.bytes))  \(manifest.sources.sha256.hex.prefix(12))",
    ]
    if let diff = report.diff { lines += ComparisonPage.lines(diff) }
    if let code = report.code { lines += ComparisonPage.lines(code) }
    if !manifest.withdrawn.isEmpty {
      lines.append("  withdrawn: " + manifest.withdrawn.map(\.description).joined(separator: ", "))
    }
    if !report.removedReleases.isEmpty {
      lines.append("  no longer kept: " + report.removedReleases.map(\.description).joined(separator: ", "))
    }
    return lines + (report.gate.map { GatePage($0).passedLines } ?? [])
  }

  private static func members(_ report: PublishReport) -> [JSONMember] {
    let manifest = report.manifest
    var members = [
      JSONMember("version", .integer(manifest.version.number)),
      JSONMember("previous", report.previous.map { .integer($0.number) } ?? .null),
      JSONMember("manifestSHA256", .string(report.manifestDigest.hex)), JSONMember("manifest", manifest.json),
      JSONMember("written", .array(report.writtenFiles.map { .string($0) })),
      JSONMember("noLongerKept", .array(report.removedReleases.map { .integer($0.number) })),
    ]
    if let diff = report.diff { members.append(JSONMember("catalog", ComparisonPage.json(diff))) }
    if let code = report.code { members.append(JSONMember("codeChanges", ComparisonPage.json(code))) }
    if let gate = report.gate { members.append(JSONMember("gate", .object(GatePage(gate).members))) }
    return members
  }
}
