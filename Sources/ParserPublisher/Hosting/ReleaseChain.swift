internal import OTAFeed
internal import OTAManifest
internal import ParserWorkbench

/// The kept releases of a channel, each named by the digest in the one after it, so that the newest vouches for all.
struct ReleaseChain {
  /// How many releases are followed; against feeds without an end.
  private static let maxReleases = 5000

  /// Oldest first.
  let releases: [Manifest]
  let reader: FeedReader
  /// How the newest one was authenticated.
  let trust: Trust

  /// Reads the newest manifest by its trust, and the ones before it as far as the feed keeps them.
  init(of channel: Channel, from reader: FeedReader, trust: Trust) async throws(Problem) {
    (self.reader, self.trust) = (reader, trust)
    let newest = try await trust.authority.newestManifest(of: channel, from: reader).manifest
    var releases = [newest]
    var last = newest
    while releases.count < Self.maxReleases, let digest = last.parent, let version = last.parentVersion {
      guard let manifest = try await Self.manifest(ReleaseName(version: version, manifest: digest), reader)
      else {
        break
      }
      if manifest.channel == channel { releases.append(manifest) }
      last = manifest
    }
    self.releases = releases.reversed()
  }

  /// The verified files of a release.
  func bundle(of manifest: Manifest) async throws(Problem) -> ParserBundle {
    let content = ReleaseContent(reader: reader)
    let bytes = try await content.bytes(of: .bundle, in: manifest)
    let sources = try await content.bytes(of: .sources, in: manifest)
    if let refusal = ReleaseContent.refusal(bundle: bytes, sources: sources) { throw refusal }
    do {
      return ParserBundle(
        "release \(manifest.version)", bytes, digest: manifest.bundle.sha256,
        catalog: try SourceCatalog.decode(sources))
    } catch {
      throw Problem(.sourcesInvalid, "the catalog of release \(manifest.version): \(error.message)")
    }
  }

  /// Every release before one, of all channels, as far as the feed keeps them.
  static func before(_ newest: Manifest, _ reader: FeedReader) async throws(Problem) -> [VerifiedManifest] {
    var found: [VerifiedManifest] = []
    var last = newest
    while found.count < maxReleases, let digest = last.parent, let version = last.parentVersion,
      let release = try await release(ReleaseName(version: version, manifest: digest), reader)
    {
      found.append(release)
      last = release.manifest
    }
    return found
  }

  static func manifest(_ name: ReleaseName, _ reader: FeedReader) async throws(Problem) -> Manifest? {
    try await release(name, reader)?.manifest
  }

  /// A manifest with the digest that its child names; `nil` when the feed keeps it no more.
  private static func release(
    _ name: ReleaseName, _ reader: FeedReader
  ) async throws(Problem) -> VerifiedManifest? {
    let limit = Limits.standard.maxManifestBytes
    guard let bytes = try await reader.readIfThere(name.path, maxBytes: limit) else { return nil }
    let release = try VerifiedManifest(unsigned: bytes, name: name.path)
    guard release.digest == name.manifest, release.manifest.version == name.version else {
      throw Problem(.digestMismatch, "\(name.path) is damaged: its content is not what its name says")
    }
    return release
  }
}
