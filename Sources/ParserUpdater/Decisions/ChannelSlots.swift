internal import OTAManifest

/// The places of one channel: what of it runs, waits, and is the way back.
struct ChannelSlots: Equatable, Sendable {
  /// The release that runs, confirmed or on trial; `nil` when the embedded copy runs.
  var current: ReleaseReference?
  /// The launches that used `current` without confirmation so far; `nil` when it is confirmed.
  var trial: DeviceState.Trial?
  /// The confirmed release before `current`.
  var previous: ReleaseReference?
  /// Verified and on disk, to be used at the next launch.
  var staged: ReleaseReference?
  /// The trial load of `staged`; `nil` before it began, and for apps that have none.
  var trialLoad: DeviceState.TrialLoadRecord?
  /// The release of this channel that a person pinned, while another channel is followed.
  var pinned: ReleaseReference?
  /// What the newest manifest that was heard of says must not run.
  var withdrawn: [ReleaseVersion] = []
  /// Releases of rollouts that were withdrawn before everybody might have them.
  var takenBack: [ReleaseVersion] = []
  /// The rollout that was heard of last; `nil` when the channel has none.
  var rollout: Rollout?
  /// What the feed says of sources; `nil` when it says nothing.
  var advisories: Advisories?
  /// The word that apps run their embedded copy in place of releases up to this one; `nil` for none.
  var embeddedWord: EmbeddedWord?

  /// A word about apps, and the release that carried it.
  struct EmbeddedWord: Equatable, Sendable {
    let version: ReleaseVersion
    let apps: EmbeddedOnly
  }

  /// Whether a release must not run any more.
  func takesBack(_ version: ReleaseVersion) -> Bool {
    withdrawn.contains(version) || takenBack.contains(version)
  }

  /// Every release that some slot refers to.
  var references: [ReleaseReference] { [current, previous, staged, pinned].compactMap(\.self) }

  /// The newest release that somebody confirmed.
  var confirmed: ReleaseReference? { trial == nil ? current ?? previous : previous }

  /// Takes the running release out of its slot; the one before it moves up, confirmed as it was.
  mutating func dropCurrent() {
    current = previous
    previous = nil
    trial = nil
  }

  /// Empties every slot that refers to a release.
  mutating func drop(_ release: ReleaseReference) {
    if staged == release { staged = nil }
    if previous == release { previous = nil }
    if current == release { dropCurrent() }
    if pinned == release { pinned = nil }
    if trialLoad?.manifest != staged?.manifest { trialLoad = nil }
  }
}

/// The slots of a channel that the device followed before.
struct ParkedChannel: Equatable, Sendable {
  let channel: Channel
  var slots: ChannelSlots
}

extension DeviceState {
  /// How many channels keep their releases beside the one that is followed; the one left longest ago goes first.
  static let maxParkedChannels = 3

  /// The release that runs, confirmed or on trial; `nil` when the embedded copy runs.
  var current: ReleaseReference? {
    get { slots.current }
    set { slots.current = newValue }
  }

  /// The launches that used `current` without confirmation so far; `nil` when it is confirmed.
  var trial: Trial? {
    get { slots.trial }
    set { slots.trial = newValue }
  }

  /// The confirmed release before `current`.
  var previous: ReleaseReference? {
    get { slots.previous }
    set { slots.previous = newValue }
  }

  /// Verified and on disk, to be used at the next launch.
  var staged: ReleaseReference? {
    get { slots.staged }
    set { slots.staged = newValue }
  }

  /// The trial load of `staged`; `nil` before it began, and for apps that have none.
  var trialLoad: TrialLoadRecord? {
    get { slots.trialLoad }
    set { slots.trialLoad = newValue }
  }

  /// What the newest manifest of the channel says must not run.
  var withdrawn: [ReleaseVersion] {
    get { slots.withdrawn }
    set { slots.withdrawn = newValue }
  }

  /// Whether some channel of the feed withdrew a release; a number belongs to one release of the whole feed.
  func isWithdrawn(_ version: ReleaseVersion) -> Bool {
    slots.takesBack(version) || parked.contains { $0.slots.takesBack(version) }
  }

  /// The confirmed release of the channel that was followed before this one.
  var fallback: (release: ReleaseReference, channel: Channel)? {
    guard let last = parked.last, let release = last.slots.confirmed else { return nil }
    return (release, last.channel)
  }

  /// Whether no release was ever accepted or heard of: then there is nothing that could belong to a channel or feed.
  var isUnused: Bool {
    slots == ChannelSlots() && parked.isEmpty && seen.isEmpty && heard.isEmpty && references.isEmpty
  }

  /// Follows a channel from now on: its slots come back, and those of the channel before wait for a return.
  ///
  /// A store that no release was ever put into stays as it is, so that a first launch has nothing to write.
  ///
  /// - Returns: the channel that was left; `nil` when nothing changed.
  @discardableResult
  mutating func follow(_ wanted: Channel) -> Channel? {
    guard wanted != channel, !isUnused else { return nil }
    return select(wanted)
  }

  /// The same for a store that is about to be filled.
  @discardableResult
  mutating func select(_ wanted: Channel) -> Channel? {
    guard wanted != channel else { return nil }
    var left = slots
    // Nothing of a channel that was left is used for the first time later.
    (left.staged, left.trialLoad, left.advisories) = (nil, nil, nil)
    if case .release(let release) = pin { (left.pinned, pin) = (release, nil) }
    if left != ChannelSlots() { parked.append(ParkedChannel(channel: channel, slots: left)) }
    let before = channel
    channel = wanted
    slots = parked.last { $0.channel == wanted }?.slots ?? ChannelSlots()
    parked.removeAll { $0.channel == wanted }
    parked.removeFirst(max(0, parked.count - Self.maxParkedChannels))
    if let pinned = slots.pinned, pin == nil { pin = .release(pinned) }
    slots.pinned = nil
    return before
  }

  /// Empties every slot of every channel that refers to a release.
  mutating func drop(_ release: ReleaseReference) {
    slots.drop(release)
    for index in parked.indices { parked[index].slots.drop(release) }
    if pin == .release(release) { pin = nil }
  }
}
