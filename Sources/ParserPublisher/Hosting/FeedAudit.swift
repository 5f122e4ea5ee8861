internal import OTAFeed
internal import OTAManifest

/// Walks over a feed and collects what is wrong.
struct FeedAudit {
  private let reader: FeedReader
  private var channels: [Channel] = []
  /// The releases whose manifests were read and are what their names say.
  private(set) var releases: [VerifiedManifest] = []
  /// The size of every file that was read, by what makes it one file.
  private var checked: [String: Int64] = [:]
  private var findings: [AuditFinding] = []
  /// The digests of files whose bytes were compared, by their addresses on a network.
  private(set) var verified: [String: Digest] = [:]

  /// How many manifests are followed backwards: against a feed without an end.
  private static let maxHistory = 20_000

  init(reader: FeedReader) { self.reader = reader }

  private var directory: DirectoryHost? {
    if case .directory(let root) = reader.location { DirectoryHost(root: root) } else { nil }
  }

  mutating func run() async throws(Problem) -> AuditReport {
    let others = try channelsOfDirectory()
    do {
      try await checkPointer(of: .stable)
    } catch  where !others.isEmpty && Self.isMissing(error) {
      let message = "there is no stable release, only other channels"
      report(.warning, error.code.rawValue, Channel.stable.manifestPath, message)
    } catch  where directory != nil && Self.isMissing(error) {
      try await requireFeed()
    }
    for channel in others { await checkOtherPointer(of: channel) }
    if let directory { try await readKeptReleases(of: directory) } else { await followHistory() }
    for release in releases {
      for file in FeedLayout.ContentFile.allCases { await check(file, of: release.manifest) }
    }
    try await checkOldNames()
    return AuditReport(
      channels: channels, releases: Set(releases.map(\.manifest.version)).sorted(by: >),
      filesChecked: checked.count, bytesChecked: checked.values.reduce(0, +), findings: findings,
      trust: TrustStatus(name: Trust.checksumsOnly.name, roles: []))
  }

  /// A folder without a newest manifest is a feed that waits for its first release, or has lost it, or is none.
  private func requireFeed() async throws(Problem) {
    guard let directory else { return }
    _ = try await FeedState.settings(of: directory, place: directory.root)
  }

  private func channelsOfDirectory() throws(Problem) -> [Channel] {
    guard let directory else { return [] }
    return try directory.list(FeedLayout.channelsFolder).compactMap(Channel.init(_:)).filter { $0 != .stable }
  }

  /// Reads the newest manifest, and compares it with the copy that stays.
  private mutating func checkPointer(of channel: Channel) async throws(Problem) {
    let pointer = try await Trust.checksumsOnly.authority.newestManifest(of: channel, from: reader)
    let version = pointer.manifest.version
    channels.append(channel)
    releases.append(pointer)
    checked[channel.manifestPath] = Int64(pointer.bytes.count)
    let path = FeedLayout.manifest(pointer.digest, of: version)
    switch await read(path) {
    case .bytes(pointer.bytes):
      if directory == nil { verified[try reader.address(of: path)] = pointer.digest }
    case .bytes:
      report(
        .error, "pointer-differs", path,
        "\(path) is not the copy of the manifest of \(channel) that it must be")
    case .missing:
      report(
        .warning, "no-immutable-manifest", path,
        "release \(version) has no lasting copy of its manifest; the next publish writes one")
    case .failed: break
    }
  }

  /// A channel beside the stable one: whatever is wrong with it, the rest of the feed is worth a look.
  private mutating func checkOtherPointer(of channel: Channel) async {
    do throws(Problem) {
      try await checkPointer(of: channel)
    } catch  where Self.isMissing(error) {
      // A folder that an interrupted publish left, or a lost pointer: the kept releases will tell.
      return
    } catch {
      channels.append(channel)
      report(.error, error.code.rawValue, channel.manifestPath, error.message)
    }
  }

  /// What became of reading a manifest; a failure is a finding already.
  private enum Reading {
    case bytes([UInt8])
    case missing
    case failed
  }

  private mutating func read(_ path: String) async -> Reading {
    do throws(Problem) {
      let bytes = try await reader.read(try Self.relative(path), maxBytes: Limits.standard.maxManifestBytes)
      checked[path] = Int64(bytes.count)
      return .bytes(bytes)
    } catch  where Self.isMissing(error) {
      return .missing
    } catch {
      report(.error, error.code.rawValue, path, error.message)
      return .failed
    }
  }

  private static func isMissing(_ problem: Problem) -> Bool {
    problem.code == .notFound || problem.code == .fileMissing
  }

  private static func relative(_ path: String) throws(Problem) -> RelativePath {
    do {
      return try RelativePath(path)
    } catch {
      throw Problem(.forbiddenURL, "the path \(path) \(error.message)")
    }
  }

  /// Over a network, older releases are found by the parents that manifests name, as far as the feed keeps them.
  private mutating func followHistory() async {
    var next = releases.first?.manifest
    for _ in 0..<Self.maxHistory {
      guard let digest = next?.parent, let version = next?.parentVersion else { return }
      next = await keep(ReleaseName(version: version, manifest: digest))
    }
  }

  private mutating func readKeptReleases(of directory: DirectoryHost) async throws(Problem) {
    let pending = try await FeedState.readPending(directory)
    for name in try await FeedState.listReleases(directory)
    where name != pending && !releases.contains(where: { $0.digest == name.manifest }) {
      guard let manifest = await keep(name), !channels.contains(manifest.channel) else { continue }
      report(
        .error, ProblemCode.feedIncomplete.rawValue, manifest.channel.manifestPath,
        "\(manifest.channel.manifestPath) is missing, but release \(manifest.version) of \(manifest.channel) is there"
      )
      channels.append(manifest.channel)
    }
  }

  /// Notes a release when it is there and its manifest is what its name says.
  private mutating func keep(_ name: ReleaseName) async -> Manifest? {
    guard case .bytes(let bytes) = await read(name.path) else { return nil }
    do throws(Problem) {
      let release =
        directory == nil
        ? try VerifiedManifest(unsigned: bytes, name: name.path)
        : try VerifiedManifest(local: bytes, name: name.path)
      guard release.digest == name.manifest, release.manifest.version == name.version else {
        throw Problem(.digestMismatch, "\(name.path) is damaged: its content is not what its name says")
      }
      if directory == nil { verified[try reader.address(of: name.path)] = release.digest }
      releases.append(release)
      return release.manifest
    } catch {
      report(.error, error.code.rawValue, name.path, error.message)
      return nil
    }
  }

  /// Reads a file of a release once, however many releases share it.
  private mutating func check(_ file: FeedLayout.ContentFile, of manifest: Manifest) async {
    let artifact = file.artifact(of: manifest)
    // In a folder the digest finds the file; on the network every address must lead to it.
    let place = artifact.location.text
    let key = directory == nil ? "\(place) \(artifact.sha256)" : artifact.sha256.hex
    guard checked.updateValue(artifact.bytes, forKey: key) == nil else { return }
    checkAddress(artifact, of: manifest)
    do throws(Problem) {
      let bytes = try await ReleaseContent(reader: reader).bytes(of: file, in: manifest)
      if directory == nil { verified[try reader.address(of: artifact.location)] = artifact.sha256 }
      if let refusal = ReleaseContent.refusal(file, bytes) { throw refusal }
    } catch {
      report(.error, error.code.rawValue, place, "release \(manifest.version): \(error.message)")
    }
  }

  /// What the settings promise to clients of the feed that was taken over.
  private mutating func checkOldNames() async throws(Problem) {
    guard let directory,
      let bytes = try directory.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes)
    else { return }
    let head = releases.map(\.manifest.version).max()
    for file in try FeedSettings(decoding: bytes).counting(for: head).oldNames?.files ?? [] {
      let fault = try OldNames.fault(of: file, on: directory)
      guard let fault else { continue }
      report(
        .error, ProblemCode.feedIncomplete.rawValue, file.path,
        "\(file.path) \(fault): old clients look for it")
    }
  }

  private mutating func checkAddress(_ artifact: Artifact, of manifest: Manifest) {
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
