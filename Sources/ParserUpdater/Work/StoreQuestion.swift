internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Answers about a store; reads only, and takes no lock, since the state file is replaced as a whole.
struct StoreQuestion {
  private let configuration: UpdaterConfiguration
  private let now: Timestamp

  init(_ configuration: UpdaterConfiguration, now: Timestamp) {
    self.configuration = configuration
    self.now = now
  }

  func status() throws(Problem) -> DeviceStatus {
    let reading = try read()
    let state = reading.state
    func entry(_ release: ReleaseReference?) -> DeviceStatus.Entry? {
      release.map {
        .init(version: $0.version, obstacle: ineligibility(of: $0, in: state, for: configuration.app))
      }
    }
    return DeviceStatus(
      embedded: embedded?.version, current: entry(state.current),
      unconfirmedLaunches: state.trial?.launches.count, previous: entry(state.previous),
      staged: entry(state.staged),
      pinned: pinnedVersion(state),
      rejected: state.rejected.map {
        .init(version: $0.version, pair: $0.pair, reason: $0.reason, date: $0.date)
      },
      withdrawn: state.withdrawn, floor: state.seen[configuration.channel]?.version,
      lastProblem: state.lastProblem.map { .init(code: $0.code, message: $0.message, date: $0.date) },
      damage: reading.damage, stale: state.stale.map { .init(since: $0.since, reason: $0.reason) },
      clockDoubt: StoredTrust(reading.store, embedded: configuration.embedded).moment(now, state).doubt,
      trust: trustStatus(of: reading.store), next: explanation(reading, offer: nil))
  }

  /// What is trusted; a root that is refused stops updates, and the rest of the status is still worth reading.
  private func trustStatus(of store: DeviceStore?) -> TrustStatus {
    do {
      return try configuration.trust.status(
        try StoredTrust(store, embedded: configuration.embedded).readOnly())
    } catch {
      let problem = (error as? Problem) ?? (error as? StorageError).map { Problem($0) }
      return TrustStatus(name: configuration.trust.name, roles: [], obstacle: problem)
    }
  }

  /// Whether anything but the copy inside the app can be running.
  var hasDownloads: Bool {
    get throws(Problem) { try read().state.current != nil }
  }

  /// The release and launch that a word without all names speaks for.
  func running(
    version: ReleaseVersion?, launch: LaunchID?
  ) throws(Problem) -> (release: ReleaseReference, launch: LaunchID) {
    let state = try read().state
    let slots = [state.current, state.previous].compactMap(\.self)
    guard let release = slots.first(where: { version == nil || $0.version == version }) else {
      let isRejected = state.rejected.contains { $0.version == version }
      let reason = isRejected ? "was rejected here before" : "is not one that this device runs"
      let named = version.map { "release \($0) \(reason)" }
      throw Problem(
        .noSuchRelease, named ?? "the copy inside the app runs, which is neither confirmed nor rejected",
        kept: "the state as it was")
    }
    return (release, launch ?? state.trial?.launches.last ?? .random())
  }

  /// Throws when a report that this release failed in this launch would be ignored.
  func requireFailureCounts(_ release: ReleaseReference, _ launch: LaunchID) throws(Problem) {
    var state = try read().state
    guard
      case .ignored(let reason) = state.apply(.failed(reason: ""), release: release, launch: launch, now: now)
    else { return }
    throw Problem(
      .otherLaunch, reason, kept: "the state as it was", advice: "ask for the status to see what runs")
  }

  func history() throws(Problem) -> [HistoryEvent] {
    do {
      guard let store = try DeviceStore.open(configuration.directory) else { return [] }
      return try HistoryFile(root: store.root).read()
    } catch {
      throw Problem(error)
    }
  }

  func explain(manifest: [UInt8]?) throws(Problem) -> Explanation {
    let reading = try read()
    guard let manifest else { return explanation(reading, offer: nil) }
    let offer = try VerifiedManifest(unsigned: manifest, name: "the manifest")
    return explanation(reading, offer: offer)
  }

  /// What a store says, and why that is not the whole truth where it is not.
  private struct Reading {
    var store: DeviceStore?
    var state = DeviceState()
    var damage: String?
    /// Whether a launch would use the store at all.
    var isTrusted = true
  }

  private func read() throws(Problem) -> Reading {
    var reading = Reading()
    do {
      guard let store = try DeviceStore.open(configuration.directory) else { return reading }
      reading.store = store
      switch store.readState() {
      case .fresh: break
      case .state(let state): reading.state = state
      case .damaged(let reason):
        reading.state = StateRecovery.rebuild(from: store)
        reading.damage = reason
      }
      do {
        try store.root.checkPrivate()
      } catch  where error.kind == .untrustedOwner {
        reading.damage = error.message
        reading.isTrusted = false
      }
      return reading
    } catch {
      throw Problem(error)
    }
  }

  private func explanation(_ reading: Reading, offer: VerifiedManifest?) -> Explanation {
    let store = reading.isTrusted ? reading.store : nil
    let state = reading.isTrusted ? reading.state : DeviceState()
    let plan = LaunchPlan(
      state,
      LaunchSituation(
        embedded: embedded, app: configuration.app, unconfirmedLimit: configuration.unconfirmedLaunchLimit,
        livingLaunches: livingLaunches(of: state, in: store), canRecord: true, now: now))
    let candidates = plan.candidates.map { candidate in
      Explanation.Candidate(
        version: candidate.release.version, origin: candidate.origin,
        isOnTrial: candidate.origin == .staged
          || (plan.state.trial != nil && candidate.release == plan.state.current))
    }
    return Explanation(
      candidates: candidates, passedOver: plan.passedOver, offer: offer.map { result(on: $0, state, store) })
  }

  private func livingLaunches(of state: DeviceState, in store: DeviceStore?) -> Set<LaunchID> {
    do {
      return try store?.livingLaunches(of: state.trial) ?? []
    } catch {
      // As at a launch, which has a note about it: what cannot be known to go on counts as ended.
      return []
    }
  }

  private func result(on offer: VerifiedManifest, _ state: DeviceState, _ store: DeviceStore?) -> CheckResult
  {
    decide(
      on: offer, state: state, embedded: embedded, app: configuration.app, channel: configuration.channel
    ) { release in store?.isWhole(release) ?? false }.result(for: offer.manifest)
  }

  private func pinnedVersion(_ state: DeviceState) -> ReleaseVersion? {
    switch state.pin {
    case .embedded: embedded?.version
    case .release(let release): release.version
    case nil: nil
    }
  }

  private var embedded: ReleaseReference? { configuration.embedded.readableReference }
}
