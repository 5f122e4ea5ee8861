internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Answers about a store by the rule and the reading of a launch, hashes included; changes nothing on the disk.
struct StoreQuestion {
  private let configuration: UpdaterConfiguration
  private let now: Timestamp

  init(_ configuration: UpdaterConfiguration, now: Timestamp) {
    self.configuration = configuration
    self.now = now
  }

  func status() throws(Problem) -> DeviceStatus {
    let reading = read()
    let state = reading.state
    func entry(_ release: ReleaseReference?) -> DeviceStatus.Entry? {
      release.map {
        .init(version: $0.version, obstacle: ineligibility(of: $0, in: state, for: configuration.app))
      }
    }
    return DeviceStatus(
      embedded: reading.embedded.reference?.version,
      running: reading.store?.releasesInUse().sorted() ?? [], rolledBack: rolledBack(reading.store),
      current: entry(state.current),
      unconfirmedLaunches: state.trial?.launches.count, previous: entry(state.previous),
      staged: entry(state.staged),
      pinned: pinnedVersion(reading),
      rejected: state.rejected.map {
        .init(version: $0.version, pair: $0.pair, reason: $0.reason, date: $0.date)
      },
      withdrawn: state.withdrawn, floor: state.seen[state.followedChannel(configuration.channel)]?.version,
      lastProblem: state.lastProblem.map { .init(code: $0.code, message: $0.message, date: $0.date) },
      historyProblem: historyProblem(reading), damage: reading.damage, isStateKnown: reading.obstacle == nil,
      stale: state.stale.map { .init(since: $0.since, reason: $0.reason) },
      hostOddity: hostMemory(state)?.oddity,
      askedAgainAt: hostMemory(state).flatMap {
        $0.pause(at: now)?.until ?? $0.dueDate(at: now)
      },
      clockDoubt: StoredTrust(reading.store, embedded: configuration.embedded).moment(now, state).doubt,
      trust: trustStatus(of: reading.store), next: try explanation(reading, offer: nil))
  }

  /// What the history does not tell: events that it did not take, and lines that are none.
  private func historyProblem(_ reading: Reading) -> String? {
    guard let store = reading.store else { return nil }
    do {
      let unreadable = try HistoryFile(root: store.root).readAll().unreadable
      let lines = unreadable == 0 ? nil : "\(unreadable) line\(unreadable == 1 ? "" : "s") cannot be read"
      let parts = [reading.state.historyLoss?.sentence, lines].compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: "; ")
    } catch {
      return error.message
    }
  }

  /// The last roll back, unless a launch was recorded after it.
  private func rolledBack(_ store: DeviceStore?) -> DeviceStatus.RolledBack? {
    do {
      let kinds: Set<HistoryEvent.Kind> = [.launched, .rolledBack]
      guard let store,
        let last = try HistoryFile(root: store.root).read().last(where: { kinds.contains($0.kind) }),
        last.kind == .rolledBack, let version = last.version, let date = last.date
      else { return nil }
      return DeviceStatus.RolledBack(version: version, date: date)
    } catch {
      // The history says nothing; what is wrong with it is said elsewhere.
      return nil
    }
  }

  /// What is known of the host, as long as it is the one of the settings.
  private func hostMemory(_ state: DeviceState) -> HostMemory? {
    state.host?.feed == configuration.feed.text ? state.host : nil
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

  /// Whether a word about a release can change anything: the copy inside the app needs none, whoever names it.
  func needsVerdict(_ version: ReleaseVersion?) throws(Problem) -> Bool {
    let state = try known()
    guard let version else { return state.current != nil }
    return version != embedded.reference?.version || state.references.contains { $0.version == version }
  }

  /// The release and launch that a word without all names speaks for.
  func running(
    version: ReleaseVersion?, launch: LaunchID?
  ) throws(Problem) -> (release: ReleaseReference, launch: LaunchID) {
    let state = try known()
    let slots = [state.current, state.previous, state.fallback?.release].compactMap(\.self)
    guard let release = slots.first(where: { version == nil || $0.version == version }) else {
      let isRejected = state.rejected.contains { $0.version == version }
      let reason = isRejected ? "was rejected here before" : "is not one that this device runs"
      let named = version.map { "release \($0) \(reason)" }
      throw Problem(
        .noSuchRelease, named ?? "the embedded copy is running; there is nothing to confirm",
        kept: "the state as it was")
    }
    return (release, launch ?? state.trial?.launches.last ?? .random())
  }

  /// Throws when a report that this release failed in this launch would be ignored.
  func requireFailureCounts(_ release: ReleaseReference, _ launch: LaunchID) throws(Problem) {
    var state = try known()
    guard
      case .ignored(let reason) = state.apply(.failed(reason: ""), release: release, launch: launch, now: now)
    else { return }
    throw Problem(
      .otherLaunch, reason, kept: "the state as it was", advice: "ask for the status to see what runs")
  }

  func channel() throws(Problem) -> ChannelStanding {
    let state = try known()
    return ChannelStanding(
      configured: configuration.channel, chosen: state.chosenChannel,
      followed: state.followedChannel(configuration.channel))
  }

  /// What the feed said last of sources, as far as it counts now.
  func advisories() -> Advisories? { read().state.slots.advisories?.current(at: now) }

  func history() throws(Problem) -> [HistoryEvent] {
    guard let store = try DeviceStore.openPrivate(configuration.directory) else { return [] }
    do {
      return try HistoryFile(root: store.root).read()
    } catch {
      throw Problem(error).keeping("the history")
    }
  }

  func explain(manifest: [UInt8]?) throws(Problem) -> Explanation {
    let offer = try manifest.map { (bytes) throws(Problem) in
      try VerifiedManifest(unsigned: bytes, name: "the manifest")
    }
    return try explanation(read(), offer: offer)
  }

  /// What a store says, and why that is not the whole truth where it is not.
  private struct Reading {
    /// The store that a launch would use; `nil` when there is none, or when a launch would not use it.
    var store: DeviceStore?
    var state = DeviceState()
    var damage: String?
    /// Why a launch would not use the store.
    var obstacle: Problem?
    /// The state as it is written, before the feed and the channel of the app are taken on.
    var written = DeviceState()
    /// The copy inside the app, read once.
    var embedded: (reference: ReleaseReference?, unknown: Problem?) = (nil, nil)
  }

  /// Never throws: a launch goes on without the store, and a question says what the launch would do.
  private func read() -> Reading {
    var reading = Reading(embedded: embedded)
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return reading }
      let transaction = try StoreTransaction(store)
      reading.store = store
      (reading.written, reading.damage) = (transaction.written, transaction.damage)
      reading.state =
        StoreOwnership(configuration: configuration, store: store).entered(reading.written).state
    } catch {
      reading.obstacle = error.keeping("the state and the releases of the store")
    }
    return reading
  }

  /// The state, where it is known.
  private func known() throws(Problem) -> DeviceState {
    let reading = read()
    if let obstacle = reading.obstacle { throw obstacle }
    return reading.state
  }

  private func explanation(_ reading: Reading, offer: VerifiedManifest?) throws(Problem) -> Explanation {
    let store = reading.store
    let (situation, _) = LaunchSituation.found(
      configuration, store, reading.written, embedded: reading.embedded.reference,
      canRecord: store?.obstacleToRecording == nil, now: now)
    let plan = LaunchPlan(reading.written, situation)
    let search = CandidateSearch.question(plan, in: store, configuration.embedded)
    let candidates = [search.choice?.candidate].compactMap(\.self) + search.rest
    return Explanation(
      candidates: candidates.map { candidate in
        Explanation.Candidate(
          version: candidate.release.version, origin: candidate.origin,
          isOnTrial: candidate.origin == .staged
            || (plan.state.trial != nil && candidate.release == plan.state.current))
      },
      passedOver: plan.passedOver + search.passedOver,
      obstacle: reading.obstacle ?? search.unknown ?? reading.embedded.unknown,
      offer: try result(on: offer, reading),
      channel: ChannelStanding(
        configured: configuration.channel, chosen: reading.state.chosenChannel,
        followed: reading.state.followedChannel(configuration.channel)),
      rollout: rolloutStanding(reading), advisories: reading.state.slots.advisories?.current(at: now))
  }

  /// Where the device stands in the rollout that it heard of.
  private func rolloutStanding(_ reading: Reading) -> RolloutStanding? {
    let state = reading.state
    guard let rollout = state.slots.rollout else { return nil }
    let moment = rollout.provenMoment(
      signedAt: StoredTrust(reading.store, embedded: configuration.embedded).signedAt)
    let complete = [state.seen[state.channel]?.version, reading.embedded.reference?.version].compactMap(
      \.self
    ).max()
    let bucket = state.install?.knownBucket(for: rollout.version)
    let reason = RolloutQuestion(
      rollout: rollout, complete: complete ?? .first, bucket: bucket, moment: moment, isAskedNow: false
    ).reason(in: state)
    let begun = rollout.begun(at: moment)
    let next = rollout.next(at: moment) == nil ? nil : rollout.steps.steps[begun]
    return RolloutStanding(
      rollout: rollout, reason: reason, bucket: bucket, share: rollout.share(at: moment), next: next,
      moment: moment)
  }

  private func result(on offer: VerifiedManifest?, _ reading: Reading) throws(Problem) -> CheckResult? {
    guard let offer else { return nil }
    // What an update would do with it cannot be known while the state is not.
    if let obstacle = reading.obstacle { throw obstacle }
    return try decide(
      on: offer, state: reading.state, embedded: reading.embedded.reference, app: configuration.app,
      channel: reading.state.followedChannel(configuration.channel)
    ) { (release) throws(Problem) in try reading.store?.isWhole(release) ?? false }.result(
      for: offer.manifest)
  }

  private func pinnedVersion(_ reading: Reading) -> ReleaseVersion? {
    switch reading.state.pin {
    case .embedded: reading.embedded.reference?.version
    case .release(let release): release.version
    case nil: nil
    }
  }

  /// The copy inside the app, or why nothing is known about it; a launch reports a copy that is damaged.
  private var embedded: (reference: ReleaseReference?, unknown: Problem?) {
    do {
      return (try configuration.embedded.reference(), nil)
    } catch {
      return (nil, error.unknown == nil ? nil : error.ofEmbedded)
    }
  }
}
