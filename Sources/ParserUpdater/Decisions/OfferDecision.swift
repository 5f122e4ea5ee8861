internal import OTAFeed
internal import OTAManifest

/// What a device does with the newest release of its feed.
enum OfferDecision: Equatable, Sendable {
  /// Download, verify and stage it; `repairing` when it is here already but its files are not whole.
  case install(repairing: Bool)
  /// It is staged and waits for the next launch.
  case staged
  /// It runs, or something that is not older does.
  case upToDate(running: ReleaseVersion?)
  /// It is older than one that was accepted before: an edge that lags, or a replay. Ignored quietly.
  case older(floor: ReleaseVersion)
  /// It may not be used here.
  case notUsable(Ineligibility)
  /// It would be installed if no release were pinned.
  case pinned
  /// Its number was seen with other bytes.
  case versionReused
}

extension OfferDecision {
  /// The decision as a caller sees it.
  func result(for manifest: Manifest) -> CheckResult {
    let version = manifest.version
    switch self {
    case .install: return .available(version, notes: manifest.notes)
    case .staged: return .staged(version)
    case .upToDate(let running): return .upToDate(running)
    case .older(let floor): return .older(version, floor: floor)
    case .notUsable(let reason): return .notUsable(version, reason)
    case .pinned: return .pinned(version)
    case .versionReused: return .notUsable(version, .versionReused)
    }
  }
}

/// Decides on an offer by the same rules as a launch.
///
/// - Parameters:
///   - isWhole: whether the files of a release that a slot refers to are on disk, read and hashed.
/// - Throws: the reason why that cannot be known: then nothing is downloaded and nothing replaced.
func decide<Failure: Error>(
  on verified: VerifiedManifest, state: DeviceState, embedded: ReleaseReference?, app: AppCapabilities,
  channel: Channel, isWhole: (ReleaseReference) throws(Failure) -> Bool
) throws(Failure) -> OfferDecision {
  let manifest = verified.manifest
  let offer = ReleaseReference(manifest, digest: verified.digest)
  func running() throws(Failure) -> ReleaseReference? {
    try releaseThatRuns(state, embedded: embedded, app: app, isWhole: isWhole)
  }
  if state.reusesNumber(of: manifest, embedded: embedded, channel: channel) { return .versionReused }
  if let embedded, offer.version <= embedded.version { return .upToDate(running: try running()?.version) }
  if let seen = state.seen[channel], offer.version < seen.version { return .older(floor: seen.version) }
  for ahead in state.releasesAhead(of: offer.version)
  where ineligibility(of: ahead, in: state, for: app) == nil {
    if try isWhole(ahead) { return .upToDate(running: ahead.version) }
  }
  if !manifest.unknownFeatures.isEmpty { return .notUsable(.unknownFeatures(manifest.unknownFeatures)) }
  if let reason = ineligibility(of: offer, in: state, for: app) { return .notUsable(reason) }
  let downloads = [state.current, state.previous].compactMap(\.self)
  // What is not the offer need not be hashed. A number below the running one is an offer only where no floor is left: in a
  // new epoch of the feed.
  if downloads.contains(where: { $0.isSameRelease(as: offer) }), let running = try running(),
    running.isSameRelease(as: offer)
  {
    return .upToDate(running: running.version)
  }
  if state.pin != nil { return .pinned }
  if let staged = state.staged, staged.isSameRelease(as: offer), try isWhole(staged) { return .staged }
  let known = [state.staged, state.current].compactMap(\.self)
  return .install(repairing: known.contains { $0.isSameRelease(as: offer) })
}

extension DeviceState {
  /// Whether the number of an offer belongs to other contents already: inside the app, in a slot of any channel, or as
  /// the newest that was accepted.
  func reusesNumber(of offer: Manifest, embedded: ReleaseReference?, channel: Channel) -> Bool {
    let (version, pair) = (offer.version, offer.pair)
    if let seen = seen[channel], seen.version == version, seen.pair != pair { return true }
    return (references + [embedded].compactMap(\.self)).contains { $0.version == version && $0.pair != pair }
  }
}

/// The release that a launch without a staged one would run: the first that is eligible and whole, as at a launch.
private func releaseThatRuns<Failure: Error>(
  _ state: DeviceState, embedded: ReleaseReference?, app: AppCapabilities,
  isWhole: (ReleaseReference) throws(Failure) -> Bool
) throws(Failure) -> ReleaseReference? {
  for release in [state.current, state.previous].compactMap(\.self) {
    let isNewer = embedded.map { $0.version < release.version } ?? true
    guard isNewer, ineligibility(of: release, in: state, for: app) == nil else { continue }
    if try isWhole(release) { return release }
  }
  return embedded
}

extension ReleaseReference {
  /// Whether number and files are the same; a manifest that was only written anew makes no other release.
  fileprivate func isSameRelease(as other: ReleaseReference) -> Bool {
    version == other.version && pair == other.pair
  }
}
