public import OTAFeed
public import OTAManifest

/// The releases that a feed keeps, and what is wrong with them.
public struct ReleaseList: Equatable, Sendable {
  /// Newest first, of all channels.
  public let releases: [ReleaseSummary]
  /// Files that are missing or damaged, each as a sentence.
  public let damage: [String]
}

extension Publisher {
  /// The releases on the feed, newest first, of all channels.
  public func releases() async throws(Problem) -> [ReleaseSummary] { try await releaseList().releases }

  /// The same, with what is lost of them.
  public func releaseList() async throws(Problem) -> ReleaseList {
    let state = try await readState()
    return ReleaseList(
      releases: state.releases.map { ReleaseSummary($0, live: state.live[$0.manifest.channel]) },
      damage: state.lost.map { "release \($0.version): \($0.message)" })
  }

  /// The releases of a feed somewhere else, found from the newest manifests backwards.
  ///
  /// - Parameter root: what authenticates the newest manifests; `nil` takes them by their checksums.
  public static func releases(
    of location: FeedLocation, root: [UInt8]?, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) -> ReleaseList {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    let trust = root.map { Trust.root($0) } ?? .checksumsOnly
    let newest = try await trust.authority.newestManifest(of: .stable, from: reader)
    let found = [newest] + (try await ReleaseChain.before(newest.manifest, reader))
    var live: [Channel: VerifiedManifest] = [.stable: newest]
    for channel in Set(found.map(\.manifest.channel)) where channel != .stable {
      live[channel] = try await trust.authority.newestManifest(of: channel, from: reader)
    }
    var all = found
    for pointer in live.values where !all.contains(where: { $0.digest == pointer.digest }) {
      all.append(pointer)
    }
    return ReleaseList(
      releases: all.sorted { FeedState.isNewer($0, $1, live) }
        .map { ReleaseSummary($0, live: live[$0.manifest.channel]) }, damage: [])
  }
}

extension ReleaseSummary {
  init(_ release: VerifiedManifest, live: VerifiedManifest?) {
    let manifest = release.manifest
    self.init(
      version: manifest.version, channel: manifest.channel, released: manifest.released,
      content: manifest.content, notes: manifest.notes, isLive: live?.digest == release.digest,
      isWithdrawn: live?.manifest.withdrawn.contains(manifest.version) ?? false, bundle: manifest.bundle,
      sources: manifest.sources, manifestDigest: release.digest)
  }
}
