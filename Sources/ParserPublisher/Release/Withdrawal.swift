internal import OTAFeed
internal import OTAManifest

/// The list of releases that must not run any more, and what it says about content.
enum Withdrawal {
  /// How many are carried on; older ones are long gone from every device.
  static let maxCarried = 256

  /// Sorted, without doubles, the newest ones when there are too many.
  ///
  /// - Parameter own: the releases with the content of the manifest that carries the list; it never withdraws itself.
  static func carried(
    _ versions: [ReleaseVersion], except own: [ReleaseVersion] = []
  ) -> [ReleaseVersion] {
    Array(Set(versions).subtracting(own).sorted().suffix(maxCarried))
  }

  /// The releases on the feed that one of these manifests withdraws and that have exactly this content, in order.
  static func releases(
    with pair: ContentPair, of manifests: [Manifest], in state: FeedState
  ) -> [ReleaseVersion] {
    let withdrawn = Set(manifests.flatMap(\.withdrawn))
    let found = state.releases.map(\.manifest).filter {
      withdrawn.contains($0.version) && $0.pair == pair
    }
    return Set(found.map(\.version)).sorted()
  }
}

extension ReleaseChain {
  /// The releases that the newest manifest withdraws and that have exactly this content, in order.
  ///
  /// Only manifests are read, and none that is older than the oldest withdrawn release.
  static func withdrawn(
    with pair: ContentPair, by newest: Manifest, from reader: FeedReader
  ) async throws(Problem) -> [ReleaseVersion] {
    var wanted = Set(newest.withdrawn)
    var found: [ReleaseVersion] = []
    var last = newest
    while let oldest = wanted.min(), let digest = last.parent, let version = last.parentVersion,
      version >= oldest, version < last.version
    {
      guard let manifest = try await manifest(ReleaseName(version: version, manifest: digest), reader) else {
        break
      }
      if wanted.remove(version) != nil, manifest.pair == pair { found.append(version) }
      last = manifest
    }
    return found.sorted()
  }
}
