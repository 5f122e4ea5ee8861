internal import OTAManifest

extension LaunchPlan {
  /// The state that records the launch of `chosen`, after `damaged` were found to be no whole releases.
  ///
  /// Equal to the state before the launch when nothing changed: then nothing needs to be written.
  func stateAfterLaunch(
    of chosen: Candidate?, damaged: [Candidate], launch: LaunchID
  ) -> DeviceState {
    var state = state
    for candidate in damaged { state.drop(candidate.release) }
    switch chosen?.origin {
    case .staged: if let chosen { state.promoteStaged(chosen.release, launch: launch) }
    case .current, .pin:
      if state.current == chosen?.release { state.trial?.launches.append(launch) }
    case .previous, .otherChannel, .embedded, .nothing, nil: break
    }
    state.forgetOtherTrialLoads()
    return state
  }
}

extension DeviceState {
  /// Puts the staged release on trial; what ran confirmed before stays as the way back.
  fileprivate mutating func promoteStaged(_ release: ReleaseReference, launch: LaunchID) {
    if let current, trial == nil, current.pair != release.pair { previous = current }
    current = release
    staged = nil
    trial = Trial(launches: [launch])
  }
}
