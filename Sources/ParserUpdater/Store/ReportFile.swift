internal import OTAManifest
internal import OTAStorage

/// What apps reported of calls, in `reports.json`: the running release and the last good one. Losing it loses no release.
struct ReportFile {
  static let name = "reports.json"
  private static let maxBytes = 256 << 10
  private static let maxReleases = 2

  /// The tally of a release, and what of it is broken here.
  struct Entry: Equatable, Sendable {
    let manifest: Digest
    var tally: CallTally
    var broken: [String] = []
  }

  let root: Directory

  /// The entries, the newest first; none when there is no file, or one that cannot be read.
  func read() -> [Entry] {
    do {
      let bytes = try root.read(Self.name, maxBytes: Self.maxBytes)
      let object = try JSONObject(JSONReader.read(bytes, maxBytes: Self.maxBytes, maxDepth: 6))
      _ = try object.integer("format", in: 1...1)
      return try object.array("releases").prefix(Self.maxReleases).enumerated().map { index, item in
        try Self.entry(JSONObject(item, path: "releases[\(index)]"))
      }
    } catch {
      // Counts begin anew: a release is judged by fewer calls, and by no wrong ones.
      return []
    }
  }

  private static func entry(_ object: JSONObject) throws(InputError) -> Entry {
    var tally = CallTally()
    let sources = try object.object("sources")
    for member in sources.members.prefix(CallTally.maxSources) {
      let counts = try sources.array(member.key).map { (item) throws(InputError) in
        try JSONObject.integer(item, path: member.key, in: 0...Int64(CallTally.maxCalls))
      }
      guard counts.count == 3 else { continue }
      tally.sources[member.key] = .init(
        parsed: Int(counts[0]), empty: Int(counts[1]), errors: Int(counts[2]))
    }
    var broken: [String] = []
    for item in try object.optional("broken", object.array) ?? [] {
      if case .string(let source) = item { broken.append(source) }
    }
    return Entry(manifest: try object.digest("manifest"), tally: tally, broken: broken)
  }

  /// Replaces the file.
  func write(_ entries: [Entry]) throws(StorageError) {
    let releases = entries.prefix(Self.maxReleases).map { entry in
      JSONValue.object([
        JSONMember("manifest", .string(entry.manifest.hex)),
        JSONMember(
          "sources",
          .object(
            entry.tally.sources.sorted { $0.key < $1.key }.map { source, counts in
              JSONMember(
                source, .array([counts.parsed, counts.empty, counts.errors].map { .integer(Int64($0)) }))
            })),
        JSONMember("broken", .array(entry.broken.map { .string($0) })),
      ])
    }
    let value = JSONValue.object([
      JSONMember("format", .integer(1)), JSONMember("releases", .array(releases)),
    ])
    try root.replace(Self.name, with: value.encoded(indented: false))
  }
}
