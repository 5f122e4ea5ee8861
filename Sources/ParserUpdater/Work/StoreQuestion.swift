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
    let (store, state, damage) = try read()
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
      damage: damage, stale: state.stale.map { .init(since: $0.since, reason: $0.reason) },
      clockDoubt: StoredTrust(store, embedded: configuration.embedded).moment(now, state).doubt,
      trust: trustStatus(of: store), next: explanation(state, store, offer: nil))
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
      let named = version.map { "release \($0) is not one that this device runs" }
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
    let (store, state, _) = try read()
    guard let manifest else { return explanation(state, store, offer: nil) }
    let offer = try VerifiedManifest(unsigned: manifest, name: "the manifest")
    return explanation(state, store, offer: offer)
  }

  private func read() throws(Problem) -> (store: DeviceStore?, state: DeviceState, damage: String?) {
    do {
      guard let store = try DeviceStore.open(configuration.directory) else {
        return (nil, DeviceState(), nil)
      }
      switch store.readState() {
      case .fresh: return (store, DeviceState(), nil)
      case .state(let state): return (store, state, nil)
      case .damaged(let reason): return (store, StateRecovery.rebuild(from: store), reason)
      }
    } catch {
      throw Problem(error)
    }
  }

  private func explanation(
    _ state: DeviceState, _ store: DeviceStore?, offer: VerifiedManifest?
  ) -> Explanation {
    let isInUse = state.trial != nil && (state.current.map { store?.isInUse($0) ?? false } ?? false)
    let plan = LaunchPlan(
      state,
      LaunchSituation(
        embedded: embedded, app: configuration.app, unconfirmedLimit: configuration.unconfirmedLaunchLimit,
        trialIsInUse: isInUse, canRecord: true, now: now))
    let candidates = plan.candidates.map { candidate in
      Explanation.Candidate(
        version: candidate.release.version, origin: candidate.origin,
        isOnTrial: candidate.origin == .staged
          || (plan.state.trial != nil && candidate.release == plan.state.current))
    }
    return Explanation(
      candidates: candidates, passedOver: plan.passedOver, offer: offer.map { result(on: $0, state, store) })
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
