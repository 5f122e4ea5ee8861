internal import OTAFeed
internal import OTAManifest

/// Walks over a feed and collects what is wrong.
struct FeedAudit {
  private let reader: FeedReader
  private var channels: [Channel] = []
  private var releases: [VerifiedManifest] = []
  /// Files that were read, by digest, with the size.
  private var checked: [Digest: Int64] = [:]
  private var manifestBytes: [String: Int64] = [:]
  private var findings: [AuditFinding] = []

  /// How many manifests are followed backwards; more is no feed of ours.
  private static let maxHistory = 20_000

  init(reader: FeedReader) { self.reader = reader }

  private var directory: DirectoryHost? {
    if case .directory(let root) = reader.location { DirectoryHost(root: root) } else { nil }
  }

  mutating func run() async throws(Problem) -> AuditReport {
    let others = try channelsOfDirectory()
    do {
      try await checkPointer(of: .stable)
    } catch  where !others.isEmpty && (error.code == .notFound || error.code == .fileMissing) {
      findings.append(
        AuditFinding(
          severity: .warning, code: error.code.rawValue, place: Channel.stable.manifestPath,
          message: "there is no stable release, only other channels"))
    }
    for channel in others { try await checkPointer(of: channel) }
    if directory == nil { try await followHistory() } else { try await readKeptReleases() }
    for release in releases { await check(release) }
    let versions = Set(releases.map(\.manifest.version)).sorted(by: >)
    return AuditReport(
      channels: channels, releases: versions, filesChecked: checked.count + manifestBytes.count,
      bytesChecked: checked.values.reduce(0, +) + manifestBytes.values.reduce(0, +), findings: findings)
  }

  private func channelsOfDirectory() throws(Problem) -> [Channel] {
    guard let directory else { return [] }
    var found: [Channel] = []
    for name in try directory.list(FeedLayout.channelsFolder) {
      guard let channel = Channel(name), channel != .stable,
        try directory.read(channel.manifestPath, maxBytes: Limits.standard.maxManifestBytes + 1) != nil
      else { continue }
      found.append(channel)
    }
    return found
  }

  /// Reads the newest manifest, and compares it with the copy that stays.
  private mutating func checkPointer(of channel: Channel) async throws(Problem) {
    let pointer = try await Trust.checksumsOnly.authority.newestManifest(of: channel, from: reader)
    let manifest = pointer.manifest
    channels.append(channel)
    releases.append(pointer)
    manifestBytes[channel.manifestPath] = Int64(pointer.bytes.count)
    let path = FeedLayout.manifest(pointer.digest, of: manifest.version)
    guard let copy = try await read(path) else {
      report(
        .warning, "no-immutable-manifest", path,
        "release \(manifest.version) has no lasting copy of its manifest; the next publish writes one")
      return
    }
    manifestBytes[path] = Int64(copy.count)
    if copy != pointer.bytes {
      report(.error, "pointer-differs", path, "differs from \(channel.manifestPath), whose copy it must be")
    }
  }

  private func read(_ path: String) async throws(Problem) -> [UInt8]? {
    do {
      return try await reader.read(try Self.relative(path), maxBytes: Limits.standard.maxManifestBytes)
    } catch  where error.code == .notFound || error.code == .fileMissing {
      return nil
    }
  }

  private static func relative(_ path: String) throws(Problem) -> RelativePath {
    do {
      return try RelativePath(path)
    } catch {
      throw Problem(.forbiddenURL, "the path \(path) \(error.message)")
    }
  }

  /// Over a network, older releases are found by the parents that manifests name, as far as the feed keeps them.
  private mutating func followHistory() async throws(Problem) {
    var next = releases.first?.manifest
    for _ in 0..<Self.maxHistory {
      guard let parent = next?.parent, let version = next?.parentVersion else { return }
      let path = FeedLayout.manifest(parent, of: version)
      guard let bytes = try await read(path) else {
        if version.number == next.map({ $0.version.number - 1 }), releases.count == 1 {
          report(
            .warning, "history-ends", path, "release \(version) is not on the feed any more: no way back")
        }
        return
      }
      next = keep(bytes, path: path, digest: parent, version: version)
    }
  }

  private mutating func readKeptReleases() async throws(Problem) {
    guard let directory else { return }
    for folder in try directory.list(FeedLayout.releasesFolder) {
      guard let version = ReleaseVersion(decimal: folder) else { continue }
      for name in try directory.list("\(FeedLayout.releasesFolder)/\(folder)") {
        guard let digest = FeedLayout.manifestDigest(inName: name),
          !releases.contains(where: { $0.digest == digest })
        else { continue }
        let path = FeedLayout.manifest(digest, of: version)
        guard let bytes = try await read(path) else { continue }
        _ = keep(bytes, path: path, digest: digest, version: version)
      }
    }
  }

  /// Notes a release when its manifest is what its name says.
  private mutating func keep(
    _ bytes: [UInt8], path: String, digest: Digest, version: ReleaseVersion
  ) -> Manifest? {
    manifestBytes[path] = Int64(bytes.count)
    do throws(Problem) {
      let release = try VerifiedManifest(unsigned: bytes, name: path)
      guard release.digest == digest, release.manifest.version == version else {
        throw Problem(.digestMismatch, "\(path) is damaged: its content is not what its name says")
      }
      releases.append(release)
      return release.manifest
    } catch {
      report(.error, error.code.rawValue, path, error.message)
      return nil
    }
  }

  private mutating func check(_ release: VerifiedManifest) async {
    for file in FeedLayout.ContentFile.allCases {
      let artifact = file.artifact(of: release.manifest)
      checkLocation(artifact, of: release.manifest)
      guard checked[artifact.sha256] != artifact.bytes else { continue }
      do throws(Problem) {
        let bytes = try await ReleaseContent(reader: reader).bytes(of: file, in: release.manifest)
        checked[artifact.sha256] = artifact.bytes
        if let refusal = ReleaseContent.refusal(file, bytes) { throw refusal }
      } catch {
        report(
          .error, error.code.rawValue, artifact.location.text,
          "release \(release.manifest.version): \(error.message)")
      }
    }
  }

  /// A folder is checked by what is in it; that its absolute URLs lead there is for the server to prove.
  private mutating func checkLocation(_ artifact: Artifact, of manifest: Manifest) {
    guard case .absolute(let address) = artifact.location else { return }
    if address.scheme != "https", !address.isLoopback {
      report(
        .error, ProblemCode.forbiddenURL.rawValue, address.text,
        "release \(manifest.version): plain http is refused by clients")
    } else if case .web(let folder) = reader.location, !address.text.hasPrefix(folder.text) {
      report(
        .warning, "foreign-url", address.text,
        "release \(manifest.version) takes this file from another place than the feed")
    }
  }

  private mutating func report(
    _ severity: AuditFinding.Severity, _ code: String, _ place: String, _ message: String
  ) {
    findings.append(AuditFinding(severity: severity, code: code, place: place, message: message))
  }
}
