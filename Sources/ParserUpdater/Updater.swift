package import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import Synchronization

/// The client: takes new releases from a feed, and gives each launch one whole release that was verified just now.
///
/// Make one updater for each folder, at launch. `activate()` is synchronous, offline and never fails; everything that
/// talks to the feed is asynchronous, can be cancelled, and never touches what is running. One launch runs one
/// release: a second call of `activate()` returns the first result.
public final class Updater: Sendable {
  /// The settings, fixed for the life of the updater.
  public let configuration: UpdaterConfiguration
  private let sources: FeedSources
  private let now: @Sendable () -> Timestamp
  private let active = Mutex<ActiveRelease?>(nil)

  /// Makes an updater; nothing is read or written yet.
  public convenience init(_ configuration: UpdaterConfiguration) {
    self.init(
      configuration,
      reader: FeedReader(
        configuration.feed, allowsPlainHTTPOnLoopback: configuration.allowsPlainHTTPOnLoopback,
        patience: configuration.patience),
      mirrors: configuration.mirrors.map {
        FeedReader.mirror(
          $0, allowsPlainHTTPOnLoopback: configuration.allowsPlainHTTPOnLoopback,
          patience: configuration.patience)
      },
      now: { Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()) })
  }

  /// Makes an updater with other feed readers and another clock.
  package init(
    _ configuration: UpdaterConfiguration, reader: FeedReader, mirrors: [FeedReader] = [],
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.configuration = configuration
    sources = FeedSources(feed: reader, mirrors: mirrors)
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
      return release
    }
  }

  /// Says that a release works: it is no longer on trial.
  ///
  /// Speaks for the release and the launch of `release` only; anything else is ignored and written to the history.
  @discardableResult
  public func confirm(_ release: ActiveRelease) -> VerdictResult {
    StoreChange(configuration, now: now()).apply(.confirmed, release.reference, release.launch)
  }

  /// Says that the app ends in good order before it could tell whether the release works: the launch does not count.
  @discardableResult
  public func close(_ release: ActiveRelease) -> VerdictResult {
    StoreChange(configuration, now: now()).apply(.closed, release.reference, release.launch)
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
      return next
    }
  }

  /// A change of the state, at this moment.
  var change: StoreChange { StoreChange(configuration, now: now()) }

  // MARK: Updates

  /// Asks the feed for its newest release and says what an update would do; changes nothing.
  public func check() async throws(Problem) -> CheckResult {
    do {
      return try await ask { (reader) throws(Problem) in try await run(reader).check() }
    } catch {
      return .lagging(try lag(error))
    }
  }

  /// The lag that a problem turns out to be; anything else is thrown on.
  private func lag(_ problem: Problem) throws(Problem) -> FeedLag {
    guard let lag = currentLag(problem) else { throw problem }
    run(sources.feed).forgetProblem()
    return lag
  }

  /// The lag that a problem is; what an edge serves that has expired is more than a lag.
  private func currentLag(_ problem: Problem) -> FeedLag? {
    problem.lag.flatMap { now() < $0.expires ? $0 : nil }
  }

  /// Downloads, verifies and stages the newest release for the next launch; one at a time for each folder.
  ///
  /// When it throws or is cancelled, what runs and what is staged are as they were, and the next call needs no help;
  /// finished parts of a download are used again.
  public func update(
    progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) async throws(Problem) -> UpdateResult {
    do {
      return try await ask { (reader) throws(Problem) in try await run(reader, progress).update() }
    } catch {
      return .unchanged(.lagging(try lag(error)))
    }
  }

  /// Takes the release of an archive as an update takes one from the feed: by the same trust, by the same decision, and
  /// staged in the same way. The network is not asked.
  ///
  /// A refusal is in the history, and says nothing about the feed. An archive that is older than what the device has seen
  /// changes nothing.
  ///
  /// - Throws: what an update throws, and `wrong-channel` for a release of another channel than the one that is followed.
  public func update(
    from archive: ReleaseArchive, progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) async throws(Problem) -> UpdateResult {
    let run = run(FeedReader(.archive(archive)), progress)
    do {
      return try await run.update()
    } catch {
      if let lag = currentLag(error) { return .unchanged(.lagging(lag)) }
      run.noteRefusal(error)
      throw error
    }
  }

  /// Asks the feed, unless it asked for a pause, then its mirrors; remembers what went wrong.
  private func ask<Answer: Sendable>(
    _ body: (FeedReader) async throws(Problem) -> Answer
  ) async throws(Problem) -> Answer {
    let own = run(sources.feed)
    let pause = configuration.heedsPauses ? own.pause() : nil
    do {
      return try await sources.first(unless: pause) { (reader) throws(Problem) in
        do throws(Problem) {
          return try await body(reader)
        } catch {
          run(reader).notePause(error)
          throw error
        }
      }
    } catch {
      // A lag is no problem, and that a pause goes on is no news.
      if error != pause, currentLag(error) == nil { own.remember(error) }
      throw error
    }
  }

  private func run(
    _ reader: FeedReader, _ progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) -> UpdateRun {
    UpdateRun(configuration: configuration, reader: reader, now: now, progress: progress)
  }

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
