internal import OTAManifest
internal import ParserPublisher

/// A publish for people and for programs: what is new in the catalog, and what was written.
struct PublishPage {
  /// Beyond this many, changed sources are counted and not listed.
  private static let maxListed = 40

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
    if let diff = report.diff { lines += Self.lines(diff) }
    if !manifest.withdrawn.isEmpty {
      lines.append("  withdrawn: " + manifest.withdrawn.map(\.description).joined(separator: ", "))
    }
    if !report.removedReleases.isEmpty {
      lines.append("  no longer kept: " + report.removedReleases.map(\.description).joined(separator: ", "))
    }
    return lines + (report.gate.map { GatePage($0).passedLines } ?? [])
  }

  private static func lines(_ diff: CatalogDiff) -> [String] {
    var lines = [
      "  catalog  \(diff.added.count) added, \(diff.removed.count) removed, \(diff.changed.count) changed"
    ]
    lines += listed(diff.added.map { "    + \($0.text)" })
    lines += listed(diff.removed.map { "    - \($0.text)" })
    lines += listed(
      diff.changed.map { change in
        "    ~ \(change.id.text): " + change.fields.map(text).joined(separator: ", ")
      })
    return lines
  }

  private static func listed(_ lines: [String]) -> [String] {
    lines.count <= maxListed ? lines : lines.prefix(maxListed) + ["      and \(lines.count - maxListed) more"]
  }

  private static func text(_ field: CatalogDiff.FieldChange) -> String {
    func short(_ value: JSONValue) -> String {
      String(decoding: value.encoded(indented: false), as: UTF8.self).printable(maxCharacters: 40)
    }
    return "\(field.name) \(short(field.old)) -> \(short(field.new))"
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
    if let diff = report.diff { members.append(JSONMember("catalog", json(diff))) }
    if let gate = report.gate { members.append(JSONMember("gate", .object(GatePage(gate).members))) }
    return members
  }

  private static func json(_ diff: CatalogDiff) -> JSONValue {
    func ids(_ ids: [SourceID]) -> JSONValue { .array(ids.map { .string($0.text) }) }
    let changed = diff.changed.map { change in
      JSONValue.object([
        JSONMember("id", .string(change.id.text)),
        JSONMember(
          "fields",
          .array(
            change.fields.map {
              .object([
                JSONMember("name", .string($0.name)), JSONMember("old", $0.old), JSONMember("new", $0.new),
              ])
            })),
      ])
    }
    return .object([
      JSONMember("added", ids(diff.added)), JSONMember("removed", ids(diff.removed)),
      JSONMember("changed", .array(changed)),
    ])
  }
}
