public import OTAFeed
public import OTAManifest

/// Checks and updates: everything that asks the feed.
extension Updater {
  /// Asks the feed for its newest release and says what an update would do; changes nothing.
  ///
  /// - Parameters:
  ///   - deadline: how long the check may take in all, retries and mirrors included; `nil` for as long as its transfers may.
  ///   - now: whether a person asks: pauses, check intervals and the share of a rollout are not waited for.
  /// - Throws: the codes of the network and of trust; `timed-out` after the deadline, `cancelled` with the task.
  public func check(
    within deadline: Duration? = nil, now isNow: Bool = false
  ) async throws(Problem) -> CheckResult {
    defer { tellOfAdvisories() }
    do throws(Problem) {
      let result = try await checked(deadline, isNow)
      events.send(.checked(result))
      return result
    } catch {
      events.send(.problem(error))
      throw error
    }
  }

  private func checked(_ deadline: Duration?, _ isNow: Bool) async throws(Problem) -> CheckResult {
    if let due = dueDate(isNow) { return .notDue(due) }
    do {
      return try await ask(deadline, isNow) { (reader) throws(Problem) in
        var run = self.run(reader)
        run.isAskedNow = isNow
        return try await run.check()
      }
    } catch {
      return .lagging(try lag(error))
    }
  }

  /// Downloads, verifies and stages the newest release for the next launch; one at a time for each folder.
  ///
  /// When it throws or is cancelled, what runs and what is staged are as they were, and the next call needs no help;
  /// finished parts of a download are used again.
  ///
  /// - Parameters:
  ///   - deadline: how long the update may take in all, retries and mirrors included; `nil` for as long as its transfers may.
  ///   - now: whether a person asks: pauses, check intervals and the share of a rollout are not waited for.
  ///   - progress: called from any thread.
  /// - Throws: the codes of the network, of trust and of the disk; `timed-out` after the deadline, `cancelled` with the task.
  public func update(
    within deadline: Duration? = nil, now isNow: Bool = false,
    progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) async throws(Problem) -> UpdateResult {
    defer { tellOfAdvisories() }
    do throws(Problem) {
      let result = try await updated(deadline, isNow, progress)
      events.send(.updated(result))
      return result
    } catch {
      events.send(.problem(error))
      throw error
    }
  }

  private func updated(
    _ deadline: Duration?, _ isNow: Bool, _ progress: @escaping @Sendable (UpdateProgress) -> Void
  ) async throws(Problem) -> UpdateResult {
    if let due = dueDate(isNow) { return .unchanged(.notDue(due)) }
    do {
      return try await ask(deadline, isNow) { (reader) throws(Problem) in
        var run = self.run(reader, progress)
        run.isAskedNow = isNow
        return try await run.update()
      }
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

  // MARK: Lags

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

  // MARK: Asking

  private func dueDate(_ isNow: Bool) -> Timestamp? {
    configuration.heedsPauses && !isNow ? run(sources.feed).dueDate() : nil
  }

  /// Asks the feed, unless it asked for a pause, then its mirrors; remembers what went wrong.
  private func ask<Answer: Sendable>(
    _ limit: Duration?, _ isNow: Bool,
    _ body: @escaping @Sendable (FeedReader) async throws(Problem) -> Answer
  ) async throws(Problem) -> Answer {
    let own = run(sources.feed)
    let pause = configuration.heedsPauses && !isNow ? own.pause() : nil
    let pace = pace(limit)
    let answer = await Deadline.run(limit) { () async -> Result<Answer, Problem> in
      do throws(Problem) {
        return .success(try await self.askAll(pause, pace, body))
      } catch {
        return .failure(error)
      }
    }
    do {
      return try answer.get()
    } catch {
      // A lag is no problem, and that a pause goes on is no news.
      if error != pause, currentLag(error) == nil { own.remember(error) }
      throw error
    }
  }

  private func askAll<Answer: Sendable>(
    _ pause: Problem?, _ pace: Pace, _ body: @Sendable (FeedReader) async throws(Problem) -> Answer
  ) async throws(Problem) -> Answer {
    try await sources.first(unless: pause) { (reader) throws(Problem) in
      do throws(Problem) {
        return try await body(reader.retrying(configuration.retries, pace, observe: note))
      } catch {
        run(reader).noteFailure(error, chance: pace.chance())
        throw error
      }
    }
  }

  private func pace(_ limit: Duration?) -> Pace {
    let (now, clock) = (now, configuration.clock)
    var pace = Pace(now: { now() }, sleep: { try await clock.sleep(for: $0) })
    pace.deadline = limit.map { .now + $0 }
    return pace
  }

  private func note(_ retry: RetryNote) {
    events.send(.retrying(url: retry.url, retry.problem, attempt: retry.attempt, after: retry.wait))
  }

  private func run(
    _ reader: FeedReader, _ progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) -> UpdateRun {
    UpdateRun(configuration: configuration, reader: reader, now: now, progress: progress)
  }
}

extension UpdaterConfiguration {
  /// A reader of the feed or of a mirror, over libcurl or the transport of the app.
  func reader(of location: FeedLocation, isMirror: Bool) -> FeedReader {
    if let transport, case .web = location {
      return FeedReader(
        location, fetcher: transport, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, isMirror: isMirror
      )
    }
    return isMirror
      ? FeedReader.mirror(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, patience: patience)
      : FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback, patience: patience)
  }
}
