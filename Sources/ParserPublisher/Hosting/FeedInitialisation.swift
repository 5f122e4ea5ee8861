internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Makes a folder a feed: the page for people, what is taken over, and last the settings.
struct FeedInitialisation {
  let request: InitRequest

  private var host: DirectoryHost { DirectoryHost(root: request.directory) }

  func run() async throws(Problem) -> InitReport {
    try checkRequest()
    do {
      _ = try Directory.create(request.directory, mode: 0o755)
    } catch {
      throw Problem(onFeed: error)
    }
    let lock = try await host.lock(wait: .seconds(10))
    defer { lock.release() }
    let before = try host.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes)
      .map { (bytes) throws(Problem) in try FeedSettings(decoding: bytes) }
    let signature = try await InitialSignature(request: request, before: before, host: host)
    let existing = try await existingRelease(isNew: before == nil)
    let adopted = try await adopt(over: existing)
    let settings = wanted(before, signature.trust)
    try writePage(isSigned: settings.trust != .checksumsOnly)
    try await signature.write(under: settings)
    if settings != before { try host.replacePointer(FeedLayout.settings, with: settings.encoded()) }
    return InitReport(
      directory: request.directory, outcome: Self.outcome(from: before, to: settings),
      adopted: adopted ?? (before == nil ? existing?.manifest.version : nil))
  }

  private func checkRequest() throws(Problem) {
    if let base = request.baseURL {
      guard base.scheme == "https" || base.isLoopback else {
        throw Problem(.inputRefused, "the base URL \(base) is plain http, which clients refuse: use https")
      }
      guard base.query == nil else {
        throw Problem(
          .inputRefused, "the base URL \(base) has a query: give the address of the feed's folder")
      }
    }
    if let kept = request.keptReleases, !FeedSettings.keptReleasesRange.contains(kept) {
      let range = FeedSettings.keptReleasesRange
      throw Problem(
        .inputRefused,
        "the number of kept releases is \(kept), outside \(range.lowerBound) to \(range.upperBound)")
    }
  }

  /// A feed from before this tool is taken as it is, but only when its manifest can be read.
  private func existingRelease(isNew: Bool) async throws(Problem) -> VerifiedManifest? {
    let existing = try await FeedState.readPointer(of: .stable, host)
    guard let existing, isNew else { return existing }
    do {
      let lookup = ContentLookup(host: host)
      for file in FeedLayout.ContentFile.allCases {
        _ = try await lookup.bytes(of: file, in: existing.manifest)
      }
      return existing
    } catch  where error.code == .feedIncomplete {
      throw Problem(
        error.code, error.message,
        advice:
          "put the file there, or make the feed in an empty folder with --adopt and the address of the old one"
      )
    }
  }

  private func adopt(over existing: VerifiedManifest?) async throws(Problem) -> ReleaseVersion? {
    guard let source = request.adopt else { return nil }
    let release = try await AdoptedRelease.read(
      from: source, allowsPlainHTTPOnLoopback: request.allowsPlainHTTPOnLoopback)
    let manifest = release.manifest.manifest
    if let existing, existing.digest != release.manifest.digest {
      throw Problem(
        .inputRefused,
        "\(request.directory) already has release \(existing.manifest.version), so release \(manifest.version) of "
          + "\(source.text) cannot be taken over",
        advice: "adopt into an empty folder")
    }
    try write(release)
    return manifest.version
  }

  private func write(_ release: AdoptedRelease) throws(Problem) {
    let manifest = release.manifest.manifest
    let bundlePath = try Self.path(of: .bundle, in: manifest)
    let sourcesPath = try Self.path(of: .sources, in: manifest)
    guard bundlePath != sourcesPath else {
      throw Problem(.forbiddenURL, "the manifest names \(bundlePath) both as the bundle and as the catalog")
    }
    _ = try host.putImmutable(bundlePath, release.bundle)
    _ = try host.putImmutable(sourcesPath, release.sources)
    _ = try host.putImmutable(
      FeedLayout.manifest(release.manifest.digest, of: manifest.version), release.manifest.bytes)
    try host.replacePointer(Channel.stable.manifestPath, with: release.manifest.bytes)
  }

  /// Where the manifest says that the file is, when that is a path of a feed; else where this feed would put it.
  ///
  /// The manifest came from outside, so it may not choose the files that a feed needs for itself.
  private static func path(
    of file: FeedLayout.ContentFile, in manifest: Manifest
  ) throws(Problem) -> String {
    let artifact = file.artifact(of: manifest)
    if case .relative(let path) = artifact.location {
      guard !FeedLayout.isReserved(path.text) else {
        throw Problem(.forbiddenURL, "the manifest names \(path), which a feed needs for itself")
      }
      return path.text
    }
    return ContentLookup.candidates(file, of: manifest)
      .first { FeedLayout.isContentAddressed($0, file, artifact.sha256) }
      ?? FeedLayout.content(file, artifact.sha256, of: manifest.content)
  }

  /// A page that somebody wrote is kept.
  private func writePage(isSigned: Bool) throws(Problem) {
    let page = try host.read(FeedLayout.page, maxBytes: 1 << 20)
    guard page == nil || page == Array(FeedPage.html(isSigned: !isSigned).utf8) else { return }
    try host.replacePointer(FeedLayout.page, with: Array(FeedPage.html(isSigned: isSigned).utf8))
  }

  private func wanted(_ before: FeedSettings?, _ trust: FeedTrust) -> FeedSettings {
    var settings = before ?? FeedSettings()
    settings.trust = trust
    settings.baseURL = request.baseURL?.asFolder ?? settings.baseURL
    settings.keptReleases = request.keptReleases ?? settings.keptReleases
    return settings
  }

  private static func outcome(from before: FeedSettings?, to after: FeedSettings) -> InitReport.Outcome {
    guard let before else { return .created }
    var changes: [String] = []
    if let base = after.baseURL, base != before.baseURL { changes.append("base URL is now \(base)") }
    if after.keptReleases != before.keptReleases {
      changes.append("kept releases are now \(after.keptReleases)")
    }
    if after.trust != before.trust {
      changes.append(
        after.trust.name == before.trust.name
          ? "new metadata expires after other numbers of days" : "the feed is signed now")
    }
    return changes.isEmpty ? .alreadyInitialised : .updated(changes: changes)
  }
}
