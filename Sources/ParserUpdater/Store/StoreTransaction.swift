internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// One change of a store under its lock: read, recover, change, write, remember, collect.
///
/// Every change of the state goes through here, so that a state that had to be rebuilt leaves the same line in the history
/// whichever verb found it.
struct StoreTransaction {
  let store: DeviceStore
  /// The state on the disk, or what the releases on disk say when that is damaged.
  let written: DeviceState
  /// Why the state was rebuilt; `nil` when it was not.
  let damage: String?

  /// Reads the state; whoever writes afterwards holds the lock.
  ///
  /// - Throws: the reason why the state is unknown; then nothing may be changed.
  init(_ store: DeviceStore) throws(Problem) {
    self.store = store
    (written, damage) = try store.state()
  }

  /// Takes the lock, lets `body` change the state as the feed and the channel of the app find it, and commits.
  ///
  /// - Parameters:
  ///   - wait: how long to wait for the lock.
  ///   - now: the time for the history, taken when the state was written.
  ///   - body: changes the state; returns a result, and events for the history.
  /// - Throws: what `body` throws, after the state it was based on was made durable; `Problem` or `StorageError` otherwise.
  static func run<Result>(
    on store: DeviceStore, _ configuration: UpdaterConfiguration, wait: Duration, now: () -> Timestamp,
    _ body: (inout DeviceState) throws -> (Result, [HistoryEvent])
  ) throws -> Result {
    let lock = try store.lock(wait: wait)
    defer { lock.release() }
    let transaction = try StoreTransaction(store)
    try transaction.setDamageAside()
    var (after, left) = StoreOwnership(configuration: configuration, store: store).entered(
      transaction.written)
    let result: Result
    let events: [HistoryEvent]
    do {
      (result, events) = try body(&after)
    } catch {
      // A refusal rests on this state: it outlives a power cut as well.
      try transaction.commit(transaction.written, [], at: now())
      throw error
    }
    try transaction.commit(after, left.map(\.event) + events, at: now())
    return result
  }

  /// Keeps the damaged state for whoever wants to look at it.
  func setDamageAside() throws(StorageError) {
    if damage != nil { try store.setDamagedStateAside() }
  }

  /// Writes a state that is not the one on the disk, remembers the events and collects what nothing refers to any more.
  ///
  /// A state that is as it was is made to outlive a power cut.
  ///
  /// - Returns: why the history did not take the events; what they tell of has happened all the same.
  @discardableResult
  func commit(
    _ after: DeviceState, _ events: [HistoryEvent], at date: Timestamp
  ) throws(StorageError) -> Problem? {
    guard after != written || damage != nil else {
      try store.holdState()
      return store.record(events, after, at: date)
    }
    do {
      try store.writeState(after)
    } catch {
      collect(valid(after))
      throw error
    }
    let recovery = damage.map {
      HistoryEvent(.recovered, nil, "state rebuilt from the releases on disk: \($0)")
    }
    let words = HistoryEvent.words(from: written, to: after)
    let problem = store.record([recovery].compactMap(\.self) + words + events, after, at: date)
    if Set(after.references) != Set(written.references) || damage != nil { collect([after]) }
    return problem
  }

  /// A write that failed may have reached the disk all the same: of two states the one in the file counts.
  private func valid(_ after: DeviceState) -> [DeviceState] {
    guard case .state(let state) = store.readState() else { return [written, after] }
    return [state]
  }

  private func collect(_ states: [DeviceState]) {
    GarbageCollection.collectReleases(of: store, keeping: states)
  }
}

extension LaunchSituation {
  /// The situation of a launch on this store now; `problem` says why it is not known which launches go on.
  static func found(
    _ configuration: UpdaterConfiguration, _ store: DeviceStore?, _ state: DeviceState,
    embedded: ReleaseReference?, canRecord: Bool, now: Timestamp
  ) -> (situation: LaunchSituation, problem: Problem?) {
    let (living, problem) = store?.livingLaunches(of: state.trial) ?? ([], nil)
    let situation = LaunchSituation(
      embedded: embedded, app: configuration.app, unconfirmedLimit: configuration.unconfirmedLaunchLimit,
      livingLaunches: living, canRecord: canRecord, now: now, channel: configuration.channel,
      belonging: StoreOwnership(configuration: configuration, store: store).belonging(of: state),
      keepsFormerChannel: configuration.keepsFormerChannel)
    return (situation, problem)
  }
}
