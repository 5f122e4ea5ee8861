public import OTAFeed
public import OTAManifest

/// Two releases side by side: what the second changes.
public struct ReleaseComparison: Sendable {
  /// One of the two.
  public struct Side: Sendable {
    /// What people call it: `release 36`, or a path.
    public let name: String
    /// Its manifest; `nil` for files that are no release.
    public let manifest: Manifest?
    /// The size of the bundle in bytes.
    public let bundleBytes: Int64
    /// The size of the catalog in bytes.
    public let sourcesBytes: Int64
    /// The number of its sources.
    public let sourceCount: Int
  }

  /// The first one.
  public let old: Side
  /// The second one.
  public let new: Side
  /// What changed in the catalog.
  public let catalog: CatalogDiff
  /// What changed in the code.
  public let code: CodeDiff
  /// Findings of the gate that only the second has; `nil` when the gate was not asked.
  public let newFindings: [Finding]?
  /// Findings of the gate that only the first has.
  public let goneFindings: [Finding]?

  /// Whether nothing that devices run differs.
  public var isEmpty: Bool { catalog.isEmpty && code.isEmpty }

  /// Compares two releases.
  ///
  /// - Parameter gate: what both are shown to; `nil` leaves findings out.
  public init(from old: ComparedRelease, to new: ComparedRelease, gate: ReleaseGate? = nil)
    async throws(Problem)
  {
    (self.old, self.new) = (old.side, new.side)
    catalog = CatalogDiff(from: old.inputs.catalog, to: new.inputs.catalog)
    code = try CodeDiff(
      from: old.inputs.bundle, old.inputs.catalog, to: new.inputs.bundle, new.inputs.catalog)
    guard let gate else {
      (newFindings, goneFindings) = (nil, nil)
      return
    }
    let before = await old.findings(gate)
    let after = old.inputs.pair == new.inputs.pair ? before : await new.findings(gate)
    let (left, right) = (Set(before.map(\.fingerprint)), Set(after.map(\.fingerprint)))
    newFindings = after.filter { !left.contains($0.fingerprint) }
    goneFindings = before.filter { !right.contains($0.fingerprint) }
  }
}

/// A release on its way into a comparison: its two files, verified where a manifest speaks for them.
public struct ComparedRelease: Sendable {
  /// What people call it.
  public let name: String
  let manifest: Manifest?
  let inputs: ReleaseInputs

  var side: ReleaseComparison.Side {
    ReleaseComparison.Side(
      name: name, manifest: manifest, bundleBytes: Int64(inputs.bundle.count),
      sourcesBytes: Int64(inputs.sources.count), sourceCount: inputs.catalog.entries.count)
  }

  /// Two files that are no release yet.
  public init(bundlePath: String, sourcesPath: String, name: String) throws(Problem) {
    (self.name, manifest) = (name, nil)
    inputs = try ReleaseInputs(bundlePath: bundlePath, sourcesPath: sourcesPath)
  }

  /// The newest release of a channel.
  public init(
    live channel: Channel, of location: FeedLocation, trust: Trust?, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    let trust = try await reader.usedTrust(trust)
    let live = try await trust.authority.newestManifest(of: channel, from: reader)
    try await self.init(live.manifest, reader)
  }

  /// A release by its number, of any channel, as far as the feed keeps it.
  public init(
    _ version: ReleaseVersion, of location: FeedLocation, trust: Trust?, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    let trust = try await reader.usedTrust(trust)
    let newest = try await trust.authority.newestManifest(of: .stable, from: reader)
    var kept = [newest] + (try await ReleaseChain.before(newest.manifest, reader))
    if case .directory(let root) = location {
      kept += try await FeedState.read(from: DirectoryHost(root: root), place: root).releases
    }
    guard let found = kept.first(where: { $0.manifest.version == version }) else {
      throw Problem(
        .noSuchRelease, "\(location.text) keeps no release \(version)",
        advice: "parser-ota releases lists those that are there")
    }
    try await self.init(found.manifest, reader)
  }

  init(_ manifest: Manifest, _ reader: FeedReader) async throws(Problem) {
    let content = ReleaseContent(reader: reader)
    name = "release \(manifest.version)"
    self.manifest = manifest
    inputs = try ReleaseInputs(
      bundle: try await content.bytes(of: .bundle, in: manifest),
      sources: try await content.bytes(of: .sources, in: manifest), name: name)
  }

  init(_ manifest: Manifest, _ lookup: ContentLookup) async throws(Problem) {
    name = "release \(manifest.version)"
    self.manifest = manifest
    inputs = try ReleaseInputs(
      bundle: try await lookup.bytes(of: .bundle, in: manifest),
      sources: try await lookup.bytes(of: .sources, in: manifest), name: name)
  }

  /// What the gate has to say about the release alone.
  func findings(_ gate: ReleaseGate) async -> [Finding] {
    var gate = gate
    gate.requiresEngine = false
    let candidate = GateCandidate(
      inputs, bundleName: "parsers.bundle.js", sourcesName: "sources.json", aliases: manifest?.aliases ?? [])
    return await gate.check(candidate, against: nil).findings
  }
}

extension Publisher {
  /// What a roll back from one release of this feed to another changes.
  public func compare(
    _ old: ReleaseVersion, with new: ReleaseVersion
  ) async throws(Problem) -> ReleaseComparison {
    let state = try await readState()
    func side(_ version: ReleaseVersion) async throws(Problem) -> ComparedRelease {
      guard let found = state.releases.first(where: { $0.manifest.version == version }) else {
        throw Problem(.noSuchRelease, "the feed keeps no release \(version)")
      }
      return try await ComparedRelease(found.manifest, lookup)
    }
    return try await ReleaseComparison(from: side(old), to: side(new))
  }
}
