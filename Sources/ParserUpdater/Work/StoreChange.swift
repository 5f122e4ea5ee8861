internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// A change of the state that somebody asked for: read, decide, write, under the lock of the store.
struct StoreChange {
  let configuration: UpdaterConfiguration
  let now: Timestamp

  init(_ configuration: UpdaterConfiguration, now: Timestamp) {
    self.configuration = configuration
    self.now = now
  }

  /// Writes down what an app says about the release that it runs.
  func apply(_ verdict: LaunchVerdict, _ release: ReleaseReference?, _ launch: LaunchID) -> VerdictResult {
    guard let release, release != embedded else { return .nothingToDo }
    do {
      if try isNeedless(verdict, release, launch) { return .nothingToDo }
      return try change { (state) throws(Problem) in
        switch state.apply(verdict, release: release, launch: launch, now: now) {
        case .applied:
          let kind: HistoryEvent.Kind = if case .closed = verdict { .closed } else { .confirmed }
          return (.recorded, [HistoryEvent(kind, release, "launch \(launch)")])
        case .alreadyConfirmed: return (.nothingToDo, [])
        case .ignored(let reason):
          return (
            .ignored(reason: reason), [HistoryEvent(.ignored, release, "word of launch \(launch): \(reason)")]
          )
        }
      }
    } catch {
      return .notRecorded(error)
    }
  }

  /// Whether the verdict was given before; that needs no lock, and so no wait.
  private func isNeedless(
    _ verdict: LaunchVerdict, _ release: ReleaseReference, _ launch: LaunchID
  ) throws(Problem) -> Bool {
    guard let store = try openStore(), case .state(var state) = store.readState(),
      case .alreadyConfirmed = state.apply(verdict, release: release, launch: launch, now: now)
    else { return false }
    try holdState()
    return true
  }

  /// Writes down what somebody says who kept only the names of release and launch.
  func apply(
    _ verdict: LaunchVerdict, version: ReleaseVersion?, launch: LaunchID?
  ) throws(Problem) -> VerdictResult {
    let question = StoreQuestion(configuration, now: now)
    guard try question.needsVerdict(version) else { return .nothingToDo }
    let (release, spoken) = try question.running(version: version, launch: launch)
    return apply(verdict, release, spoken)
  }

  func rollback() throws(Problem) -> RollbackResult {
    try change { (state) throws(Problem) in
      if state.pin != nil {
        throw Problem(.pinned, "a release is pinned by hand", kept: "the pin", advice: "unpin first")
      }
      guard let left = state.rollBack(now: now) else {
        throw Problem(
          .nothingToRollBackTo, "the embedded copy is running; there is nothing to roll back to",
          advice: "ship another copy inside the app, or publish a newer release")
      }
      let store = try openStore()
      let plan = LaunchPlan(state, situation(of: state, in: store))
      let search = CandidateSearch.question(plan, in: store, configuration.embedded)
      guard let next = search.choice?.candidate else {
        if let unknown = search.unknown { throw unknown.keeping("release \(left.version) as it was") }
        throw Problem(
          .nothingToRollBackTo,
          "there is no release before \(left.version), and no usable copy inside the app",
          kept: "release \(left.version) as it was")
      }
      state = plan.state
      let result = RollbackResult(left: left.version, next: next.release.version, origin: next.origin)
      let text = "rolled back by hand, next is \(next.release.version) (\(next.origin.rawValue))"
      return (result, [HistoryEvent(.rolledBack, left, text)])
    }
  }

  func openStore() throws(Problem) -> DeviceStore? {
    try DeviceStore.openPrivate(configuration.directory)
  }

  func pin(_ version: ReleaseVersion?) throws(Problem) -> ReleaseVersion {
    let embedded = embedded
    return try change { (state) throws(Problem) in
      let wanted = version ?? state.current?.version ?? embedded?.version
      if let wanted,
        let release = [state.current, state.previous].compactMap(\.self).first(where: { $0.version == wanted }
        )
      {
        state.pin = .release(release)
        return (wanted, [HistoryEvent(.pinned, release, "release \(wanted) pinned by hand")])
      }
      if let wanted, let embedded, wanted == embedded.version {
        state.pin = .embedded
        return (
          wanted, [HistoryEvent(.pinned, embedded, "the copy inside the app (\(wanted)) pinned by hand")]
        )
      }
      if let staged = state.staged, staged.version == wanted {
        throw Problem(
          .noSuchRelease, "release \(staged.version) is staged and was never used", kept: "no pin was set",
          advice: "launch once, so that it becomes current, then pin it")
      }
      throw Problem(
        .noSuchRelease, "release \(wanted.map(\.description) ?? "?") is not on this device",
        kept: "no pin was set",
        advice: "only the current release, the one before it and the copy inside the app can be pinned")
    }
  }

  func unpin() throws(Problem) -> Bool {
    try change { (state) throws(Problem) in
      guard state.pin != nil else { return (false, []) }
      state.pin = nil
      return (true, [HistoryEvent(.unpinned, nil, "unpinned by hand")])
    }
  }

  func forgetRejected(_ version: ReleaseVersion?) throws(Problem) -> [ReleaseVersion] {
    try change { (state) throws(Problem) in
      let forgotten = state.forget(version)
      let events = forgotten.map {
        HistoryEvent(
          date: nil, kind: .forgotten, version: $0.version, pair: $0.pair, text: "forgotten by hand")
      }
      return (forgotten.map(\.version), events)
    }
  }

  /// Makes what the state says outlive a power cut, when there is a store.
  func holdState() throws(Problem) {
    guard let store = try openStore() else { return }
    do {
      try store.holdState()
    } catch {
      throw Problem(error).keeping("the state is as it was")
    }
  }

  private var embedded: ReleaseReference? { configuration.embedded.readableReference }

  /// The situation of a launch that finds this state.
  func situation(of state: DeviceState, in store: DeviceStore?) -> LaunchSituation {
    LaunchSituation.found(configuration, store, state, embedded: embedded, canRecord: true, now: now)
      .situation
  }

  /// Runs `body` on the state under the lock; writes what it changed, and its events.
  func change<Result>(
    _ body: (inout DeviceState) throws(Problem) -> (Result, [HistoryEvent])
  ) throws(Problem) -> Result {
    do {
      guard let store = try existingOrNeeded(body) else {
        var state = DeviceState()
        return try body(&state).0
      }
      return try StoreTransaction.run(
        on: store, configuration, wait: configuration.lockWait, now: { now }, body)
    } catch let problem as Problem {
      throw problem.keeping("the state is as it was")
    } catch let error as StorageError {
      throw Problem(error).keeping("the state is as it was")
    } catch {
      throw Problem(.storageFailed, "the store in \(configuration.directory) cannot be used")
    }
  }

  /// The store; made only when `body` has something to write.
  private func existingOrNeeded<Result>(
    _ body: (inout DeviceState) throws(Problem) -> (Result, [HistoryEvent])
  ) throws -> DeviceStore? {
    if let store = try openStore() { return store }
    var state = DeviceState()
    _ = try body(&state)
    return state == DeviceState() ? nil : try DeviceStore.create(configuration.directory)
  }
}
