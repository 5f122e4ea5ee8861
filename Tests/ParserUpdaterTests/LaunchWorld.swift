import OTAManifest

@testable import OTAFeed
@testable import ParserUpdater

/// A device as the pure rules see it: its state, its app, two processes, and what a person who watches remembers.
///
/// Two worlds from which the same can follow are equal: names of launches that ended and the order of them are left out,
/// and after each step the process that runs the older release is number 1.
struct LaunchWorld: ExploredWorld {
  /// What can happen; processes are told apart by number.
  enum Step: CaseIterable, Sendable {
    // What the feed brings, and an update takes at once.
    case updateGood, updateForOtherApp, updateBack, offerOlder
    // What the two processes of the app do; `tryFails` is a trial load that ends badly.
    case launch1, launch2, launchUnrecorded, launchDamaged, tryFails
    case confirm1, confirm2, fail1, fail2, close1, close2, die1, die2
    // What a person does.
    case rollBack, pin, pinEmbedded, unpin, forget, upgradeApp
    // What a new version of the app, and the root key of the feed, do.
    case changeChannel, newEpoch
  }

  /// What one process runs.
  struct Running: Hashable {
    let release: ReleaseReference
    let launch: LaunchID
    let origin: ReleaseOrigin
  }

  /// A rule that a test breaks on purpose.
  enum Fault: Hashable { case none, forgetsFailures, countsTheLiving, losesTheWayBack, ignoresTheFloor }

  static let processes = 2
  static let now = LaunchPlanExploration.now

  var state = DeviceState()
  var embedded = LaunchPlanExploration.embedded
  var running: [Running?] = Array(repeating: nil, count: processes)
  /// The number of the newest release on the feed.
  var newest: Int64 = 10
  /// What the feed says must not run.
  var withdrawn: [ReleaseVersion] = []
  var fault = Fault.none
  /// Whether the app changes its channel and the feed its epoch; without that the world is small enough for longer ways.
  var hasChanges = false
  /// What the app follows, and where each release was published.
  var channel = Channel.stable
  var homes: [ReleaseVersion: Channel] = [:]
  /// What the targets of the new epoch do not list; `nil` before there is one.
  var revoked: ReleaseVersion?

  // What a person remembers.
  /// What somebody vouched for, and what of that did not fail since.
  var vouched: Set<ReleaseReference> = []
  var confirmed: Set<ReleaseReference> = []
  var condemned: Set<ContentPair> = []
  /// Launches of a release that ended without a word, since it was last staged or confirmed.
  var deaths: [ReleaseReference: Int] = [:]

  static func launchID(_ number: Int) -> LaunchID {
    let digits = String(number, radix: 16)
    guard let name = LaunchID(String(repeating: "0", count: 16 - digits.count) + digits) else {
      preconditionFailure("a launch has 16 digits")
    }
    return name
  }

  /// The launches that go on, as their leases say.
  var living: Set<LaunchID> { fault == .countsTheLiving ? [] : Set(running.compactMap { $0?.launch }) }

  func situation(canRecord: Bool = true) -> LaunchSituation {
    var situation = LaunchPlanExploration.situation(living: living, canRecord: canRecord, embedded: embedded)
    situation.channel = channel
    return situation
  }

  mutating func take(_ step: Step) -> [String]? {
    guard isPossible(step) else { return nil }
    // Whoever asks the store finds it in the channel of the app; a launch alone gets there by itself.
    var before = self
    before.state.follow(channel)
    if ![.launch1, .launch2, .launchUnrecorded, .launchDamaged].contains(step) { state.follow(channel) }
    var broken = act(step)
    broken += brokenPromises(since: before, step)
    settle()
    return broken
  }

  /// Whether a step could change anything here; those that could not are not tried.
  private func isPossible(_ step: Step) -> Bool {
    switch step {
    case .updateGood, .updateForOtherApp: newest < 13
    case .updateBack: newest == 12
    case .offerOlder: (state.seen[channel]?.version.number ?? 0) > 11
    case .launch1, .launchUnrecorded, .launchDamaged: running[0] == nil
    case .tryFails: state.staged != nil
    case .launch2: running[1] == nil && running[0] != nil
    case .confirm1, .close1, .die1: running[0] != nil
    case .confirm2, .close2, .die2: running[1] != nil
    case .fail1: running[0].map { $0.origin != .embedded } ?? false
    case .fail2: running[1].map { $0.origin != .embedded } ?? false
    case .rollBack: state.pin == nil && (state.current ?? state.staged) != nil
    case .pin: state.pin == nil && state.current != nil
    case .pinEmbedded: state.pin == nil
    case .unpin: state.pin != nil
    case .forget: !state.rejected.isEmpty
    case .upgradeApp: embedded.version.number == 10 && newest > 10
    case .changeChannel: hasChanges && running.allSatisfy { $0 == nil }
    case .newEpoch: hasChanges && revoked == nil && newest > 10
    }
  }

  private mutating func act(_ step: Step) -> [String] {
    switch step {
    case .updateGood: update(content: nil, contract: nil)
    case .updateForOtherApp: update(content: nil, contract: 7)
    case .updateBack: updateBack()
    case .offerOlder: offerOlder()
    case .launch1: launch(0)
    case .launch2: launch(1)
    case .launchUnrecorded: launch(0, canRecord: false)
    case .launchDamaged: launch(0, firstIsDamaged: true)
    case .tryFails: failTrialLoad()
    case .confirm1: confirm(0)
    case .confirm2: confirm(1)
    case .fail1: fail(0)
    case .fail2: fail(1)
    case .close1: close(0)
    case .close2: close(1)
    case .die1: die(0)
    case .die2: die(1)
    case .rollBack, .pin, .pinEmbedded, .unpin, .forget, .upgradeApp: byHand(step)
    case .changeChannel: changeChannel()
    case .newEpoch: enterEpoch()
    }
  }

  private mutating func changeChannel() -> [String] {
    channel = channel == .stable ? LineageExploration.beta : .stable
    return []
  }

  /// The root revokes a key of targets; the newest release was the thief's, and the new targets do not list it.
  private mutating func enterEpoch() -> [String] {
    let thief = LaunchPlanExploration.release(newest)
    let epoch = TrustEpoch(lineage: thief.manifest, rootVersion: 2)
    _ = state.enter(epoch, latestDate: nil) { $0.version != thief.version }
    revoked = thief.version
    confirmed = confirmed.filter { $0.version != thief.version }
    return []
  }

  // MARK: The feed

  private mutating func update(content: Int64?, contract: Int64?) -> [String] {
    newest += 1
    return offer(LaunchPlanExploration.release(newest, content: content, contract: contract))
  }

  /// The feed goes back to the content of the release before its newest, under a new number.
  private mutating func updateBack() -> [String] {
    withdrawn = [LaunchPlanExploration.release(newest).version]
    return update(content: newest - 1, contract: nil)
  }

  /// What was accepted once is served again, after something newer.
  private mutating func offerOlder() -> [String] {
    guard let seen = state.seen[channel] else { return [] }
    let older = LaunchPlanExploration.release(seen.version.number - 1)
    let before = state.staged
    let broken = offer(older)
    return broken + (state.staged == before ? [] : ["an older release was installed"])
  }

  private mutating func offer(_ release: ReleaseReference) -> [String] {
    let offer: VerifiedManifest
    do {
      offer = try LaunchPlanExploration.manifest(release, withdrawn: withdrawn)
    } catch {
      return ["the manifest of \(release.version) cannot be made: \(error)"]
    }
    if fault == .ignoresTheFloor { state.seen = [:] }
    let decision = decide(
      on: offer, state: state, embedded: embedded, app: situation().app, channel: channel
    ) { _ in true }
    if !state.reusesNumber(of: offer.manifest, embedded: embedded, channel: channel) {
      state.heed(offer.manifest, channel: channel, embedded: embedded.version)
    }
    guard case .install = decision else { return [] }
    state.select(channel)
    state.staged = release
    state.accept(offer, channel: channel, embedded: embedded.version)
    if homes[release.version] == nil { homes[release.version] = channel }
    deaths[release] = 0
    return []
  }

  // MARK: Processes

  private mutating func launch(_ process: Int, canRecord: Bool = true, firstIsDamaged: Bool = false)
    -> [String]
  {
    launch(process, Self.launchID(process + 1), canRecord: canRecord, firstIsDamaged: firstIsDamaged)
  }

  private mutating func launch(
    _ process: Int, _ name: LaunchID, canRecord: Bool = true, firstIsDamaged: Bool = false
  ) -> [String] {
    let plan = LaunchPlan(state, situation(canRecord: canRecord))
    let named = brokenByChannels(plan)
    guard named.isEmpty else { return named }
    var candidates = plan.candidates[...]
    var damaged: [LaunchPlan.Candidate] = []
    if firstIsDamaged, let first = candidates.first, first.origin != .embedded {
      damaged.append(candidates.removeFirst())
      confirmed.remove(first.release)
    }
    guard let chosen = candidates.first else { return ["there was nothing to run"] }
    condemned.formUnion(plan.state.rejected.map(\.pair))
    if canRecord { state = plan.stateAfterLaunch(of: chosen, damaged: damaged, launch: name) }
    if fault == .losesTheWayBack, chosen.origin == .staged { state.previous = nil }
    running[process] = Running(release: chosen.release, launch: name, origin: chosen.origin)
    return brokenByLaunch(of: chosen, damaged, canRecord: canRecord)
  }

  /// The staged release does not load in an engine, before anybody used it.
  private mutating func failTrialLoad() -> [String] {
    guard let release = state.releaseToTry(situation()) else { return [] }
    state.beginTrialLoad(of: release)
    condemned.insert(release.pair)
    let isWritten = state.endTrialLoad(of: release, .fails("x"), now: Self.now)
    return isWritten && state.staged == nil ? [] : ["a failed trial load was not written down"]
  }

  private mutating func confirm(_ process: Int) -> [String] {
    guard let running = running[process] else { return [] }
    let effect = state.apply(.confirmed, release: running.release, launch: running.launch, now: Self.now)
    if effect == .applied {
      vouched.insert(running.release)
      confirmed.insert(running.release)
      deaths[running.release] = 0
    }
    return []
  }

  /// A failure is answered in the same launch by the next candidate.
  private mutating func fail(_ process: Int) -> [String] {
    guard let failed = running[process] else { return [] }
    let effect = state.apply(
      .failed(reason: "x"), release: failed.release, launch: failed.launch, now: Self.now)
    guard effect == .applied else { return [] }
    condemned.insert(failed.release.pair)
    if fault == .forgetsFailures { state.rejected = [] }
    running[process] = nil
    return launch(process, failed.launch)
  }

  private mutating func close(_ process: Int) -> [String] {
    guard let running = running[process] else { return [] }
    _ = state.apply(.closed, release: running.release, launch: running.launch, now: Self.now)
    self.running[process] = nil
    return []
  }

  private mutating func die(_ process: Int) -> [String] {
    guard let dead = running[process] else { return [] }
    if dead.release == state.current, state.trial?.launches.contains(dead.launch) == true {
      deaths[dead.release, default: 0] += 1
    }
    running[process] = nil
    return []
  }

  // MARK: By hand

  private mutating func byHand(_ step: Step) -> [String] {
    switch step {
    case .rollBack:
      if let left = state.rollBack(now: Self.now) { condemned.insert(left.pair) }
    case .pin: if let current = state.current { state.pin = .release(current) }
    case .pinEmbedded: state.pin = .embedded
    case .unpin: state.pin = nil
    case .forget:
      _ = state.forget(nil)
      condemned = []
    case .upgradeApp:
      // The app is updated once, and ships what is newest on the feed.
      embedded = LaunchPlanExploration.release(newest)
    default: break
    }
    return []
  }

  /// Gives everything that differs without a difference one form: processes, ended launches, and reasons.
  private mutating func settle() {
    let alive = running.compactMap(\.self)
    let counted = Set(state.trial?.launches ?? [])
    let order = alive.sorted {
      ($0.release.version, counted.contains($0.launch) ? 0 : 1)
        < ($1.release.version, counted.contains($1.launch) ? 0 : 1)
    }
    if state.trial != nil {
      let going = order.indices.filter { counted.contains(order[$0].launch) }
      let ended = (0..<(counted.count - going.count)).map { Self.launchID(0x100 + $0) }
      state.trial = .init(launches: ended + going.map { Self.launchID($0 + 1) })
    }
    for process in running.indices {
      let next = process < order.count ? order[process] : nil
      running[process] = next.map {
        Running(release: $0.release, launch: Self.launchID(process + 1), origin: $0.origin)
      }
    }
    if state.rejected.isEmpty { return settleMemory() }
    state.rejected = state.rejected.map {
      .init(pair: $0.pair, version: $0.version, reason: "failed", date: $0.date)
    }.sorted { $0.version < $1.version }
    settleMemory()
  }

  private mutating func settleMemory() {
    confirmed = confirmed.filter { !condemned.contains($0.pair) }
    vouched = vouched.filter { state.references.contains($0) }
    let tried = [state.current] + state.parked.map(\.slots.current)
    deaths = deaths.filter { $0.value > 0 && tried.contains($0.key) }
    homes = homes.filter { home in state.references.contains { $0.version == home.key } }
  }

  // MARK: Places

  func hash(into hasher: inout Hasher) {
    for release in [state.current, state.staged, state.previous, embedded] {
      hasher.combine(release?.version)
    }
    hasher.combine(state.trial?.launches.count)
    hasher.combine(state.rejected.count)
    hasher.combine(newest)
    for process in running { hasher.combine(process?.release.version) }
    // What costs little and tells most worlds apart: equal hashes are compared in full.
    for pair in state.rejected { hasher.combine(pair.version) }
    hasher.combine(state.pin == nil ? 0 : state.pin == .embedded ? 1 : 2)
    hasher.combine(state.seen[.stable]?.version)
    hasher.combine(confirmed.reduce(0) { $0 | 1 << $1.version.number })
    hasher.combine(state.withdrawn.count)
    hasher.combine(condemned.count)
    hasher.combine(deaths.values.first)
    hasher.combine(channel)
    hasher.combine(revoked)
    for parked in state.parked { hasher.combine(parked.slots.current?.version) }
  }

  var sketch: String {
    func name(_ release: ReleaseReference?) -> String { release.map { "\($0.version)" } ?? "-" }
    let trial = state.trial.map { " on trial (\($0.launches.count) launches)" } ?? ""
    let pin =
      switch state.pin {
      case .embedded: ", pin embedded"
      case .release(let release): ", pin \(release.version)"
      case nil: ""
      }
    let processes = running.enumerated().map { "\($0 + 1) runs \(name($1?.release))" }
    return
      "\(channel): current \(name(state.current))\(trial), previous \(name(state.previous)), staged \(name(state.staged))"
      + ", embedded \(embedded.version)\(pin), rejected \(state.rejected.map(\.version.number)); "
      + processes.joined(separator: ", ")
  }
}
