internal import OTAManifest

/// What is known at the moment of a launch, besides the state.
struct LaunchSituation: Sendable {
  /// The copy inside the app; `nil` when its manifest cannot be read.
  var embedded: ReleaseReference?
  /// What the app can run.
  var app: AppCapabilities
  /// How many launches in a row may end without confirmation before a release is rejected; at least 1.
  var unconfirmedLimit: Int
  /// The launches on trial that go on in some process, and so have not ended without confirmation; `nil` when unknown.
  var livingLaunches: Set<LaunchID>?
  /// Whether the state can be written; without that no trial can begin or go on.
  var canRecord: Bool
  /// The time, for the record.
  var now: Timestamp
  /// The channel that the app follows.
  var channel = Channel.stable
  /// Whether the store belongs to the feed that the app names.
  var belonging = Belonging.known
  /// Whether the release of the channel before may run until the channel has one here.
  var keepsFormerChannel = true
}

/// What should happen at a launch: the state after the rules were applied, and the releases to try in order.
///
/// Pure: the caller reads and hashes the files, and takes the first candidate that is whole.
struct LaunchPlan: Equatable, Sendable {
  /// A release worth trying.
  struct Candidate: Equatable, Sendable {
    let release: ReleaseReference
    let origin: ReleaseOrigin
  }

  /// The state without what the rules dropped or rejected.
  private(set) var state: DeviceState
  /// Eligible releases, best first; the embedded copy is among them when it can be read.
  private(set) var candidates: [Candidate] = []
  /// Releases that are not candidates, with the reason.
  private(set) var passedOver: [PassedOver] = []
  /// Events for the history.
  private(set) var events: [HistoryEvent] = []
  /// A release on trial that may have used up its launches: neither launched nor rejected until that is known.
  private var heldBack: ReleaseReference?

  /// Applies the rules to a state.
  init(_ state: DeviceState, _ situation: LaunchSituation) {
    self.state = state
    leaveOtherFeed(situation)
    followChannel(situation)
    expireTrial(situation)
    dropUnusable(situation)
    dropOlderThanEmbedded(situation)
    gather(situation)
  }

  /// Nothing of another feed runs, not even offline.
  private mutating func leaveOtherFeed(_ situation: LaunchSituation) {
    let left = state.enter(situation.belonging)
    passedOver += left.map(\.passedOver)
    events += left.map(\.event)
  }

  /// The slots of the channel that the app follows come to the front.
  private mutating func followChannel(_ situation: LaunchSituation) {
    let channel = state.followedChannel(situation.channel)
    guard let left = state.follow(channel) else { return }
    let reason =
      state.chosenChannel != nil
      ? " (chosen on this device)"
      : channel == situation.channel ? "" : " (in place of \(situation.channel), as the feed says)"
    events.append(
      HistoryEvent(.channelChanged, nil, "follows the channel \(channel), before: \(left)\(reason)"))
  }

  /// A release on trial that used up its launches is rejected, and the one before it moves up.
  private mutating func expireTrial(_ situation: LaunchSituation) {
    guard let trial = state.trial, let current = state.current else {
      state.trial = nil
      return
    }
    let ended = trial.launches.filter { situation.livingLaunches?.contains($0) != true }.count
    guard ended >= max(1, situation.unconfirmedLimit) else { return }
    guard situation.livingLaunches != nil else {
      heldBack = current
      return
    }
    let reason = "\(ended) launches in a row ended without confirmation"
    state.reject(current, reason: reason, date: situation.now)
    passedOver.append(PassedOver(current, .current, .rejected(reason: reason)))
    events.append(HistoryEvent(.rejected, current, reason))
    state.dropCurrent()
  }

  /// Slots whose release was rejected or withdrawn are emptied; what only this app cannot run is kept for a later one.
  private mutating func dropUnusable(_ situation: LaunchSituation) {
    if let staged = state.staged, let reason = permanentReason(staged, situation) {
      note(staged, .staged, reason)
      state.staged = nil
    }
    if let previous = state.previous, let reason = permanentReason(previous, situation) {
      note(previous, .previous, reason)
      state.previous = nil
    }
    if let current = state.current, let reason = permanentReason(current, situation) {
      note(current, .current, reason)
      state.dropCurrent()
    }
    if case .release(let pinned) = state.pin, let reason = permanentReason(pinned, situation) {
      note(pinned, .pin, reason)
      state.pin = nil
    }
  }

  private func permanentReason(_ release: ReleaseReference, _ situation: LaunchSituation) -> Ineligibility? {
    switch ineligibility(of: release, in: state, for: situation.app) {
    case .rejected(let reason): .rejected(reason: reason)
    case .withdrawn: .withdrawn
    case .embeddedOnly(let since): .embeddedOnly(since: since)
    default: nil
    }
  }

  private mutating func note(_ release: ReleaseReference, _ origin: ReleaseOrigin, _ reason: Ineligibility) {
    passedOver.append(PassedOver(release, origin, reason))
    events.append(HistoryEvent(.dropped, release, "\(release.version) (\(origin.rawValue)) \(reason.text)"))
  }

  /// The copy inside the app wins over every download that is not newer, except over an explicit pin.
  private mutating func dropOlderThanEmbedded(_ situation: LaunchSituation) {
    guard let embedded = situation.embedded else { return }
    func isBeaten(_ release: ReleaseReference?) -> Bool {
      guard let release, state.pin != .release(release) else { return false }
      return release.version <= embedded.version
    }
    for (slot, origin) in [(\DeviceState.staged, ReleaseOrigin.staged), (\.previous, .previous)]
    where isBeaten(state[keyPath: slot]) {
      noteBeaten(state[keyPath: slot], origin, by: embedded)
      state[keyPath: slot] = nil
    }
    if isBeaten(state.current) {
      noteBeaten(state.current, .current, by: embedded)
      state.dropCurrent()
    }
  }

  private mutating func noteBeaten(
    _ release: ReleaseReference?, _ origin: ReleaseOrigin, by embedded: ReleaseReference
  ) {
    guard let release else { return }
    let sameNumber = release.version == embedded.version
    let differs = sameNumber && release.pair != embedded.pair
    passedOver.append(
      PassedOver(
        release.version, origin, code: differs ? "embedded-has-other-bytes" : "embedded-not-older",
        differs
          ? "has the number of the copy inside the app but other bytes: the copy inside the app wins"
          : "is not newer than the copy inside the app (\(embedded.version))"))
    events.append(
      HistoryEvent(.dropped, release, "not newer than the copy inside the app (\(embedded.version))"))
  }

  private mutating func gather(_ situation: LaunchSituation) {
    switch state.pin {
    case .embedded: addEmbedded(situation)
    case .release(let pinned): add(pinned, .pin, situation)
    case nil: add(state.staged, .staged, situation)
    }
    add(state.current, .current, situation)
    add(state.previous, .previous, situation)
    if state.pin != .embedded {
      if candidates.isEmpty { addFallback(situation) }
      addEmbedded(situation)
    }
  }

  /// A channel that has no release here yet: what the channel before ran goes on, by name, unless the copy inside the
  /// app is as new.
  private mutating func addFallback(_ situation: LaunchSituation) {
    guard situation.keepsFormerChannel, let (release, channel) = state.fallback,
      situation.embedded.map({ $0.version < release.version }) ?? true
    else { return }
    add(release, .otherChannel, situation)
    guard candidates.last?.release == release else { return }
    passedOver.append(
      PassedOver(
        nil, .otherChannel, code: "channel-without-release",
        "the channel \(state.channel) has no release here yet: release \(release.version) of the channel \(channel) goes on"
      ))
  }

  private mutating func addEmbedded(_ situation: LaunchSituation) {
    guard let embedded = situation.embedded else { return }
    candidates.append(Candidate(release: embedded, origin: .embedded))
  }

  private mutating func add(
    _ release: ReleaseReference?, _ origin: ReleaseOrigin, _ situation: LaunchSituation
  ) {
    guard let release, !candidates.contains(where: { $0.release == release }) else { return }
    if let reason = ineligibility(of: release, in: state, for: situation.app) {
      passedOver.append(PassedOver(release, origin, reason))
    } else if release == heldBack {
      passedOver.append(
        PassedOver(
          release.version, origin, code: "unknown",
          "has used up its launches on trial, unless one of them goes on, which cannot be known now"))
    } else if !situation.canRecord, needsRecord(release, origin) {
      passedOver.append(
        PassedOver(
          release.version, origin, code: "cannot-record-launch",
          "is not confirmed yet, and this launch cannot be recorded because the store cannot be written"))
    } else {
      candidates.append(Candidate(release: release, origin: origin))
    }
  }

  private func needsRecord(_ release: ReleaseReference, _ origin: ReleaseOrigin) -> Bool {
    origin == .staged || (state.trial != nil && release == state.current)
  }
}
