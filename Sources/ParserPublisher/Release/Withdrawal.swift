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

  /// How many releases have their files remembered: each takes 200 bytes of a manifest of at most 64 KiB.
  static let maxRemembered = 64

  /// The releases that one of these manifests withdraws and that have exactly this content, in order.
  ///
  /// A release that is no longer kept, or whose manifest is lost, is known by what these manifests remember of it.
  static func releases(
    with pair: ContentPair, of manifests: [Manifest], in state: FeedState
  ) -> [ReleaseVersion] {
    let withdrawn = Set(manifests.flatMap(\.withdrawn))
    return versions(with: pair, in: state, remembered: manifests).filter { withdrawn.contains($0) }
  }

  /// The releases with this content, on the feed or remembered, in order.
  static func versions(
    with pair: ContentPair, in state: FeedState, remembered manifests: [Manifest]
  ) -> [ReleaseVersion] {
    let kept = state.releases.map(\.manifest).filter { $0.pair == pair }.map(\.version)
    let remembered = manifests.flatMap(\.withdrawnContent).filter { $0.pair == pair }.map(\.version)
    return Set(kept + remembered).sorted()
  }

  /// The files of these releases as far as the feed or the manifest before still knows them, the newest ones.
  static func contents(
    of versions: [ReleaseVersion], in state: FeedState, before live: Manifest?
  ) -> [WithdrawnContent] {
    var pairs: [ReleaseVersion: ContentPair] = [:]
    for content in live?.withdrawnContent ?? [] { pairs[content.version] = content.pair }
    for release in state.releases { pairs[release.manifest.version] = release.manifest.pair }
    let known = versions.sorted().compactMap { version in
      pairs[version].map { WithdrawnContent(version: version, pair: $0) }
    }
    return Array(known.suffix(maxRemembered))
  }
}

extension ReleaseChain {
  /// The releases that the newest manifest withdraws and that have exactly this content, in order.
  ///
  /// Manifests are read only for releases whose files the newest one does not remember, and none that is older than those.
  static func withdrawn(
    with pair: ContentPair, by newest: Manifest, from reader: FeedReader
  ) async throws(Problem) -> [ReleaseVersion] {
    let remembered = newest.withdrawnContent.filter { newest.withdrawn.contains($0.version) }
    var wanted = Set(newest.withdrawn).subtracting(remembered.map(\.version))
    var found = remembered.filter { $0.pair == pair }.map(\.version)
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
