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

  mutating func run() -> ActiveRelease {
    guard let store = openStore() else { return launchWithoutStore() }
    let lock: FileLock?
    switch takeLock(of: store) {
    case .taken(let taken): lock = taken
    case .notNeeded(let active): return active
    case .refused: lock = nil
    }
    defer { lock?.release() }
    guard let transaction = begin(on: store, canWrite: lock != nil) else { return launchWithoutStore() }
    let state = transaction.written
    if let failure, let running = failure.running, let reason = refusal(of: failure, in: state) {
      if lock != nil {
        record([HistoryEvent(.ignored, failure.release, "failure report: \(reason)")], state, in: store)
      }
      return running
    }
    if lock != nil, let active = launchAndRecord(transaction) { return active }
    return launchWithoutRecord(state, in: store)
  }

  private mutating func openStore() -> DeviceStore? {
    do {
      return try DeviceStore.openPrivate(configuration.directory)
    } catch {
      notes.append(error)
      return nil
    }
  }

  /// What became of the wish for the lock of the store.
  private enum LockAttempt {
    case taken(FileLock)
    /// Another process holds it, and this launch has nothing to write.
    case notNeeded(ActiveRelease)
    case refused
  }

  /// Waits for the lock only when there is something to write: what is confirmed is launched at once.
  private mutating func takeLock(of store: DeviceStore) -> LockAttempt {
    do {
      do {
        return .taken(try store.lock(wait: .zero))
      } catch  where error.kind == .busy {
        if let active = launchAtOnce(from: store) { return .notNeeded(active) }
        return .taken(try store.lock(wait: configuration.lockWait))
      }
    } catch {
      notes.append(Problem(error))
      return .refused
    }
  }

  /// The launch when its first candidate is whole and nothing is to be recorded; `nil` for every other case.
  private mutating func launchAtOnce(from store: DeviceStore) -> ActiveRelease? {
    guard failure == nil, case .state(let state) = store.readState() else { return nil }
    let plan = plan(state, in: store, canRecord: true)
    guard let first = plan.candidates.first, notes.isEmpty,
      plan.stateAfterLaunch(of: first, damaged: [], launch: launch) == state
    else { return nil }
    let search = CandidateSearch.launch(plan, in: store, configuration.embedded)
    return search.passedOver.isEmpty ? active(search, plan, plan.state) : nil
  }

  /// The state, rebuilt when it is damaged; `nil` when it is unknown.
  private mutating func begin(on store: DeviceStore, canWrite: Bool) -> StoreTransaction? {
    let transaction: StoreTransaction
    do {
      transaction = try StoreTransaction(store)
    } catch {
      notes.append(error.keeping("the state and the releases of the store; this launch does not use them"))
      return nil
    }
    if let damage = transaction.damage {
      notes.append(Problem(.storageFailed, damage, kept: "the releases on disk that verify"))
    }
    do {
      if canWrite { try transaction.setDamageAside() }
    } catch {
      notes.append(Problem(error))
    }
    return transaction
  }

  /// `nil` when the launch had to be recorded and could not be.
  private mutating func launchAndRecord(_ transaction: StoreTransaction) -> ActiveRelease? {
    let (store, state) = (transaction.store, transaction.written)
    let (failed, failureEvent) = applyFailure(to: state)
    let plan = plan(failed, in: store, canRecord: true)
    let search = CandidateSearch.launch(plan, in: store, configuration.embedded)
    let after = plan.stateAfterLaunch(of: search.choice?.candidate, damaged: search.damaged, launch: launch)
    let isChanged = after != state || transaction.damage != nil
    if isChanged, after.trial?.launches.contains(launch) == true { takeLaunchLease(in: store) }
    do {
      let events = [failureEvent].compactMap(\.self) + plan.events + search.events(launch: launch)
      // A launch that changes nothing writes nothing, and waits for no disk.
      if isChanged || failure != nil {
        let problem = try transaction.commit(after, isChanged ? events : [], at: now)
        if let problem { notes.append(problem) }
      }
    } catch {
      notes.append(Problem(error))
      launchLease = nil
      return nil
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
    let search = CandidateSearch.launch(plan, in: store, configuration.embedded)
    return active(search, plan, plan.state)
  }

  private mutating func launchWithoutStore() -> ActiveRelease {
    let plan = plan(DeviceState(), in: nil, canRecord: false)
    return active(CandidateSearch.launch(plan, in: nil, configuration.embedded), plan, plan.state)
  }

  private mutating func plan(_ state: DeviceState, in store: DeviceStore?, canRecord: Bool) -> LaunchPlan {
    let (situation, problem) = LaunchSituation.found(
      configuration, store, state, embedded: readEmbedded(), canRecord: canRecord, now: now)
    if let problem { notes.append(problem) }
    return LaunchPlan(state, situation)
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

  private mutating func readEmbedded() -> ReleaseReference? {
    if let reading = embedded { return reading }
    var reading: ReleaseReference?
    do {
      reading = try configuration.embedded.reference()
    } catch {
      notes.append(error.ofEmbedded)
    }
    embedded = .some(reading)
    return reading
  }

  private mutating func record(_ events: [HistoryEvent], _ state: DeviceState, in store: DeviceStore) {
    if let problem = store.record(events, state, at: now) { notes.append(problem) }
  }

  private func active(_ search: CandidateSearch, _ plan: LaunchPlan, _ state: DeviceState) -> ActiveRelease {
    let choice = search.choice
    let notes = notes + [search.unknown].compactMap(\.self)
    let release = choice?.candidate.release
    var standing = ActiveRelease.Standing.unusable
    if let release {
      standing = release == state.current && state.trial != nil ? .onTrial : .confirmed
    }
    return ActiveRelease(
      version: release?.version, origin: choice?.candidate.origin ?? .nothing, standing: standing,
      bundle: choice?.files?.bundle ?? [], sources: choice?.files?.sources ?? [],
      manifest: choice?.files?.manifest,
      launch: launch, passedOver: plan.passedOver + search.passedOver, notes: notes, folder: choice?.folder,
      reference: release, lease: choice?.lease, launchLease: launchLease)
  }
}
