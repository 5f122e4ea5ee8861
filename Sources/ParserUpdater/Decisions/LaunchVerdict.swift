internal import OTAManifest

/// What an app says about the release that it runs, and what that does to the state.
enum LaunchVerdict: Sendable {
  case confirmed
  case failed(reason: String)
  /// The app ended in good order before it could say more: the launch does not count.
  case closed
}

/// What a verdict did.
enum VerdictEffect: Equatable, Sendable {
  /// The state changed.
  case applied
  /// The release was confirmed before; nothing to do.
  case alreadyConfirmed
  /// The verdict speaks for a release or launch that the state does not know as running.
  case ignored(reason: String)
}

extension DeviceState {
  /// Applies a verdict that speaks for `release` and `launch`; one that speaks for anything else changes nothing.
  mutating func apply(
    _ verdict: LaunchVerdict, release: ReleaseReference, launch: LaunchID, now: Timestamp
  ) -> VerdictEffect {
    switch verdict {
    case .confirmed: confirm(release, launch)
    case .failed(let reason): fail(release, launch, reason, now)
    case .closed: close(release, launch)
    }
  }

  private mutating func confirm(_ release: ReleaseReference, _ launch: LaunchID) -> VerdictEffect {
    if release == current, trial == nil { return .alreadyConfirmed }
    if release == previous || parked.contains(where: { $0.slots.confirmed == release }) {
      return .alreadyConfirmed
    }
    if let refusal = refusal(release, launch) { return refusal }
    trial = nil
    return .applied
  }

  private mutating func close(_ release: ReleaseReference, _ launch: LaunchID) -> VerdictEffect {
    if release == current, trial == nil { return .alreadyConfirmed }
    if parked.contains(where: { $0.slots.confirmed == release }) { return .alreadyConfirmed }
    if let refusal = refusal(release, launch) { return refusal }
    trial?.launches.removeAll { $0 == launch }
    return .applied
  }

  /// A failure rejects at once; of a confirmed release too, since the app that runs it says so.
  private mutating func fail(
    _ release: ReleaseReference, _ launch: LaunchID, _ reason: String, _ now: Timestamp
  ) -> VerdictEffect {
    if release == current {
      if trial != nil, let refusal = refusal(release, launch) { return refusal }
      reject(release, reason: reason, date: now)
      dropCurrent()
      return .applied
    }
    if release != previous, parked.contains(where: { $0.slots.confirmed == release }) {
      reject(release, reason: reason, date: now)
      drop(release)
      return .applied
    }
    guard release == previous else {
      return .ignored(reason: "release \(release.version) is not the one that this device runs")
    }
    reject(release, reason: reason, date: now)
    previous = nil
    return .applied
  }

  private func refusal(_ release: ReleaseReference, _ launch: LaunchID) -> VerdictEffect? {
    guard release == current else {
      return .ignored(reason: "release \(release.version) is not the one on trial")
    }
    guard let trial, trial.launches.contains(launch) else {
      return .ignored(reason: "launch \(launch) is not a launch of the release on trial")
    }
    return nil
  }
}
