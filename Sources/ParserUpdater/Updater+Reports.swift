public import OTAManifest
internal import Synchronization

/// What a report of a call led to.
public enum ReportEffect: Equatable, Sendable {
  /// It was counted.
  case noted
  /// The release on trial is confirmed.
  case confirmed
  /// The release on trial is undone: the next launch runs the one before it.
  case undone(reason: String)
}

extension Updater {
  /// Counts how a call of a parser ended; costs nothing but memory, and one small write a minute at most.
  ///
  /// Nothing is sent anywhere. A release on trial that fails clearly more often than the last good one on this device is
  /// undone for the next launch; errors of the network never count.
  ///
  /// - Parameter source: the source, as the catalog spells it.
  @discardableResult
  public func report(_ source: SourceID, _ outcome: CallOutcome) -> ReportEffect {
    guard let active = activated, let reporter = reporter(of: active) else { return .noted }
    if outcome == .parsed, configuration.confirmation == .firstParsedCall, active.standing == .onTrial,
      confirm(active) == .recorded
    {
      return .confirmed
    }
    guard let judgement = reporter.report(outcome, of: source, at: change.now) else { return .noted }
    return decide(judgement, active)
  }

  /// The sources that worked before the running release and do not since, while others of their family do.
  public var locallyBroken: [SourceID] {
    activated.flatMap(reporter)?.broken ?? []
  }

  private func decide(_ judgement: CallJudgement, _ active: ActiveRelease) -> ReportEffect {
    switch judgement.verdict {
    case .undecided: return .noted
    case .good:
      guard configuration.confirmation == .reports, confirm(active) == .recorded else { return .noted }
      return .confirmed
    case .bad:
      let reason = "\(judgement.errors) of \(judgement.calls) calls failed, clearly more than before"
      guard let release = active.reference else { return .noted }
      let result = change.undo(release, active.launch, reason: reason)
      return result == .recorded ? .undone(reason: reason) : .noted
    }
  }

  /// Writes down what was reported and not written yet.
  func flushReports() { reports.withLock { $0 }?.write(at: change.now) }

  private func reporter(of active: ActiveRelease) -> CallReporter? {
    reports.withLock { known in
      if let known { return known }
      guard let release = active.reference else { return nil }
      let reporter = CallReporter(
        release, catalog: active.sources, directory: configuration.directory,
        isOnTrial: active.standing == .onTrial, now: change.now)
      known = reporter
      return reporter
    }
  }
}

extension StoreChange {
  /// Rejects a release on trial in its own launch, without starting another one.
  func undo(_ release: ReleaseReference, _ launch: LaunchID, reason: String) -> VerdictResult {
    do {
      return try change { (state) throws(Problem) in
        guard state.trial != nil,
          state.apply(.failed(reason: reason), release: release, launch: launch, now: now) == .applied
        else { return (.nothingToDo, []) }
        return (
          .recorded,
          [HistoryEvent(.judged, release, "by reports: \(reason)"), HistoryEvent(.rejected, release, reason)]
        )
      }
    } catch {
      return .notRecorded(error)
    }
  }
}
