internal import OTAFeed
internal import OTAManifest
internal import OTATrust

extension FeedState {
  /// Reads what the signed targets of a feed say, and nothing that stands beside them.
  ///
  /// Whoever controls the host can put files there; only what is signed counts as a release, and is signed again.
  static func readSigned(_ settings: FeedSettings, _ host: any FeedHost) async throws(Problem) -> FeedState {
    let pending = try await readPending(host)
    let metadata = try await MetadataState.read(from: host)
    var live: [Channel: VerifiedManifest] = [:]
    var releases: [VerifiedManifest] = []
    for (path, entry) in metadata.files {
      if let channel = TargetsInventory.channel(ofPointer: path) {
        live[channel] = try await readPointerCopy(entry.sha256, of: channel, host)
      } else if let version = TargetsInventory.version(ofManifest: path) {
        releases.append(try await readRelease(ReleaseName(version: version, manifest: entry.sha256), host))
      }
    }
    try requirePointers(of: releases, live)
    releases.sort { isNewer($0, $1, live) }
    var pointers: [Channel: [UInt8]] = [:]
    let listed = try await host.list(FeedLayout.channelsFolder).compactMap { Channel($0) }
    for channel in Set(live.keys).union(listed + [.stable]) {
      pointers[channel] = try await readRawPointer(of: channel, host)
    }
    return FeedState(
      settings: settings, live: live, releases: releases, pending: pending, pointers: pointers,
      metadata: metadata)
  }

  /// A feed that has signed metadata never becomes one without, whatever its settings say.
  static func requireNoSignatures(_ host: any FeedHost) async throws(Problem) {
    let names = try await host.list(FeedLayout.metadataFolder)
    guard names.contains("timestamp.json") else { return }
    throw Problem(
      .feedIncomplete,
      "\(FeedLayout.settings) says checksums-only, but \(FeedLayout.timestamp) says that the feed is signed",
      advice: "run parser-ota init again with the keys of the feed, or restore the settings from a backup")
  }

  private static func readPointerCopy(
    _ digest: Digest, of channel: Channel, _ host: any FeedHost
  ) async throws(Problem) -> VerifiedManifest {
    let path = FeedLayout.pointerCopy(digest, of: channel)
    guard let bytes = try await readManifest(path, host) else {
      throw Problem(
        .feedIncomplete, "\(path) is missing, although it is signed",
        advice:
          "run the same command again; when that does not help, restore the file from a backup of the feed"
      )
    }
    let pointer = try VerifiedManifest(unsigned: bytes, name: path)
    guard pointer.digest == digest, pointer.manifest.channel == channel else {
      throw Problem(
        .digestMismatch, "\(path) is damaged: its content is not what its name says",
        advice: "restore the file from a backup of the feed")
    }
    return pointer
  }

  /// The pointer whatever it holds; one that is too long for a manifest counts as none, since it is replaced anyway.
  private static func readRawPointer(
    of channel: Channel, _ host: any FeedHost
  ) async throws(Problem) -> [UInt8]? {
    do {
      return try await host.read(channel.manifestPath, maxBytes: Limits.standard.maxManifestBytes)
    } catch  where error.code == .tooLarge {
      return nil
    }
  }
}
