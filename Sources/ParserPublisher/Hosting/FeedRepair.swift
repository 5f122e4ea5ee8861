internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Brings lost and damaged files of a feed back, by their digests; the caller holds the lock.
///
/// Manifests come first, since they name everything else. A file that is restored is exactly the one that was
/// published, so being killed in the middle does no harm: the next run goes on.
struct FeedRepair {
  let host: any FeedHost
  let sources: RepairSources
  let settings: FeedSettings
  let isDryRun: Bool
  private(set) var restored: [RepairReport.Restored] = []
  private(set) var lost: [LostFile] = []
  /// What stays lost and hurts nobody, each a sentence.
  var warnings: [String] = []
  /// What a dry run would have written.
  private var planned: [FeedWrite] = []

  init(host: any FeedHost, sources: RepairSources, settings: FeedSettings, isDryRun: Bool) {
    (self.host, self.sources, self.settings, self.isDryRun) = (host, sources, settings, isDryRun)
  }

  /// The feed with everything that was restored, in a dry run too.
  var view: any FeedHost { planned.isEmpty ? host : OverlayHost(host, planned) }

  /// Writes metadata that was found; the timestamp is last, since it names the rest.
  mutating func take(_ found: [(write: FeedWrite, source: String)]) async throws(Problem) {
    let first = found.filter { $0.write.path != FeedLayout.timestamp }
    for file in first + found.filter({ $0.write.path == FeedLayout.timestamp }) {
      try await write(file.write.path, file.write.bytes, from: file.source)
    }
  }

  // MARK: Manifests

  /// Restores the manifests of a signed feed, which its targets list, and the copies of its pointers.
  mutating func restoreManifests(of metadata: MetadataState) async throws(Problem) {
    var kept: [Digest: String] = [:]
    for (target, entry) in metadata.files.sorted(by: { $0.key < $1.key }) {
      guard let version = TargetsInventory.version(ofManifest: target) else { continue }
      let name = ReleaseName(version: version, manifest: entry.sha256)
      kept[entry.sha256] = name.path
      try await restoreManifest(name, others: pointerPaths(metadata, entry.sha256))
    }
    for (target, entry) in metadata.files.sorted(by: { $0.key < $1.key }) {
      guard let channel = TargetsInventory.channel(ofPointer: target) else { continue }
      let path = FeedLayout.pointerCopy(entry.sha256, of: channel)
      let others = [kept[entry.sha256], channel.manifestPath].compactMap(\.self)
      _ = try await restore(path, digest: entry.sha256, bytes: Int64(entry.length), others: others)
    }
    try await restoreEarlierPointers(kept)
  }

  /// Copies of earlier pointers, which clients under way may still ask for.
  private mutating func restoreEarlierPointers(_ kept: [Digest: String]) async throws(Problem) {
    let channels = try await host.list("\(FeedLayout.targetsFolder)/\(FeedLayout.channelsFolder)")
    for channel in [Channel.stable] + channels.compactMap({ Channel($0) }) {
      let folder = FeedLayout.pointerCopiesFolder(of: channel)
      for name in try await host.list(folder) {
        guard let digest = FeedLayout.manifestDigest(inName: name), let source = kept[digest] else {
          continue
        }
        _ = try await restore("\(folder)/\(name)", digest: digest, bytes: nil, others: [source])
      }
    }
  }

  private func pointerPaths(_ metadata: MetadataState, _ digest: Digest) -> [String] {
    metadata.files.filter { $0.value.sha256 == digest }.keys.sorted()
      .compactMap { TargetsInventory.channel(ofPointer: $0) }
      .flatMap { [FeedLayout.pointerCopy(digest, of: $0), $0.manifestPath] }
  }

  /// Restores the manifests that the names on an unsigned feed speak of, then its pointers from the newest of them.
  mutating func restoreListedManifests() async throws(Problem) {
    let pending = try await FeedState.readPending(host)
    for name in try await FeedState.listReleases(host) where name != pending {
      let others = [Channel.stable.manifestPath] + (try await channels()).map(\.manifestPath)
      try await restoreManifest(name, others: others)
    }
    for channel in Set([.stable] + (try await channels())).sorted(by: { $0.name < $1.name }) {
      try await restorePointer(of: channel, except: pending)
    }
  }

  private func channels() async throws(Problem) -> [Channel] {
    try await host.list(FeedLayout.channelsFolder).compactMap { Channel($0) }
  }

  private mutating func restoreManifest(_ name: ReleaseName, others: [String]) async throws(Problem) {
    let reason = try await restore(name.path, digest: name.manifest, bytes: nil, others: others)
    guard let reason else { return }
    lost.append(LostFile(version: name.version, path: name.path, reason: reason, isManifest: true))
  }

  /// A pointer has no digest: the newest manifest of the channel takes its place when it cannot be read.
  private mutating func restorePointer(of channel: Channel, except pending: ReleaseName?)
    async throws(Problem)
  {
    let kept = try await manifests(of: channel, except: pending)
    let path = channel.manifestPath
    do throws(Problem) {
      guard let live = try await FeedState.readPointer(of: channel, view) else {
        guard let newest = kept.first else { return }
        return try await write(
          path, newest.bytes, from: FeedLayout.manifest(newest.digest, of: newest.manifest.version))
      }
      // A checkout with other line ends makes other bytes of it.
      guard let plain = kept.first(where: { $0.manifest == live.manifest }) else {
        // The copy that stays is lost: the pointer itself has its bytes.
        return try await write(live.immutablePath, live.bytes, from: path)
      }
      guard plain.digest != live.digest else { return }
      try await write(path, plain.bytes, from: FeedLayout.manifest(plain.digest, of: plain.manifest.version))
    } catch  where error.code == .manifestInvalid || error.code == .wrongKind || error.code == .wrongChannel {
      let newest = kept.first?.manifest.version
      let found = try await sources.find([path], maxBytes: Limits.standard.maxManifestBytes) { bytes in
        Self.isNewer(bytes, than: newest, of: channel) ? bytes : nil
      }
      if let found {
        let release = try VerifiedManifest(unsigned: found.bytes, name: path)
        try await write(
          FeedLayout.manifest(release.digest, of: release.manifest.version), found.bytes, from: found.source)
        return try await write(path, found.bytes, from: found.source)
      }
      guard let newest = kept.first else {
        throw Problem(error.code, error.message, advice: "give a copy of the feed with --from FOLDER|URL")
      }
      try await write(
        path, newest.bytes, from: FeedLayout.manifest(newest.digest, of: newest.manifest.version))
    }
  }

  /// Whether a copy has a later pointer: then the newest kept manifest is not the live one.
  private static func isNewer(_ bytes: [UInt8], than newest: ReleaseVersion?, of channel: Channel) -> Bool {
    do {
      let manifest = try Manifest.decode(bytes)
      return manifest.channel == channel && newest.map { manifest.version > $0 } ?? true
    } catch {
      // The copy is damaged as well.
      return false
    }
  }

  /// The whole manifests of a channel, newest first.
  private func manifests(
    of channel: Channel, except pending: ReleaseName?
  ) async throws(Problem) -> [VerifiedManifest] {
    var found: [VerifiedManifest] = []
    for name in try await FeedState.listReleases(view) where name != pending {
      guard !lost.contains(where: { $0.path == name.path }) else { continue }
      let release = try await FeedState.readRelease(name, view)
      if release.manifest.channel == channel { found.append(release) }
    }
    return found.sorted { $0.manifest.version > $1.manifest.version }
  }

  // MARK: Content

  /// Restores bundles and catalogs of these releases, and the old names that the settings promise.
  mutating func restoreContent(of releases: [VerifiedManifest], isSigned: Bool) async throws(Problem) {
    var known: [String: String?] = [:]
    for release in releases {
      for file in FeedLayout.ContentFile.allCases {
        let manifest = release.manifest
        let (artifact, own) = (file.artifact(of: manifest), TargetsInventory.content(file, of: manifest).path)
        let candidates = ContentLookup.candidates(file, of: manifest)
        if !isSigned, try await hasAny(candidates, artifact) { continue }
        let reason: String?
        if let found = known[own] {
          reason = found
        } else {
          reason = try await restore(
            own, digest: artifact.sha256, bytes: artifact.bytes,
            others: candidates + oldPaths(artifact.sha256))
        }
        known[own] = reason
        guard let reason else { continue }
        lost.append(LostFile(version: manifest.version, path: own, reason: reason, isManifest: false))
      }
    }
    let head = releases.map(\.manifest.version).max()
    for file in settings.counting(for: head).oldNames?.files ?? [] {
      let others = contentPaths(file.sha256, releases)
      _ = try await restore(file.path, digest: file.sha256, bytes: file.bytes, others: others)
    }
  }

  private func hasAny(_ paths: [String], _ artifact: Artifact) async throws(Problem) -> Bool {
    for path in paths where try await ContentLookup(host: view).has(path, artifact) { return true }
    return false
  }

  private func oldPaths(_ digest: Digest) -> [String] {
    settings.oldNames?.files.filter { $0.sha256 == digest }.map(\.path) ?? []
  }

  private func contentPaths(_ digest: Digest, _ releases: [VerifiedManifest]) -> [String] {
    for release in releases {
      for file in FeedLayout.ContentFile.allCases where file.artifact(of: release.manifest).sha256 == digest {
        return [TargetsInventory.content(file, of: release.manifest).path]
      }
    }
    return []
  }

  // MARK: One file

  /// Makes a file what it was: from itself with other line ends, from other names on the feed, from a copy.
  ///
  /// - Returns: why it stays lost; `nil` when it is there now.
  mutating func restore(
    _ path: String, digest: Digest, bytes: Int64?, others: [String]
  ) async throws(Problem) -> String? {
    let right = RightBytes(digest: digest, bytes: bytes)
    let found = try await local(path, right)
    if found.isRight { return nil }
    for other in [path] + others {
      let candidate = try await local(other, right)
      guard let bytes = candidate.usable else { continue }
      try await write(path, bytes, from: other == path ? "\(path) with plain line ends" : other)
      return nil
    }
    if let copy = try await sources.find([path] + others, maxBytes: right.maxBytes, right.accept) {
      try await write(path, copy.bytes, from: copy.source)
      return nil
    }
    return found.fault
  }

  /// What is under a name of the feed.
  private func local(_ path: String, _ right: RightBytes) async throws(Problem) -> Candidate {
    do throws(Problem) {
      guard let bytes = try await view.read(path, maxBytes: right.maxBytes) else {
        return Candidate(isRight: false, usable: nil, fault: "is missing")
      }
      let usable = try right.accept(bytes)
      let strange =
        right.bytes.map { StrangeContent(bytes, insteadOf: right.digest, bytes: $0) } ?? StrangeContent(bytes)
      return Candidate(isRight: usable == bytes, usable: usable, fault: strange?.message ?? "is damaged")
    } catch  where error.code == .tooLarge || error.code == .wrongKind {
      return Candidate(isRight: false, usable: nil, fault: "is damaged: \(error.message)")
    }
  }

  private struct Candidate {
    let isRight: Bool
    let usable: [UInt8]?
    let fault: String
  }

  mutating func write(_ path: String, _ bytes: [UInt8], from source: String) async throws(Problem) {
    restored.append(RepairReport.Restored(path: path, source: source))
    if isDryRun {
      planned.append(FeedWrite(path: path, bytes: bytes))
    } else {
      try await host.replace(path, with: bytes)
    }
  }
}

/// Tells the bytes of a file by their digest, also under other line ends.
struct RightBytes {
  let digest: Digest
  /// The size when it is known.
  let bytes: Int64?

  /// Room for the file with a carriage return in each line.
  var maxBytes: Int { Int(bytes.map { 2 * $0 + 4096 } ?? 2 * Int64(Limits.standard.maxManifestBytes)) }

  func accept(_ found: [UInt8]) throws(Problem) -> [UInt8]? {
    if bytes.map({ $0 == found.count }) ?? true, try ContentLookup.digest(of: found) == digest {
      return found
    }
    return StrangeContent.withPlainLineEnds(found, matching: digest, bytes: bytes)
  }
}
