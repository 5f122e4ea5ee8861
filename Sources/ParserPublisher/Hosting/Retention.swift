internal import OTAFeed
internal import OTAManifest

/// Which releases a feed keeps, and which files nobody needs any more.
struct Retention {
  let state: FeedState

  /// The newest releases of each channel, whatever is live, and the newest of all.
  var kept: [VerifiedManifest] {
    var counts: [Channel: Int] = [:]
    // What nobody can get whole must not stay on a signed list.
    let damaged = state.metadata == nil ? [] : state.damaged
    return state.releases.filter { !damaged.contains($0.digest) }.filter { release in
      let channel = release.manifest.channel
      counts[channel, default: 0] += 1
      return counts[channel, default: 0] <= state.settings.keptReleases || state.isLive(release.digest)
        || release.digest == state.head?.digest || state.settings.embedded.contains(release.manifest.version)
    }
  }

  /// Every path that a kept release needs.
  func neededPaths(_ kept: [VerifiedManifest]) -> Set<String> {
    var paths: Set<String> = []
    for release in kept {
      paths.insert(FeedLayout.manifest(release.digest, of: release.manifest.version))
      for file in FeedLayout.ContentFile.allCases {
        paths.formUnion(ContentLookup.candidates(file, of: release.manifest))
      }
      // Nobody asks for the packed forms of an older release.
      if state.isLive(release.digest) { paths.formUnion(release.manifest.forms.map(\.location.text)) }
    }
    return paths
  }

  /// Removes what is not needed, manifests first, so that nobody finds one whose files are gone; none comes back.
  ///
  /// Only files with the names that a publisher gives are touched.
  func apply(to host: any FeedHost) async throws(Problem) -> [ReleaseVersion] {
    let kept = kept
    let needed = neededPaths(kept)
    var surplus: [String] = []
    for folder in try await host.list(FeedLayout.releasesFolder) where ReleaseVersion(decimal: folder) != nil
    {
      for name in try await host.list("\(FeedLayout.releasesFolder)/\(folder)")
      where FeedLayout.isImmutableName(name) {
        let path = "\(FeedLayout.releasesFolder)/\(folder)/\(name)"
        if !needed.contains(path) { surplus.append(path) }
      }
    }
    let manifests = surplus.filter { $0.hasSuffix(FeedLayout.manifestSuffix) }
    try await host.remove(manifests)
    try await host.remove(surplus.filter { !$0.hasSuffix(FeedLayout.manifestSuffix) })
    try await removeOldNames(from: host)
    let keptVersions = Set(kept.map(\.manifest.version))
    return state.releases.map(\.manifest.version).filter { !keptVersions.contains($0) }.sorted()
  }

  /// Ends the service of old addresses when the number until which it was promised has passed.
  private func removeOldNames(from host: any FeedHost) async throws(Problem) {
    guard let names = state.settings.oldNames, let head = state.head?.manifest.version, names.isOver(at: head)
    else { return }
    _ = try await names.remove(from: host)
    var settings = state.settings
    settings.oldNames = nil
    try await host.replace(FeedLayout.settings, with: settings.encoded())
  }
}
