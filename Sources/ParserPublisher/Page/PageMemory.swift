internal import OTAManifest

/// What the page remembers of releases, since their files alone do not say it: what each changed, and what the checks said.
///
/// It stands in the private folder of the feed. Without it the page says less; nothing else depends on it.
struct PageMemory: Equatable, Sendable {
  /// One release.
  struct Record: Equatable, Sendable {
    var changes: [String]
    var checks: [String]
  }

  static let maxBytes = 8 << 20
  private static let format: Int64 = 1
  private static let maxLines = 60

  /// By the digests of manifests.
  private(set) var releases: [String: Record] = [:]
  /// For each channel, the release that changed a source last, by its id.
  private(set) var changed: [String: [String: Int64]] = [:]

  init() {}

  /// Reads the file; what cannot be read is forgotten, since it only makes the page shorter.
  init(decoding bytes: [UInt8]?) {
    guard let bytes else { return }
    do {
      try read(JSONObject(JSONReader.read(bytes, maxBytes: Self.maxBytes)))
    } catch {
      self = PageMemory()
    }
  }

  private mutating func read(_ object: JSONObject) throws(InputError) {
    guard try object.integer("format") == Self.format else { return }
    for member in try object.object("releases").members {
      let record = try JSONObject(member.value)
      releases[member.key] = Record(
        changes: Self.texts(try record.array("changes")), checks: Self.texts(try record.array("checks")))
    }
    for member in try object.object("changed").members {
      var versions: [String: Int64] = [:]
      for source in try JSONObject(member.value).members {
        versions[source.key] = try JSONObject.integer(source.value, path: source.key)
      }
      changed[member.key] = versions
    }
  }

  private static func texts(_ values: [JSONValue]) -> [String] {
    values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Takes note of a release.
  mutating func learn(_ news: ReleaseNews, of release: Manifest, digest: Digest) {
    releases[digest.hex] = Record(
      changes: Self.limited(news.lines), checks: news.checks.map { [$0] } ?? [])
    for id in news.touched {
      changed[release.channel.name, default: [:]][id] = release.version.number
    }
  }

  private static func limited(_ lines: [String]) -> [String] {
    lines.count <= maxLines ? lines : lines.prefix(maxLines) + ["and \(lines.count - maxLines) more"]
  }

  /// Forgets releases that are gone and sources that the catalogs no longer have.
  mutating func keep(releases kept: Set<String>, sources ids: Set<String>, of channel: String) {
    releases = releases.filter { kept.contains($0.key) }
    changed[channel] = changed[channel]?.filter { ids.contains($0.key) }
  }

  /// The same bytes for the same memory.
  func encoded() -> [UInt8] {
    func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    let records = releases.sorted { $0.key < $1.key }.map { key, record in
      JSONMember(
        key,
        .object([
          JSONMember("changes", texts(record.changes)), JSONMember("checks", texts(record.checks)),
        ]))
    }
    let changes = changed.sorted { $0.key < $1.key }.map { channel, versions in
      JSONMember(
        channel, .object(versions.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer($0.value)) }))
    }
    return JSONValue.object([
      JSONMember("format", .integer(Self.format)), JSONMember("releases", .object(records)),
      JSONMember("changed", .object(changes)),
    ]).encoded(indented: false)
  }
}

/// What is new about a release that goes out, for the page.
struct ReleaseNews: Sendable {
  /// What changed, a line each.
  let lines: [String]
  /// The ids of the sources that it adds or changes, their code included.
  let touched: [String]
  /// What the checks said; `nil` when none ran.
  let checks: String?

  /// - Parameter first: the catalog of the first release of a channel, whose sources are all new.
  init(
    _ catalog: CatalogDiff?, _ code: CodeDiff?, _ gate: GateReport?, first: SourceCatalog? = nil
  ) {
    var lines: [String] = []
    lines += (catalog?.added ?? []).map { "added \($0.text)" }
    lines += (catalog?.removed ?? []).map { "removed \($0.text)" }
    lines += (catalog?.changed ?? []).map { change in
      "changed \(change.id.text): " + change.fields.map(Self.text).joined(separator: ", ")
    }
    lines += (code?.families ?? []).map { "code of \($0.name): \($0.sources.count) sources" }
    if code?.isSharedCodeChanged == true { lines.append("shared code: any source may be touched") }
    self.lines = lines
    touched =
      (first?.entries ?? []).map(\.id.text) + (catalog?.added ?? []).map(\.text)
      + (catalog?.changed ?? []).map(\.id.text)
      + (code?.touched ?? []).map(\.text)
    checks = gate.map(\.summary)
  }

  private static func text(_ field: CatalogDiff.FieldChange) -> String {
    func short(_ value: JSONValue) -> String {
      String(decoding: value.encoded(indented: false), as: UTF8.self).printable(maxCharacters: 60)
    }
    return field.name == "domain"
      ? "moved from \(short(field.old)) to \(short(field.new))" : field.name
  }
}
