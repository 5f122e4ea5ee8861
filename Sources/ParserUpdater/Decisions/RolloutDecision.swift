internal import OTAManifest

/// Why a device is offered the release of a rollout, or the newest one that everybody may have.
public enum RolloutReason: String, Sendable, CaseIterable {
  // The release of the rollout.
  /// The device has it already.
  case kept = "has-it"
  /// The publisher called it critical.
  case critical
  /// A person asked for an update now.
  case askedNow = "asked-now"
  /// What the device ran was withdrawn.
  case replacesWithdrawn = "replaces-withdrawn"
  /// The device is inside the share.
  case inside

  // The release of everybody.
  /// The release of everybody is as new.
  case overtaken
  case withdrawn
  case halted
  /// It failed on this device.
  case rejected
  /// The device is not inside the share yet.
  case outside
  /// The bucket of the device cannot be computed here.
  case unknown

  /// Whether it is the release of the rollout that is offered.
  public var takes: Bool {
    switch self {
    case .kept, .critical, .askedNow, .replacesWithdrawn, .inside: true
    case .overtaken, .withdrawn, .halted, .rejected, .outside, .unknown: false
    }
  }
}

/// What a device knows when it decides on a rollout.
struct RolloutQuestion: Sendable {
  /// The document.
  let rollout: Rollout
  /// The newest release that everybody may have.
  let complete: ReleaseVersion
  /// The bucket of the device, from 0 to 9999; `nil` when it cannot be computed.
  let bucket: Int?
  /// The latest time that is proved to have come.
  let moment: Timestamp
  /// Whether a person asked for an update now.
  let isAskedNow: Bool

  /// The one rule on who gets the release of a rollout.
  ///
  /// What takes a release away comes first, so that neither haste nor a share overrides it.
  func reason(in state: DeviceState) -> RolloutReason {
    let version = rollout.version
    if version <= complete { return .overtaken }
    if rollout.state == .withdrawn || state.isWithdrawn(version) { return .withdrawn }
    if state.rejected.contains(where: { $0.version == version && state.heeds($0) }) { return .rejected }
    if state.current?.version == version { return .kept }
    if rollout.state == .halted { return .halted }
    if state.staged?.version == version { return .kept }
    if rollout.isCritical { return .critical }
    if isAskedNow { return .askedNow }
    if let current = state.current, state.isWithdrawn(current.version) { return .replacesWithdrawn }
    guard let bucket else { return .unknown }
    return rollout.share(at: moment).contains(bucket: bucket) ? .inside : .outside
  }
}

extension DeviceState {
  /// A verified document says how the rollout of the channel goes on; an older copy of it changes nothing.
  ///
  /// - Parameter rollout: `nil` when the channel has none any more.
  mutating func heed(_ rollout: Rollout?) {
    guard let rollout else {
      slots.rollout = nil
      return
    }
    if let known = slots.rollout {
      let isOlder = (rollout.version, rollout.revision) < (known.version, known.revision)
      if isOlder { return }
    }
    slots.rollout = rollout
    for version in rollout.takesBack { slots.takeBack(version) }
    switch rollout.state {
    case .running: break
    case .halted:
      // It was never used here, so this device is one that does not get it.
      if staged?.version == rollout.version { staged = nil }
    case .withdrawn: slots.takeBack(rollout.version)
    }
  }

  /// A verified document says what is known of sources; an older copy of it changes nothing.
  ///
  /// - Parameter advisories: `nil` when the channel has none any more.
  mutating func heed(_ advisories: Advisories?) {
    if let advisories, let known = slots.advisories, advisories.revision < known.revision { return }
    slots.advisories = advisories
  }

  /// The release from a rollout that a device has, when everybody's newest is an older one; `nil` for none.
  ///
  /// It stays: its rollout may have ended in another one, and nothing says that it must not run.
  func releasesAhead(of offer: ReleaseVersion) -> [ReleaseReference] {
    guard let floor = seen[channel]?.version else { return [] }
    return [staged, current].compactMap(\.self).filter { $0.version > max(offer, floor) }
  }
}

extension ChannelSlots {
  /// How many withdrawn releases of rollouts are remembered; later manifests name them as well.
  static let maxTakenBack = 16

  /// A release of a rollout must not run any more, whatever the manifests of everybody say of it.
  mutating func takeBack(_ version: ReleaseVersion) {
    guard !takenBack.contains(version) else { return }
    takenBack = (takenBack + [version]).suffix(Self.maxTakenBack).sorted()
  }
}
