package import OTAFeed
public import OTAManifest
internal import Synchronization

/// The client: takes new releases from a feed, and gives each launch one whole release that was verified just now.
///
/// Make one updater for each folder, at launch. `activate()` is synchronous, offline and never fails; everything that
/// talks to the feed is asynchronous, can be cancelled, and never touches what is running. One launch runs one
/// release: a second call of `activate()` returns the first result.
public final class Updater: Sendable {
  /// The settings, fixed for the life of the updater.
  public let configuration: UpdaterConfiguration
  let sources: FeedSources
  let events: EventRelay
  let now: @Sendable () -> Timestamp
  private let active = Mutex<ActiveRelease?>(nil)
  let advisoryListeners = AdvisoryListeners()
  let reports = Mutex<CallReporter?>(nil)

  /// Makes an updater; nothing is read or written yet.
  public convenience init(_ configuration: UpdaterConfiguration) {
    let clock = configuration.clock
    self.init(
      configuration, reader: configuration.reader(of: configuration.feed, isMirror: false),
      mirrors: configuration.mirrors.map { configuration.reader(of: $0, isMirror: true) },
      now: { clock.now })
  }

  /// Makes an updater with other feed readers and another clock.
  package init(
    _ configuration: UpdaterConfiguration, reader: FeedReader, mirrors: [FeedReader] = [],
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.configuration = configuration
    sources = FeedSources(feed: reader, mirrors: mirrors)
    events = EventRelay(to: configuration.events)
    self.now = now
  }

  // MARK: Launch

  /// Chooses, reads and verifies the release of this launch, and records the launch before it returns.
  ///
  /// Needs no network and waits for nothing but, for at most `lockWait`, the lock of the store. Candidates in order:
  /// pinned, staged, current, previous, embedded; the embedded copy wins whenever it is not older. Whatever was passed
  /// over, and whatever went wrong, is in the result.
  public func activate() -> ActiveRelease {
    active.withLock { active in
      if let active { return active }
      var activation = Activation(configuration, now: now())
      let release = activation.run()
      active = release
      events.send(.launched(release.version, release.origin))
      if release.standing == .onTrial, case .minutesAlive(let minutes) = configuration.confirmation {
        confirmLater(release, minutes: minutes)
      }
      return release
    }
  }

  /// The same as `activate()`, on a thread that may block, for code that must not.
  public func activateInBackground() async -> ActiveRelease {
    await BlockingWork.run { self.activate() }
  }

  /// The same as `confirm(_:)`, on a thread that may block, for code that must not.
  @discardableResult
  public func confirmInBackground(_ release: ActiveRelease) async -> VerdictResult {
    await BlockingWork.run { self.confirm(release) }
  }

  /// Confirms a release when the process has lived for so long; a failure that comes first makes the word one of no launch.
  private func confirmLater(_ release: ActiveRelease, minutes: Int) {
    Task { [weak self] in
      do {
        try await Task.sleep(for: .seconds(60 * max(0, minutes)))
        self?.confirm(release)
      } catch {
        // The process ends.
      }
    }
  }

  /// Says that a release works: it is no longer on trial.
  ///
  /// Speaks for the release and the launch of `release` only; anything else is ignored and written to the history.
  @discardableResult
  public func confirm(_ release: ActiveRelease) -> VerdictResult {
    noting(StoreChange(configuration, now: now()).apply(.confirmed, release.reference, release.launch))
  }

  /// Says that the app ends in good order before it could tell whether the release works: the launch does not count.
  @discardableResult
  public func close(_ release: ActiveRelease) -> VerdictResult {
    flushReports()
    return noting(StoreChange(configuration, now: now()).apply(.closed, release.reference, release.launch))
  }

  private func noting(_ result: VerdictResult) -> VerdictResult {
    events.send(.verdict(result))
    return result
  }

  /// Says that a release does not work: it is rejected at once, and the next candidate takes its place in this launch.
  ///
  /// - Parameters:
  ///   - release: what this launch runs.
  ///   - reason: one line for the history.
  /// - Returns: the release to run instead; the same one when it is the copy inside the app, or when `release` is not
  ///   the one that runs.
  public func fail(_ release: ActiveRelease, reason: String) -> ActiveRelease {
    active.withLock { active in
      guard let reference = release.reference, release.origin != .embedded else { return release }
      if let active, active.launch != release.launch || active.reference != reference { return release }
      let failure = Activation.Failure(
        running: release, release: reference, launch: release.launch, reason: reason)
      var activation = Activation(configuration, now: now(), failure: failure)
      let next = activation.run()
      active = next
      events.send(.failed(release.version, reason: reason, next: next.version))
      return next
    }
  }

  /// What this process runs; `nil` before it activated anything.
  var activated: ActiveRelease? { active.withLock { $0 } }

  /// A change of the state, at this moment.
  var change: StoreChange { StoreChange(configuration, now: now()) }

  // MARK: By hand

  /// Leaves the release that runs: the one before it, else the embedded copy, is used from the next launch on.
  ///
  /// Offline. What was left is rejected: the same files are not used again until `forgetRejected`.
  public func rollback() throws(Problem) -> RollbackResult {
    try StoreChange(configuration, now: now()).rollback()
  }

  /// Fixes a release that is on the device, or the embedded copy, for all launches until `unpin`.
  ///
  /// - Parameter version: the release; `nil` for the one that runs.
  /// - Returns: the version that is pinned now.
  @discardableResult
  public func pin(_ version: ReleaseVersion? = nil) throws(Problem) -> ReleaseVersion {
    try StoreChange(configuration, now: now()).pin(version)
  }

  /// Takes a pin away; whether there was one.
  @discardableResult
  public func unpin() throws(Problem) -> Bool {
    try StoreChange(configuration, now: now()).unpin()
  }

  /// Forgets what failed on this device, so that it may be offered again.
  ///
  /// - Parameter version: the release to forget; `nil` for all.
  /// - Returns: the versions that were forgotten.
  @discardableResult
  public func forgetRejected(_ version: ReleaseVersion? = nil) throws(Problem) -> [ReleaseVersion] {
    try StoreChange(configuration, now: now()).forgetRejected(version)
  }

  // MARK: Questions

  /// What runs, what waits, what failed and why; reads the store only.
  public func status() throws(Problem) -> DeviceStatus {
    try StoreQuestion(configuration, now: now()).status()
  }

  /// What happened on this device, oldest first.
  public func history() throws(Problem) -> [HistoryEvent] {
    try StoreQuestion(configuration, now: now()).history()
  }

  /// What the next launch would run and why, and what would be done with a manifest; changes nothing.
  ///
  /// - Parameter manifest: the bytes of a manifest to decide about; `nil` for the launch alone.
  public func explain(manifest: [UInt8]? = nil) throws(Problem) -> Explanation {
    try StoreQuestion(configuration, now: now()).explain(manifest: manifest)
  }
}

extension Updater {
  /// The same as `confirm`, for a process that kept only the names of release and launch.
  ///
  /// - Parameters:
  ///   - version: the release; `nil` for the current one.
  ///   - launch: the launch; `nil` for the newest of the release on trial.
  public func confirm(version: ReleaseVersion? = nil, launch: LaunchID? = nil) throws(Problem)
    -> VerdictResult
  {
    try StoreChange(configuration, now: now()).apply(.confirmed, version: version, launch: launch)
  }

  /// The same as `close`, for a process that kept only the names of release and launch.
  public func close(version: ReleaseVersion? = nil, launch: LaunchID? = nil) throws(Problem) -> VerdictResult
  {
    try StoreChange(configuration, now: now()).apply(.closed, version: version, launch: launch)
  }

  /// The same as `fail`, for a process that kept only the names of release and launch.
  ///
  /// - Returns: the release to run instead.
  public func fail(
    version: ReleaseVersion? = nil, launch: LaunchID? = nil, reason: String
  ) throws(Problem) -> ActiveRelease {
    // A report that comes a second time is refused by what the first one wrote, which may not be safe yet.
    try change.holdState()
    let question = StoreQuestion(configuration, now: now())
    let (release, spoken) = try question.running(version: version, launch: launch)
    try question.requireFailureCounts(release, spoken)
    let failure = Activation.Failure(running: nil, release: release, launch: spoken, reason: reason)
    return active.withLock { active in
      var activation = Activation(configuration, now: now(), failure: failure)
      let next = activation.run()
      active = next
      return next
    }
  }
}
