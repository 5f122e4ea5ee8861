internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let releases = Verb(
    VerbSpec(
      ["releases"], summary: "list the releases of a feed, newest first", options: [FeedVerb.feed],
      manual: VerbManual(
        examples: ["parser-ota releases --feed feed"],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let publisher = try FeedVerb.publisher(arguments, context)
      let releases = try await DeviceVerb.run { () async throws(Problem) in try await publisher.releases() }
      let message = releases.isEmpty ? "no releases yet" : "\(releases.count) releases"
      return .listing(
        "releases", message, lines: releases.map(line),
        payload: [JSONMember("releases", .array(releases.map(json)))])
    })

  private static func line(_ release: ReleaseSummary) -> String {
    var words = [
      "release \(release.version)", release.channel.name, release.released?.description ?? "no date",
    ]
    if release.isLive { words.append("live") }
    if release.isWithdrawn { words.append("withdrawn") }
    if release.content != release.version { words.append("content of \(release.content)") }
    if let notes = release.notes { words.append(notes) }
    return words.joined(separator: "  ")
  }

  private static func json(_ release: ReleaseSummary) -> JSONValue {
    .object([
      JSONMember("version", .integer(release.version.number)),
      JSONMember("channel", .string(release.channel.name)),
      JSONMember("released", release.released.map { .string($0.description) } ?? .null),
      JSONMember("content", .integer(release.content.number)), JSONMember("live", .bool(release.isLive)),
      JSONMember("withdrawn", .bool(release.isWithdrawn)),
      JSONMember("notes", release.notes.map { .string($0) } ?? .null),
      JSONMember("bundleSHA256", .string(release.bundle.sha256.hex)),
      JSONMember("bundleBytes", .integer(release.bundle.bytes)),
      JSONMember("sourcesSHA256", .string(release.sources.sha256.hex)),
      JSONMember("sourcesBytes", .integer(release.sources.bytes)),
      JSONMember("manifestSHA256", .string(release.manifestDigest.hex)),
    ])
  }
}
