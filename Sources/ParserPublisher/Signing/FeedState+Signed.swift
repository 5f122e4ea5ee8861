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
    var lost: [LostFile] = []
    for (path, entry) in metadata.files {
      guard let version = TargetsInventory.version(ofManifest: path) else { continue }
      let name = ReleaseName(version: version, manifest: entry.sha256)
      do throws(Problem) {
        releases.append(try await readRelease(name, host))
      } catch  where error.code == .conflict || error.isDamage {
        lost.append(LostFile(name, error))
      }
    }
    for (path, entry) in metadata.files {
      guard let channel = TargetsInventory.channel(ofPointer: path) else { continue }
      let pointer = try await readPointerCopy(entry.sha256, of: channel, releases, host)
      live[channel] = pointer
      if !releases.contains(where: { $0.digest == pointer.digest }) { releases.append(pointer) }
      lost.removeAll { $0.path == pointer.immutablePath }
    }
    lost += try await ContentInventory(host: host, isSigned: true).lost(of: releases)
    try await requireStillSigned(metadata, lost, host)
    try requirePointers(of: releases, live)
    releases.sort { isNewer($0, $1, live) }
    var pointers: [Channel: [UInt8]] = [:]
    let listed = try await host.list(FeedLayout.channelsFolder).compactMap { Channel($0) }
    for channel in Set(live.keys).union(listed + [.stable]) {
      pointers[channel] = try await readRawPointer(of: channel, host)
    }
    return FeedState(
      settings: settings, live: live, releases: releases, pending: pending, pointers: pointers,
      metadata: metadata, lost: lost,
      documents: try await readDocuments(listed: metadata.files, host))
  }

  /// What is missing under the list that was read, and not under a newer one, was removed and not lost.
  private static func requireStillSigned(
    _ metadata: MetadataState, _ lost: [LostFile], _ host: any FeedHost
  ) async throws(Problem) {
    guard !lost.isEmpty else { return }
    let now = try await host.read(FeedLayout.timestamp, maxBytes: Limits.standard.maxStateBytes)
    guard now == metadata.timestamp.bytes else { throw ReleaseCommit.signedMeanwhile }
  }

  /// A feed that has signed metadata never becomes one without, whatever its settings say.
  static func requireNoSignatures(_ host: any FeedHost) async throws(Problem) {
    let names = try await host.list(FeedLayout.metadataFolder)
    guard names.contains(FeedLayout.timestampName) else { return }
    throw Problem(
      .feedIncomplete,
      "\(FeedLayout.settings) says checksums-only, but \(FeedLayout.timestamp) says that the feed is signed",
      advice: "run parser-ota init again with the keys of the feed, or restore the settings from a backup")
  }

  private static func readPointerCopy(
    _ digest: Digest, of channel: Channel, _ releases: [VerifiedManifest], _ host: any FeedHost
  ) async throws(Problem) -> VerifiedManifest {
    let path = FeedLayout.pointerCopy(digest, of: channel)
    // The same bytes stand in three places; each of them will do, since the digest is signed.
    if let kept = releases.first(where: { $0.digest == digest }) { return kept }
    var fault: Problem?
    for place in [path, channel.manifestPath] {
      do throws(Problem) {
        guard let bytes = try await readManifest(place, host) else { continue }
        guard try ContentLookup.digest(of: bytes) == digest else {
          fault = fault ?? changedLineEnds(bytes, digest, place)
          continue
        }
        return try VerifiedManifest(unsigned: bytes, name: place)
      } catch  where error.isDamage {
        continue
      }
    }
    if let fault { throw Problem(.feedIncomplete, fault.message, advice: fault.advice) }
    throw Problem(
      .feedIncomplete, "\(path) is missing or damaged, and it is the live release of \(channel)",
      advice: "restore the file from a copy of the feed: parser-ota repair --from FOLDER|URL")
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
