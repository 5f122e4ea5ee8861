internal import OTAFeed
public import OTAManifest
internal import OTATrust

/// What `Publisher.prune` removes.
public struct PruneReport: Equatable, Sendable {
  /// The paths below the feed, in the order of removing.
  public let paths: [String]
  /// Whether they are removed, and not only named.
  public let isDone: Bool
}

extension Publisher {
  /// For how long a client may still be busy with what was live before.
  static let clientSeconds: Int64 = 3600

  /// Removes files that no kept release needs: those of older releases, and what interrupted publishers left.
  ///
  /// What was live within the last hour stays, since a client may be in the middle of it.
  /// - Parameter isDryRun: whether the files are only named.
  public func prune(isDryRun: Bool) async throws(Problem) -> PruneReport {
    if isDryRun { return PruneReport(paths: try await surplus(try await readState()), isDone: false) }
    return try await host.locked { () async throws(Problem) in
      let paths = try await surplus(try await readState())
      // Manifests first, so that nobody finds one whose files are gone.
      let manifests = paths.filter { $0.hasSuffix(FeedLayout.manifestSuffix) }
      try await host.remove(manifests)
      try await host.remove(paths.filter { !$0.hasSuffix(FeedLayout.manifestSuffix) })
      return PruneReport(paths: paths, isDone: true)
    }
  }

  private func surplus(_ state: FeedState) async throws(Problem) -> [String] {
    let retention = Retention(state: state)
    var needed = retention.neededPaths(retention.kept)
    if let pending = state.pending { needed.formUnion(try await paths(of: pending)) }
    var old: [VerifiedManifest] = []
    for name in try await FeedState.listReleases(host) where !needed.contains(name.path) {
      // A manifest that cannot be read leads nobody to its files.
      if let release = try? await FeedState.readRelease(name, host) { old.append(release) }
    }
    needed.formUnion(retention.neededPaths(recent(among: old, state)))
    var surplus: [String] = []
    for path in try await HostTree(host: host).paths(below: FeedLayout.releasesFolder)
    where FeedLayout.kind(of: path) == .immutable && !needed.contains(path) {
      surplus.append(path)
    }
    if let metadata = state.metadata {
      surplus += try await MetadataRetention(metadata: metadata).surplus(on: host)
    }
    return surplus
  }

  /// Old releases that were live within the last hour, by when the next one of their channel came.
  private func recent(among old: [VerifiedManifest], _ state: FeedState) -> [VerifiedManifest] {
    let all = (state.releases + old).map(\.manifest)
    let since = now().advanced(bySeconds: -Self.clientSeconds)
    return old.filter { release in
      let next = all.filter {
        $0.channel == release.manifest.channel && $0.version > release.manifest.version
      }
      .min { $0.version < $1.version }
      // Without a date nobody can tell that it is long ago.
      return next.map { $0.released.map { $0 > since } ?? true } ?? false
    }
  }

  private func paths(of pending: ReleaseName) async throws(Problem) -> [String] {
    let folder = "\(FeedLayout.releasesFolder)/\(pending.version)"
    return try await host.list(folder).map { "\(folder)/\($0)" }
  }
}
