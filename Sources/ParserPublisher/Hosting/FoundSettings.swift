internal import OTAFeed
internal import OTAManifest

/// The settings to begin with: those of the feed, or what a feed without them shows of itself.
struct FoundSettings {
  let settings: FeedSettings
  /// The release that showed the base URL; `nil` when none did.
  private let witness: ReleaseVersion?
  /// How many releases are there.
  private let kept: Int
  /// The roles whose days signed metadata shows; `nil` without such metadata.
  private let shownDays: Set<String>?

  /// Whether the feed has signed metadata.
  var isSigned: Bool { shownDays != nil }

  static func read(
    _ before: FeedSettings?, _ existing: VerifiedManifest?, _ request: InitRequest, _ host: any FeedHost
  ) async throws(Problem) -> FoundSettings {
    if let before { return FoundSettings(settings: before, witness: nil, kept: 0, shownDays: nil) }
    var settings = FeedSettings()
    let base = existing.flatMap { baseURL(shownBy: $0.manifest) }
    if let base, request.adopt == nil { try requireSame(base, request) }
    settings.baseURL = base
    let kept = try await mostKept(host)
    settings.keptReleases = min(
      max(settings.keptReleases, kept), FeedSettings.keptReleasesRange.upperBound)
    var shownDays: Set<String>?
    if try await host.list(FeedLayout.metadataFolder).contains(FeedLayout.timestampName) {
      let found = ShownExpiry(try await MetadataState.read(from: host), existing?.manifest.released)
      (settings.trust, shownDays) = (.signed(found.policy), found.shown)
    }
    return FoundSettings(
      settings: settings, witness: base == nil ? nil : existing?.manifest.version, kept: kept,
      shownDays: shownDays)
  }

  /// The folder above `files/releases/` in the addresses of a release of this layout.
  private static func baseURL(shownBy manifest: Manifest) -> WebAddress? {
    var folders: Set<WebAddress> = []
    for file in FeedLayout.ContentFile.allCases {
      guard case .absolute(let address) = file.artifact(of: manifest).location, manifest.isInOwnLayout,
        let folder = address.folder(whenFileIsAt: TargetsInventory.content(file, of: manifest).path)
      else { return nil }
      folders.insert(folder)
    }
    return folders.count == 1 ? folders.first : nil
  }

  /// Settings that were lost are not the moment to move a feed: that would go unnoticed.
  private static func requireSame(_ base: WebAddress, _ request: InitRequest) throws(Problem) {
    guard let wanted = request.baseURL, wanted.asFolder != base else { return }
    throw Problem(
      .inputRefused,
      "the live release of \(request.directory) has its files at \(base), and the base URL \(wanted.asFolder) is another",
      kept: "nothing was written",
      advice:
        "leave --base-url out to go on with \(base); to move the feed, run init once more with the new address"
    )
  }

  /// The largest number of releases that a channel has.
  private static func mostKept(_ host: any FeedHost) async throws(Problem) -> Int {
    var counts: [Channel: Int] = [:]
    for name in try await FeedState.listReleases(host) {
      guard let bytes = try await host.read(name.path, maxBytes: Limits.standard.maxManifestBytes) else {
        continue
      }
      // One that is damaged counts for no channel; verify names it.
      guard let manifest = try? Manifest.decode(bytes) else { continue }
      counts[manifest.channel, default: 0] += 1
    }
    return counts.values.max() ?? 0
  }

  /// Each setting that was not given, and where it comes from.
  func lines(_ settings: FeedSettings, _ request: InitRequest) -> [String] {
    var lines: [String] = []
    if request.baseURL == nil {
      lines.append(
        settings.baseURL.map {
          "baseURL: \($0) (\(witness.map { "from release \($0)" } ?? "from the old feed"))"
        }
          ?? "baseURL: none, addresses are relative (set it with --base-url URL)")
    }
    if request.keptReleases == nil {
      let source = kept > FeedSettings().keptReleases ? "as many as are there" : "default"
      lines.append("keptReleases: \(settings.keptReleases) (\(source); set it with --keep N)")
    }
    if request.trust == nil { lines.append("trust: \(settings.trust.name) (from the feed)") }
    if case .signed(let expiry) = settings.trust, let shownDays { lines += expiry.lines(shown: shownDays) }
    return lines
  }
}

/// How long a feed signs for, as far as its metadata shows it.
private struct ShownExpiry {
  private(set) var policy = ExpiryPolicy()
  private(set) var shown: Set<String> = []

  /// - Parameter released: when the newest release was made, which is when targets and snapshot were signed.
  init(_ metadata: MetadataState, _ released: Timestamp?) {
    guard let released else { return }
    if let days = Self.days(from: released, to: metadata.targets.expires) {
      policy.targetsDays = days
      shown.insert("targets")
    }
    if let days = Self.days(from: released, to: metadata.snapshot.expires) {
      policy.snapshotDays = days
      shown.insert("snapshot")
    }
    if let days = Self.days(from: released, to: metadata.timestamp.expires) {
      policy.timestampDays = days
      shown.insert("timestamp")
    }
  }

  /// Whole days between two moments; `nil` when it was signed at another moment than this.
  private static func days(from start: Timestamp, to end: Timestamp) -> Int? {
    let seconds = end.secondsSinceEpoch - start.secondsSinceEpoch
    let days = Int(seconds / 86_400)
    return seconds % 86_400 == 0 && ExpiryPolicy.range.contains(days) ? days : nil
  }
}

extension ExpiryPolicy {
  /// One line for each role, with where its number comes from.
  fileprivate func lines(shown: Set<String>) -> [String] {
    [("root", rootDays), ("targets", targetsDays), ("snapshot", snapshotDays), ("timestamp", timestampDays)]
      .map { "expiryDays.\($0): \($1) (\(shown.contains($0) ? "from metadata/" : "default"))" }
  }
}
