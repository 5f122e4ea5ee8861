internal import OTACrypto
internal import OTAFeed
internal import OTAManifest

extension FeedState {
  /// Reads a feed, strictly: what cannot be read stops everything, and nothing is ever taken for "not there".
  static func read(from host: any FeedHost, place: String) async throws(Problem) -> FeedState {
    let settings = try await settings(of: host, place: place)
    if case .signed = settings.trust { return try await readSigned(settings, host) }
    try await requireNoSignatures(host)
    return try await readUnsigned(settings, host)
  }

  /// The settings, without which a folder is no feed.
  static func settings(of host: any FeedHost, place: String) async throws(Problem) -> FeedSettings {
    let limit = Limits.standard.maxStateBytes
    guard let bytes = try await host.read(FeedLayout.settings, maxBytes: limit) else {
      throw try await withoutSettings(host, place)
    }
    return try FeedSettings(decoding: bytes)
  }

  /// What to do in a folder without settings: a feed that lost them shows most of them itself.
  private static func withoutSettings(
    _ host: any FeedHost, _ place: String
  ) async throws(Problem) -> Problem {
    let isSigned = try await host.list(FeedLayout.metadataFolder).contains(FeedLayout.timestampName)
    let hasReleases = try await !host.list(FeedLayout.releasesFolder).isEmpty
    let isFeed = isSigned || hasReleases
    return Problem(
      .notAFeed,
      isFeed
        ? "\(place) is a feed without its settings: \(FeedLayout.settings) is missing"
        : "\(place) is not a feed: \(FeedLayout.settings) is missing",
      advice: isFeed
        ? "parser-ota init --feed \(place) takes them from the live release; keep the folder .parser-ota from now on"
        : "run parser-ota init --feed \(place), or restore the folder from its backup")
  }

  /// Reads what the files of a feed without signatures say.
  static func readUnsigned(
    _ settings: FeedSettings, _ host: any FeedHost
  ) async throws(Problem) -> FeedState {
    // In this order: a publisher names its release as pending, writes it, moves the pointer and forgets the pending
    // one. So whatever is listed here is live or pending by the time that these are read, also while one is at work.
    let names = try await listReleases(host)
    let pending = try await readPending(host)
    let live = try await readPointers(host)
    let documents = try await readDocuments(beside: live, host)
    let isUnfinished =
      !live.values.contains { $0.digest == pending?.manifest }
      && !documents.rollouts.values.contains { $0.manifest == pending?.manifest }
    var releases: [VerifiedManifest] = []
    var lost: [LostFile] = []
    for name in names where !(isUnfinished && name == pending) {
      do throws(Problem) {
        releases.append(try await readRelease(name, host))
      } catch  where error.code == .conflict {
        // It was listed and is gone: another publisher removed it meanwhile, so it is not on the feed.
        continue
      } catch  where error.isDamage {
        lost.append(LostFile(name, error))
      }
    }
    for pointer in live.values where !releases.contains(where: { $0.digest == pointer.digest }) {
      releases.append(pointer)
    }
    try requirePointers(of: releases, live)
    releases.sort { isNewer($0, $1, live) }
    // The bytes of a live manifest stand in its pointer as well.
    lost.removeAll { file in live.values.contains { file.path == $0.immutablePath } }
    lost += try await ContentInventory(host: host, isSigned: false).lost(of: releases)
    return FeedState(
      settings: settings, live: live, releases: releases, pending: pending,
      pointers: live.mapValues(\.bytes), metadata: nil, lost: lost, documents: documents)
  }

  /// Newer first; of two manifests with one number the live one counts, then the order is fixed by the digest.
  static func isNewer(
    _ left: VerifiedManifest, _ right: VerifiedManifest, _ live: [Channel: VerifiedManifest]
  ) -> Bool {
    guard left.manifest.version == right.manifest.version else {
      return left.manifest.version > right.manifest.version
    }
    let isLiveLeft = live[left.manifest.channel]?.digest == left.digest
    let isLiveRight = live[right.manifest.channel]?.digest == right.digest
    return isLiveLeft == isLiveRight ? left.digest.hex < right.digest.hex : isLiveLeft
  }

  private static func readPointers(_ host: any FeedHost) async throws(Problem) -> [Channel: VerifiedManifest]
  {
    var channels: Set<Channel> = [.stable]
    for name in try await host.list(FeedLayout.channelsFolder) {
      if let channel = Channel(name) { channels.insert(channel) }
    }
    var live: [Channel: VerifiedManifest] = [:]
    for channel in channels {
      live[channel] = try await readPointer(of: channel, host)
    }
    return live
  }

  static func readPointer(
    of channel: Channel, _ host: any FeedHost
  ) async throws(Problem) -> VerifiedManifest? {
    let path = channel.manifestPath
    guard let bytes = try await readManifest(path, host) else { return nil }
    let pointer = try decode(bytes, path)
    guard pointer.manifest.channel == channel else {
      throw Problem(
        .wrongChannel, "\(path) belongs to the channel \(pointer.manifest.channel), not to \(channel)",
        advice: "put the newest manifest of \(channel) from \(FeedLayout.releasesFolder)/ there again")
    }
    return pointer
  }

  static func readPending(_ host: any FeedHost) async throws(Problem) -> ReleaseName? {
    guard let bytes = try await host.read(FeedLayout.pending, maxBytes: 4096) else { return nil }
    return try pendingName(bytes)
  }

  static func pendingName(_ bytes: [UInt8]) throws(Problem) -> ReleaseName {
    do {
      return try ReleaseName(decoding: bytes)
    } catch {
      throw Problem(
        .feedIncomplete, "\(FeedLayout.pending): \(error.message)",
        advice: "run parser-ota verify on the feed; delete the file when it finds no error")
    }
  }

  /// Every immutable manifest by what its path says.
  static func listReleases(_ host: any FeedHost) async throws(Problem) -> [ReleaseName] {
    var found: [ReleaseName] = []
    for folder in try await host.list(FeedLayout.releasesFolder) {
      guard let version = ReleaseVersion(decimal: folder) else { continue }
      for name in try await host.list("\(FeedLayout.releasesFolder)/\(folder)") {
        guard let digest = FeedLayout.manifestDigest(inName: name) else { continue }
        found.append(ReleaseName(version: version, manifest: digest))
      }
    }
    return found
  }

  static func readRelease(
    _ name: ReleaseName, _ host: any FeedHost
  ) async throws(Problem) -> VerifiedManifest {
    guard let bytes = try await readManifest(name.path, host) else {
      throw Problem(
        .conflict, "\(name.path) was removed by another publisher meanwhile",
        advice: "run the same command again"
      )
    }
    let release = try decode(bytes, name.path)
    guard release.digest == name.manifest, release.manifest.version == name.version else {
      if let problem = changedLineEnds(bytes, name.manifest, name.path) { throw problem }
      throw Problem(
        .digestMismatch, "\(name.path) is damaged: its content is not what its name says",
        advice: "parser-ota repair restores the file, or gives up that release")
    }
    return release
  }

  /// What to say of a manifest that a checkout gave other line ends; `nil` for any other damage.
  static func changedLineEnds(_ bytes: [UInt8], _ digest: Digest, _ path: String) -> Problem? {
    guard StrangeContent.withPlainLineEnds(bytes, matching: digest, bytes: nil) != nil else { return nil }
    let strange = StrangeContent.changedLineEnds
    return Problem(
      .digestMismatch, "\(path) \(strange.message)",
      advice: "\(strange.advice); parser-ota repair puts the files right")
  }

  static func readManifest(_ path: String, _ host: any FeedHost) async throws(Problem) -> [UInt8]? {
    do {
      return try await host.read(path, maxBytes: Limits.standard.maxManifestBytes)
    } catch  where error.code == .tooLarge {
      throw damaged(path, error.message)
    }
  }

  private static func decode(_ bytes: [UInt8], _ path: String) throws(Problem) -> VerifiedManifest {
    do {
      return try VerifiedManifest(unsigned: bytes, name: path)
    } catch  where error.code == .manifestInvalid || error.code == .htmlInstead {
      if let strange = StrangeContent(bytes) {
        throw Problem(.manifestInvalid, "\(path) \(strange.message)", advice: strange.advice)
      }
      throw damaged(path, error.message)
    }
  }

  private static func damaged(_ path: String, _ message: String) -> Problem {
    Problem(
      .manifestInvalid, message,
      advice: "parser-ota repair restores \(path); the next version is counted from it")
  }

  /// A channel that has releases but no pointer has lost it: the next publish must not start anew.
  static func requirePointers(
    of releases: [VerifiedManifest], _ live: [Channel: VerifiedManifest]
  ) throws(Problem) {
    let lost = releases.filter { live[$0.manifest.channel] == nil }
    guard let newest = lost.max(by: { $0.manifest.version < $1.manifest.version })?.manifest,
      let digest = lost.first(where: { $0.manifest == newest })?.digest
    else { return }
    throw Problem(
      .feedIncomplete,
      "\(newest.channel.manifestPath) is missing, but release \(newest.version) of \(newest.channel) is there",
      advice:
        "parser-ota repair restores it; it is a copy of \(FeedLayout.manifest(digest, of: newest.version))")
  }
}
