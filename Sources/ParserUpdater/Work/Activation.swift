internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// One launch: chooses a release by the plan, reads and hashes it, and records the launch before it returns.
///
/// Offline, synchronous, and without a way to fail: whatever goes wrong becomes a note and a lesser candidate.
struct Activation {
  let configuration: UpdaterConfiguration
  let now: Timestamp
  private let failure: Failure?
  private let launch: LaunchID
  private var notes: [Problem] = []
  /// Taken before the launch is recorded: whoever reads the record finds that the launch goes on.
  private var launchLease: LaunchLease?
  /// The copy inside the app, once it was looked at; its manifest is read once a launch.
  private var embedded: ReleaseReference??

  /// What an app said about the release that it was running in this launch.
  struct Failure {
    /// What the app holds in memory; `nil` when only names were kept, and the report was checked beforehand.
    let running: ActiveRelease?
    let release: ReleaseReference
    let launch: LaunchID
    let reason: String
  }

  /// - Parameter failure: a release that failed in this launch, whose place another one takes.
  init(_ configuration: UpdaterConfiguration, now: Timestamp, failure: Failure? = nil) {
    self.configuration = configuration
    self.now = now
    self.failure = failure
    launch = failure?.launch ?? LaunchID.random()
  }

  /// A candidate that turned out to be whole.
  private struct Choice {
    let candidate: LaunchPlan.Candidate
    let files: ReleaseFiles.Loaded
    let lease: ReleaseLease?
    let folder: String?
  }

  /// What a look through the candidates found.
  private struct Search {
    var choice: Choice?
    var damaged: [LaunchPlan.Candidate] = []
    var passedOver: [PassedOver] = []
  }

  mutating func run() -> ActiveRelease {
    guard let store = openStore() else { return launchWithoutStore() }
    let lock = takeLock(of: store)
    defer { lock?.release() }
    let (state, recovery) = readState(of: store, canWrite: lock != nil)
    if let failure, let running = failure.running, let reason = refusal(of: failure, in: state) {
      if lock != nil {
        record([HistoryEvent(.ignored, failure.release, "failure report: \(reason)")], in: store)
      }
      return running
    }
    if lock != nil, let active = launchAndRecord(state, recovery, in: store) { return active }
    return launchWithoutRecord(state, in: store)
  }

  private mutating func openStore() -> DeviceStore? {
    do {
      return try DeviceStore.openPrivate(configuration.directory)
    } catch {
      notes.append(Problem(error))
      return nil
    }
  }

  private mutating func takeLock(of store: DeviceStore) -> FileLock? {
    do {
      return try store.lock(wait: configuration.lockWait)
    } catch {
      notes.append(Problem(error))
      return nil
    }
  }

  /// The state, rebuilt when it is damaged; `recovery` tells of that in the history.
  private mutating func readState(
    of store: DeviceStore, canWrite: Bool
  ) -> (state: DeviceState, recovery: HistoryEvent?) {
    switch store.readState() {
    case .fresh: return (DeviceState(), nil)
    case .state(let state): return (state, nil)
    case .damaged(let reason):
      notes.append(Problem(.storageFailed, reason, kept: "the releases on disk that verify"))
      let event = HistoryEvent(.recovered, nil, "state rebuilt from the releases on disk: \(reason)")
      if canWrite {
        do {
          try store.setDamagedStateAside()
        } catch {
          notes.append(Problem(error))
        }
      }
      return (StateRecovery.rebuild(from: store), event)
    }
  }

  /// `nil` when the launch had to be recorded and could not be.
  private mutating func launchAndRecord(
    _ state: DeviceState, _ recovery: HistoryEvent?, in store: DeviceStore
  ) -> ActiveRelease? {
    let (failed, failureEvent) = applyFailure(to: state)
    let plan = plan(failed, in: store, canRecord: true)
    let search = search(plan.candidates, in: store)
    let after = plan.stateAfterLaunch(of: search.choice?.candidate, damaged: search.damaged, launch: launch)
    let isChanged = after != state || recovery != nil
    do {
      if isChanged {
        if after.trial?.launches.contains(launch) == true { takeLaunchLease(in: store) }
        try store.writeState(after)
      } else if failure != nil {
        try store.holdState()
      }
    } catch {
      notes.append(Problem(error))
      launchLease = nil
      return nil
    }
    if isChanged {
      let events = [recovery, failureEvent].compactMap(\.self) + plan.events + events(of: search)
      record(events, in: store)
      if Set(after.references) != Set(state.references) || recovery != nil {
        GarbageCollection.collectReleases(of: store, keeping: after)
      }
    }
    return active(search, plan, after)
  }

  /// Why a failure changes nothing; `nil` when it counts, or when another process reported it before.
  private func refusal(of failure: Failure, in state: DeviceState) -> String? {
    guard state.rejection(of: failure.release.pair) == nil else { return nil }
    var tried = state
    guard case .ignored(let reason) = apply(failure, to: &tried) else { return nil }
    return reason
  }

  private func applyFailure(to state: DeviceState) -> (state: DeviceState, event: HistoryEvent?) {
    var state = state
    guard let failure, apply(failure, to: &state) == .applied else { return (state, nil) }
    return (state, HistoryEvent(.rejected, failure.release, failure.reason))
  }

  private func apply(_ failure: Failure, to state: inout DeviceState) -> VerdictEffect {
    state.apply(.failed(reason: failure.reason), release: failure.release, launch: failure.launch, now: now)
  }

  private mutating func launchWithoutRecord(_ state: DeviceState, in store: DeviceStore) -> ActiveRelease {
    let plan = plan(applyFailure(to: state).state, in: store, canRecord: false)
    let search = search(plan.candidates, in: store)
    return active(search, plan, plan.state)
  }

  private mutating func launchWithoutStore() -> ActiveRelease {
    let plan = LaunchPlan(
      DeviceState(), situation(embedded: readEmbedded(), livingLaunches: [], canRecord: false))
    return active(search(plan.candidates, in: nil), plan, plan.state)
  }

  private mutating func plan(_ state: DeviceState, in store: DeviceStore, canRecord: Bool) -> LaunchPlan {
    let living = livingLaunches(of: state.trial, in: store)
    return LaunchPlan(
      state, situation(embedded: readEmbedded(), livingLaunches: living, canRecord: canRecord))
  }

  /// Where it cannot be known which launches go on, all of them count as ended: a bad release must go away by itself.
  private mutating func livingLaunches(of trial: DeviceState.Trial?, in store: DeviceStore) -> Set<LaunchID> {
    do {
      return try store.livingLaunches(of: trial)
    } catch {
      notes.append(Problem(error))
      return []
    }
  }

  /// A launch without a lease counts as ended from the start, which is no reason not to launch.
  private mutating func takeLaunchLease(in store: DeviceStore) {
    do {
      launchLease = try store.lease(of: launch)
    } catch {
      // Looking for the leases of others fails for the same reason, and was noted then.
      let problem = Problem(error)
      if !notes.contains(where: { $0.code == problem.code }) { notes.append(problem) }
    }
  }

  private func situation(
    embedded: ReleaseReference?, livingLaunches: Set<LaunchID>, canRecord: Bool
  ) -> LaunchSituation {
    LaunchSituation(
      embedded: embedded, app: configuration.app, unconfirmedLimit: configuration.unconfirmedLaunchLimit,
      livingLaunches: livingLaunches, canRecord: canRecord, now: now)
  }

  private mutating func readEmbedded() -> ReleaseReference? {
    if let reading = embedded { return reading }
    var reading: ReleaseReference?
    do {
      reading = try configuration.embedded.reference()
    } catch {
      notes.append(Problem(.embeddedUnusable, "the copy inside the app \(error.text)"))
    }
    embedded = .some(reading)
    return reading
  }

  private func search(_ candidates: [LaunchPlan.Candidate], in store: DeviceStore?) -> Search {
    var search = Search()
    for candidate in candidates {
      do {
        search.choice = try load(candidate, in: store)
        return search
      } catch {
        if error.isLasting { search.damaged.append(candidate) }
        search.passedOver.append(
          PassedOver(candidate.release.version, candidate.origin, code: "not-whole", error.text))
      }
    }
    return search
  }

  private func load(
    _ candidate: LaunchPlan.Candidate, in store: DeviceStore?
  ) throws(ReleaseFiles.Damage) -> Choice {
    guard candidate.origin != .embedded, let store else {
      let files = try configuration.embedded.load()
      guard case .directory(let path) = configuration.embedded else {
        return Choice(candidate: candidate, files: files, lease: nil, folder: nil)
      }
      return Choice(candidate: candidate, files: files, lease: nil, folder: path)
    }
    let folder: Directory
    let lease: ReleaseLease?
    do {
      folder = try store.folder(of: candidate.release)
      lease = try ReleaseLease.take(folder)
    } catch {
      throw ReleaseFiles.Damage(error, "cannot be opened: \(error.message)")
    }
    let files = try ReleaseFiles.load(from: folder, expecting: candidate.release.manifest)
    return Choice(candidate: candidate, files: files, lease: lease, folder: folder.path)
  }

  private func events(of search: Search) -> [HistoryEvent] {
    var events = search.damaged.map { damaged in
      let passed = search.passedOver.first {
        $0.version == damaged.release.version && $0.origin == damaged.origin
      }
      return HistoryEvent(.dropped, damaged.release, passed?.message ?? "not whole")
    }
    if let chosen = search.choice?.candidate {
      events.append(
        HistoryEvent(.launched, chosen.release, "launch \(launch) from \(chosen.origin.rawValue)"))
    }
    return events
  }

  private mutating func record(_ events: [HistoryEvent], in store: DeviceStore) {
    do {
      try HistoryFile(root: store.root).append(events, at: now)
    } catch {
      notes.append(Problem(error))
    }
  }

  private func active(_ search: Search, _ plan: LaunchPlan, _ state: DeviceState) -> ActiveRelease {
    let choice = search.choice
    let release = choice?.candidate.release
    var standing = ActiveRelease.Standing.unusable
    if let release {
      standing = release == state.current && state.trial != nil ? .onTrial : .confirmed
    }
    return ActiveRelease(
      version: release?.version, origin: choice?.candidate.origin ?? .nothing, standing: standing,
      bundle: choice?.files.bundle ?? [], sources: choice?.files.sources ?? [],
      manifest: choice?.files.manifest,
      launch: launch, passedOver: plan.passedOver + search.passedOver, notes: notes, folder: choice?.folder,
      reference: release, lease: choice?.lease, launchLease: launchLease)
  }
}
