internal import OTAManifest
internal import OTATrust

/// What a file in a release archive is, by its name: an archive is laid out as the part of a feed that a device asks for.
///
/// Whatever has no place here makes the archive something else.
enum ArchiveFile: Hashable {
  case root(Int64)
  case timestamp
  case snapshot(Int64)
  case targets(Int64)
  /// The newest manifest of the channel.
  case pointer(Channel)
  /// The same under the name that signed metadata gives to it.
  case pointerCopy(Channel, Digest)
  /// The manifest of the release.
  case manifest(ReleaseVersion, Digest)
  case bundle(ReleaseVersion, Digest)
  case sources(ReleaseVersion, Digest)

  /// Reads a name; `nil` for one that a feed does not have, other spellings of the same number or digest included.
  init?(name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard let found = Self.found(parts), found.name == name else { return nil }
    self = found
  }

  private static func found(_ parts: [Substring]) -> ArchiveFile? {
    switch (parts.first, parts.count) {
    case ("metadata", 2): metadata(parts[1])
    case ("manifest.json", 1): .pointer(.stable)
    case ("channels", 3): Channel(parts[1]).map { .pointer($0) }
    case ("files", 2): digest(parts[1], manifestSuffix).map { .pointerCopy(.stable, $0) }
    case ("files", 4) where parts[1] == "channels":
      Channel(parts[2]).flatMap { channel in
        digest(parts[3], manifestSuffix).map { .pointerCopy(channel, $0) }
      }
    case ("files", 4) where parts[1] == "releases":
      ReleaseVersion(decimal: parts[2]).flatMap { content($0, parts[3]) }
    default: nil
    }
  }

  private static func metadata(_ name: Substring) -> ArchiveFile? {
    if name == FeedLayout.timestampName { return .timestamp }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "json", let version = ReleaseVersion(decimal: parts[0])?.number
    else { return nil }
    return switch parts[1] {
    case "root": .root(version)
    case "snapshot": .snapshot(version)
    case "targets": .targets(version)
    default: nil
    }
  }

  private static func content(_ version: ReleaseVersion, _ name: Substring) -> ArchiveFile? {
    if let digest = digest(name, manifestSuffix) { return .manifest(version, digest) }
    if let digest = digest(name, bundleSuffix) { return .bundle(version, digest) }
    return digest(name, sourcesSuffix).map { .sources(version, $0) }
  }

  private static func digest(_ name: Substring, _ suffix: String) -> Digest? {
    name.hasSuffix(suffix) ? Digest(hex: name.dropLast(suffix.utf8.count)) : nil
  }

  private static let manifestSuffix = FeedLayout.manifestSuffix
  private static let bundleSuffix = "." + FeedLayout.ContentFile.bundle.rawValue
  private static let sourcesSuffix = "." + FeedLayout.ContentFile.sources.rawValue

  /// The name in the archive, which is the path on a feed.
  var name: String {
    switch self {
    case .root(let version): FeedLayout.metadata("root", version)
    case .timestamp: FeedLayout.timestamp
    case .snapshot(let version): FeedLayout.metadata("snapshot", version)
    case .targets(let version): FeedLayout.metadata("targets", version)
    case .pointer(let channel): channel.manifestPath
    case .pointerCopy(let channel, let digest): FeedLayout.pointerCopy(digest, of: channel)
    case .manifest(let version, let digest): FeedLayout.manifest(digest, of: version)
    case .bundle(let version, let digest): FeedLayout.content(.bundle, digest, of: version)
    case .sources(let version, let digest): FeedLayout.content(.sources, digest, of: version)
    }
  }

  /// The most bytes that a client takes of such a file.
  var maxBytes: Int {
    let (files, metadata) = (Limits.standard, TrustLimits.standard)
    return switch self {
    case .root: metadata.maxRootBytes
    case .timestamp: metadata.maxTimestampBytes
    case .snapshot: metadata.maxSnapshotBytes
    case .targets: metadata.maxTargetsBytes
    case .pointer, .pointerCopy, .manifest: files.maxManifestBytes
    case .bundle: Int(files.maxBundleBytes)
    case .sources: Int(files.maxSourcesBytes)
    }
  }

  /// Whether the file may be too large to be held in memory with the rest.
  var isContent: Bool {
    switch self {
    case .bundle, .sources: true
    default: false
    }
  }

  /// The digest that the name promises; `nil` for names without one.
  var digest: Digest? {
    switch self {
    case .pointerCopy(_, let digest), .manifest(_, let digest), .bundle(_, let digest),
      .sources(_, let digest):
      digest
    default: nil
    }
  }

  /// What there is one of in an archive.
  var role: String {
    switch self {
    case .root(let version): FeedLayout.metadata("root", version)
    case .timestamp: FeedLayout.timestamp
    case .snapshot: "snapshot"
    case .targets: "targets"
    case .pointer: Channel.stable.manifestPath
    case .pointerCopy: "copy of manifest.json"
    case .manifest: "manifest of a release"
    case .bundle: "bundle"
    case .sources: "catalog"
    }
  }
}
