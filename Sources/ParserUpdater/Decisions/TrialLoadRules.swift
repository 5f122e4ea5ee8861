internal import OTAManifest

extension DeviceState {
  /// The release whose trial load is to begin: the staged one, when it runs next and was not tried before.
  ///
  /// One attempt, whatever became of it: an app that dies in the middle must not die in the same place at each launch,
  /// and a release that nobody could judge still has its launches on trial.
  func releaseToTry(_ situation: LaunchSituation) -> ReleaseReference? {
    guard let first = LaunchPlan(self, situation).candidates.first, first.origin == .staged else {
      return nil
    }
    return trialLoad?.manifest == first.release.manifest ? nil : first.release
  }

  /// Writes down that a trial load begins.
  mutating func beginTrialLoad(of release: ReleaseReference) {
    trialLoad = TrialLoadRecord(manifest: release.manifest, stage: .began)
  }

  /// Writes down what came of it; `false` when the release is no longer the staged one.
  mutating func endTrialLoad(of release: ReleaseReference, _ verdict: TrialVerdict, now: Timestamp) -> Bool {
    guard staged == release, trialLoad?.manifest == release.manifest else { return false }
    switch verdict {
    case .works: trialLoad?.stage = .passed
    case .undecided: trialLoad?.stage = .undecided
    case .fails(let reason):
      reject(release, reason: "trial load: \(reason)", date: now)
      staged = nil
      trialLoad = nil
    }
    return true
  }

  /// Drops what is known of releases that are not staged any more.
  mutating func forgetOtherTrialLoads() {
    if trialLoad?.manifest != staged?.manifest { trialLoad = nil }
  }
}
