internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// What the page of a feed says, before it is a page: everything in it may be hostile text.
struct FeedPageModel: Equatable, Sendable {
  /// The newest release of a channel.
  struct Live: Equatable, Sendable {
    let channel: String
    let version: Int64
    let released: String?
    let notes: String?
    /// The release whose content it has; `nil` for its own.
    let content: Int64?
    let contract: Int64?
    let minimumAppVersion: String?
    let withdrawn: [Int64]
    /// The address of its manifest: absolute with a base URL, else relative to the page.
    let address: String
  }

  /// One source of the catalog.
  struct Source: Equatable, Sendable {
    let id: String
    let title: String
    let locale: String
    let family: String
    let domain: String
    let isNsfw: Bool
    /// What is said of its state: `ok`, `degraded`, `broken` or `moved`.
    var state = "ok"
    /// What an advisory says of it.
    var advisory: String?
    /// The release that changed it last; `nil` when that was before the first one that is remembered.
    let changedIn: Int64?
  }

  /// One kept release.
  struct Release: Equatable, Sendable {
    let version: Int64
    let channel: String
    let released: String?
    let notes: String?
    let content: Int64?
    let isLive: Bool
    let isWithdrawn: Bool
    /// What it changed, a line each; empty when nobody remembers.
    let changes: [String]
    /// What the checks said, what was allowed, how recordings fared.
    let checks: [String]
  }

  var title: String
  let lives: [Live]
  /// The channel that the sources are of.
  let sourcesOf: String?
  let sources: [Source]
  let releases: [Release]
  /// The roles with the days on which they expire; empty on a feed that is not signed.
  let roles: [(name: String, expires: String)]
  /// The SHA-256 digest of the first root, which apps may ship; `nil` on a feed that is not signed.
  let rootDigest: String?
  /// The public address of the feed; `nil` when it is not known.
  let address: String?

  static func == (left: FeedPageModel, right: FeedPageModel) -> Bool {
    left.title == right.title && left.lives == right.lives && left.sources == right.sources
      && left.releases == right.releases && left.rootDigest == right.rootDigest
      && left.address == right.address && left.roles.map(\.expires) == right.roles.map(\.expires)
  }
}

extension FeedPageModel {
  /// Says what a feed is like; reads no clock, so that the same feed gives the same page.
  ///
  /// - Parameter catalog: the catalog of the release that is live on `channel`.
  init(
    _ state: FeedState, channel: Channel?, catalog: SourceCatalog?, memory: PageMemory, rootDigest: Digest?
  ) {
    let base = state.settings.baseURL?.asFolder.text
    address = base
    self.rootDigest = rootDigest?.hex
    // A name that init made up says nothing to people.
    let name = state.metadata?.chain.newest.feedName.flatMap { Self.isMadeUp($0) ? nil : $0 }
    title = name ?? base ?? "Parser feed"
    lives = state.live.values.map { Live($0.manifest, address: base) }
      .sorted { ($0.channel == "stable" ? "" : $0.channel) < ($1.channel == "stable" ? "" : $1.channel) }
    sourcesOf = channel?.name
    sources = (catalog?.entries ?? []).map { entry in
      Source(
        id: entry.id.text, title: entry.title, locale: entry.locale, family: entry.family,
        domain: entry.domain, isNsfw: entry.isNsfw,
        changedIn: channel.flatMap { memory.changed[$0.name]?[entry.id.text] })
    }
    releases = state.releases.map { Release($0, state, memory.releases[$0.digest.hex]) }
    roles = Self.roles(state.metadata)
  }

  private static func isMadeUp(_ name: String) -> Bool {
    name.utf8.count == 32 && name.allSatisfy(\.isHexDigit)
  }

  private static func roles(_ metadata: MetadataState?) -> [(name: String, expires: String)] {
    guard let metadata else { return [] }
    return [
      ("root", metadata.chain.newest.header.expires), ("targets", metadata.targets.expires),
      ("snapshot", metadata.snapshot.expires), ("timestamp", metadata.timestamp.expires),
    ].map { ($0.0, $0.1.description) }
  }
}

extension FeedPageModel.Live {
  fileprivate init(_ manifest: Manifest, address base: String?) {
    channel = manifest.channel.name
    version = manifest.version.number
    released = manifest.released?.description
    notes = manifest.notes
    content = manifest.content == manifest.version ? nil : manifest.content.number
    contract = manifest.contract
    minimumAppVersion = manifest.minimumAppVersion?.text
    withdrawn = manifest.withdrawn.map(\.number).sorted(by: >)
    address = (base ?? "") + manifest.channel.manifestPath
  }
}

extension FeedPageModel.Release {
  fileprivate init(_ release: VerifiedManifest, _ state: FeedState, _ record: PageMemory.Record?) {
    let manifest = release.manifest
    let live = state.live[manifest.channel]
    version = manifest.version.number
    channel = manifest.channel.name
    released = manifest.released?.description
    notes = manifest.notes
    content = manifest.content == manifest.version ? nil : manifest.content.number
    isLive = live?.digest == release.digest
    isWithdrawn = live?.manifest.withdrawn.contains(manifest.version) ?? false
    changes = record?.changes ?? []
    var checks = record?.checks ?? []
    if !manifest.allowed.isEmpty { checks.append("allowed: " + manifest.allowed.joined(separator: ", ")) }
    if let score = manifest.fixtures {
      checks.append(
        "recorded sources: \(score.sources) replayed, \(score.better) better, \(score.worse) worse")
    }
    self.checks = checks
  }
}
