internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Makes a folder a feed: what is taken over, the pages for people, and last the settings.
///
/// Everything is read, planned and rehearsed before the first byte is written. Killed at any point, readers see the feed
/// before or the feed after, and the same request finishes the job.
struct FeedInitialisation {
  let request: InitRequest

  private var host: any FeedHost { request.host ?? DirectoryHost(root: request.directory) }

  func run() async throws(Problem) -> InitReport {
    try checkRequest()
    return request.host == nil || request.host is DeployHost ? try await runInFolder() : try await runOnHost()
  }

  /// Makes the feed on a host that is no folder.
  private func runOnHost() async throws(Problem) -> InitReport {
    try await FeedFolder.requireUsable(host, request.directory)
    return try await host.locked { () async throws(Problem) in try await makeFeed() }
  }

  private func runInFolder() async throws(Problem) -> InitReport {
    let folder = FeedFolder(path: request.directory)
    try folder.requireUsable()
    let before = try folder.before()
    do throws(StorageError) {
      _ = try Directory.create(request.directory, mode: 0o755)
    } catch {
      throw Problem(onFeed: error)
    }
    return try await host.locked { () async throws(Problem) in
      do throws(Problem) {
        return try await makeFeed()
      } catch {
        folder.clean(to: before)
        throw error
      }
    }
  }

  private func makeFeed() async throws(Problem) -> InitReport {
    let before = try await host.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes)
      .map { (bytes) throws(Problem) in try FeedSettings(decoding: bytes) }
    let existing = try await existingRelease(isNew: before == nil)
    let found = try await FoundSettings.read(before, existing, request, host)
    if request.host != nil, request.trust == nil, before == nil, !found.isSigned, existing == nil {
      throw Problem(
        .misuse, "a new feed needs keys: \(request.directory) has no feed yet", kept: "nothing was written",
        advice: "give --root-key and --release-key, or --checksums-only for a feed without signatures")
    }
    let signature = try await InitialSignature(
      request: request, before: before, found: found.settings.trust, host: host)
    let adopted = try await adoptedRelease(over: existing, before)
    var settings = try await wanted(found.settings, signature.trust, adopted)
    let adoption = try adopted.map { (adopted) throws(Problem) in
      try Adoption(
        adopted.release, settings: settings, keepOldNames: request.keepOldNames ?? OldNames.standardReleases)
    }
    if let adoption {
      try requireSameNames(adoption, before)
      settings.oldNames = adoption.oldNames
    }
    let question = LiveFeedQuestion(request: request, settings: settings)
    let note = try await question.ask(own: adoption?.release.manifest.version ?? existing?.manifest.version)
    let plan = FeedPlan(host: host, settings: settings, adoption: adoption, now: request.date)
    try await plan.write(signature)
    if settings != before { try await host.replace(FeedLayout.settings, with: settings.encoded()) }
    try await plan.tidy(adopted?.isInPlace == true)
    return InitReport(
      directory: request.directory, outcome: Self.outcome(from: before, to: settings),
      adopted: adoption?.release.manifest.version ?? (before == nil ? existing?.manifest.version : nil),
      oldNames: adoption?.oldNames?.files.map(\.path) ?? [], oldNamesUntil: adoption?.oldNames?.until,
      settings: before == nil && (existing != nil || adopted != nil || found.isSigned)
        ? found.lines(settings, request) : [],
      warnings: (adoption?.notes ?? []) + [note].compactMap(\.self),
      isSigned: settings.trust != .checksumsOnly)
  }

  private func checkRequest() throws(Problem) {
    if let base = request.baseURL {
      guard base.scheme == "https" || base.isLoopback else {
        throw Problem(
          .inputRefused, "the base URL \(base) is plain http, which clients refuse",
          advice: "serve the feed over https")
      }
      guard base.query == nil else {
        throw Problem(
          .inputRefused, "the base URL \(base) has a query", advice: "give the address of the feed's folder")
      }
    }
    try Self.check(request.keptReleases, "kept releases", FeedSettings.keptReleasesRange)
    try Self.check(request.keepOldNames, "releases with old names", OldNames.range)
  }

  private static func check(_ number: Int?, _ what: String, _ range: ClosedRange<Int>) throws(Problem) {
    guard let number, !range.contains(number) else { return }
    throw Problem(
      .inputRefused,
      "the number of \(what) is \(number), outside \(range.lowerBound) to \(range.upperBound)")
  }

  // MARK: What is there

  /// The newest stable release of the folder; while one is being adopted, as it was before that.
  private func existingRelease(isNew: Bool) async throws(Problem) -> VerifiedManifest? {
    guard let bytes = try await host.read(FeedLayout.adopting, maxBytes: Limits.standard.maxManifestBytes)
    else {
      do throws(Problem) {
        return try await FeedState.readPointer(of: .stable, host)
      } catch  where error.code == .manifestInvalid && isNew {
        throw Problem(
          error.code, "\(request.directory): \(error.message)",
          advice: "give the folder of a feed, or an empty one; --adopt URL takes over what is live")
      }
    }
    return try VerifiedManifest(unsigned: bytes, name: FeedLayout.adopting)
  }

  /// A release to go on from, and whether it is in the folder already.
  private struct Found {
    let release: AdoptedRelease
    let source: FeedLocation
    let isInPlace: Bool
  }

  /// The release of the feed to take over, or that of the folder when it is not in this layout yet.
  private func adoptedRelease(
    over existing: VerifiedManifest?, _ before: FeedSettings?
  ) async throws(Problem) -> Found? {
    if let source = request.adopt {
      let release = try await AdoptedRelease.read(
        from: source, allowsPlainHTTPOnLoopback: request.allowsPlainHTTPOnLoopback)
      try await requireSame(release, existing, source)
      if try await isSignedAlready() { return nil }
      return Found(release: release, source: source, isInPlace: false)
    }
    guard let existing, try await needsAdoption(existing, before) else { return nil }
    let place = FeedLocation.directory(request.directory)
    guard request.host == nil else {
      throw Problem(
        .inputRefused, "\(request.directory) has a feed of another layout",
        kept: "nothing was changed there",
        advice: "adopt it from its public address into an empty place: --adopt URL")
    }
    do {
      let release = try await AdoptedRelease.read(existing, FeedReader(place), request.directory)
      return Found(release: release, source: place, isInPlace: true)
    } catch  where error.code == .feedIncomplete {
      throw Problem(
        error.code, error.message,
        advice:
          "put the file there, or make the feed in an empty folder with --adopt and the address of the old one"
      )
    }
  }

  /// A release in another layout is adopted, unless signed metadata speaks of it already.
  private func needsAdoption(
    _ existing: VerifiedManifest, _ before: FeedSettings?
  ) async throws(Problem) -> Bool {
    if try await host.read(FeedLayout.adopting, maxBytes: Limits.standard.maxManifestBytes) != nil {
      return true
    }
    if try await isSignedAlready() { return false }
    guard existing.manifest.isInOwnLayout else { return true }
    guard before == nil else { return false }
    for file in FeedLayout.ContentFile.allCases {
      _ = try await ContentLookup(host: host).bytes(of: file, in: existing.manifest)
    }
    return false
  }

  /// What signed metadata speaks of stays as it is signed; an adoption that was interrupted goes on.
  private func isSignedAlready() async throws(Problem) -> Bool {
    let isAdopting =
      try await host.read(FeedLayout.adopting, maxBytes: Limits.standard.maxManifestBytes) != nil
    let isSigned = try await host.list(FeedLayout.metadataFolder).contains(FeedLayout.timestampName)
    return isSigned && !isAdopting
  }

  /// The same content at other addresses is another feed: what was promised to clients of the first one stays.
  private func requireSameNames(_ adoption: Adoption, _ before: FeedSettings?) throws(Problem) {
    guard let names = before?.oldNames, request.keepOldNames == nil, names.files != adoption.oldNames?.files
    else { return }
    throw occupied(adoption.release.manifest.version, adoption.old.manifest.version, "that feed")
  }

  private func occupied(_ own: ReleaseVersion, _ other: ReleaseVersion, _ place: String) -> Problem {
    Problem(
      .inputRefused,
      "\(request.directory) already has release \(own), so release \(other) of \(place) cannot be taken over",
      advice: "adopt into an empty folder")
  }

  /// Adopting again is fine; another feed is not put over a release.
  private func requireSame(
    _ release: AdoptedRelease, _ existing: VerifiedManifest?, _ source: FeedLocation
  ) async throws(Problem) {
    guard let existing, existing.digest != release.manifest.digest else { return }
    let (old, new) = (existing.manifest, release.manifest.manifest)
    // What an adoption made of this release: the same but for where its files are.
    if old.version == new.version, old.pair == new.pair { return }
    throw occupied(old.version, new.version, source.text)
  }

  private func wanted(
    _ found: FeedSettings, _ trust: FeedTrust, _ adopted: Found?
  ) async throws(Problem) -> FeedSettings {
    var settings = found
    settings.trust = trust
    settings.baseURL = request.baseURL?.asFolder ?? settings.baseURL
    if settings.baseURL == nil, let adopted {
      settings.baseURL = try await adopted.release.baseURL(from: adopted.source)
    }
    settings.keptReleases = request.keptReleases ?? settings.keptReleases
    settings.engines = request.engines ?? settings.engines
    return settings
  }

  private static func outcome(from before: FeedSettings?, to after: FeedSettings) -> InitReport.Outcome {
    guard let before else { return .created }
    var changes: [String] = []
    if let base = after.baseURL, base != before.baseURL { changes.append("base URL is now \(base)") }
    if after.keptReleases != before.keptReleases {
      changes.append("kept releases are now \(after.keptReleases)")
    }
    if after.engines != before.engines {
      changes.append(
        after.engines.isEmpty
          ? "no old engines are set now" : "engines are now \(OldEngine.text(after.engines))")
    }
    if after.trust != before.trust {
      changes.append(
        after.trust.name == before.trust.name
          ? "new metadata expires after other numbers of days" : "the feed is signed now")
    }
    return changes.isEmpty ? .alreadyInitialised : .updated(changes: changes)
  }
}
