internal import OTAManifest

/// One device of a simulation: the state and the rules of a real one, on a made-up clock.
struct SimulatedDevice {
  private var state = DeviceState()
  private let feed: SimulatedFeed
  private let plan: SimulationPlan
  private let embedded: ReleaseReference
  private let install: InstallID
  private var random: SplitMix
  private var moment = 0
  /// The document and the manifest that the device decided on last: the same ones again decide nothing new.
  private var decided: (moment: Int, share: Share)?
  private var book: SimulationBook

  init(_ plan: SimulationPlan, _ feed: SimulatedFeed, number: Int) {
    (self.plan, self.feed) = (plan, feed)
    random = SplitMix(state: plan.seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(number))
    install = InstallID.random(using: &random)
    let isNewer = random.parts(plan.newerEmbeddedParts)
    embedded = Self.reference(SimulatedFeed.manifest(SimulatedFeed.firstVersion + (isNewer ? 0 : -1)))
    book = SimulationBook(plan)
    if !isNewer { state.current = Self.reference(SimulatedFeed.manifest(SimulatedFeed.firstVersion)) }
    state.install = install
  }

  /// Launches have no names here: each counts by itself.
  private static let launch = LaunchID.random()

  private static func reference(_ manifest: Manifest) -> ReleaseReference {
    ReleaseReference(manifest, digest: SimulatedFeed.digest(manifest.version.number))
  }

  /// Lives through the plan; what the device did, by hours.
  mutating func run() -> SimulationBook {
    let interval = random.weighted(plan.intervals)
    var nextCheck = random.below(interval)
    var nextLaunch = random.below(plan.launchSeconds)
    let gap = offline()
    book.runs(running, from: 0)
    while min(nextCheck, nextLaunch) < plan.seconds {
      if nextCheck <= nextLaunch {
        if !gap.contains(nextCheck) { check(at: nextCheck) }
        nextCheck += interval - interval / 10 + random.below(max(1, interval / 5))
      } else {
        launch(at: nextLaunch)
        nextLaunch += plan.launchSeconds / 2 + random.below(max(1, plan.launchSeconds))
      }
    }
    return book
  }

  private var running: ReleaseVersion {
    state.current.map { max($0.version, embedded.version) } ?? embedded.version
  }

  private mutating func offline() -> Range<Int64> {
    guard random.parts(plan.offline.parts) else { return 0..<0 }
    let start = random.below(plan.seconds)
    return start..<start + random.below(plan.offline.seconds)
  }

  // MARK: Checks

  private mutating func check(at time: Int64) {
    moment = feed.index(at: time, from: moment)
    let found = feed.moments[moment]
    book.count(requests: 2, bytes: plan.traffic.check, at: time)
    // Signed dates are what steps are judged by: a wrong clock changes nothing.
    let signed = SimulatedFeed.start.advanced(bySeconds: time - time % plan.refreshSeconds)
    let proven = found.rollout?.provenMoment(signedAt: signed) ?? signed
    let share = found.rollout?.share(at: proven) ?? .all
    if let decided, decided.moment == moment, decided.share == share { return }
    decided = (moment, share)
    state.heed(found.complete, channel: .stable, embedded: embedded.version)
    state.heed(found.rollout)
    take(offer(found, proven), found.complete, at: time)
  }

  /// The release that the real rule offers.
  private func offer(_ found: SimulatedFeed.Moment, _ proven: Timestamp) -> Manifest {
    guard let rollout = found.rollout else { return found.complete }
    let question = RolloutQuestion(
      rollout: rollout, complete: found.complete.version, bucket: install.knownBucket(for: rollout.version),
      moment: proven, isAskedNow: false)
    guard question.reason(in: state).takes else { return found.complete }
    var manifest = SimulatedFeed.manifest(rollout.version.number)
    manifest.withdrawn = found.complete.withdrawn
    return manifest
  }

  private mutating func take(_ manifest: Manifest, _ complete: Manifest, at time: Int64) {
    let offer = Self.reference(manifest)
    guard offer.version > embedded.version, offer != state.current, offer != state.staged,
      ineligibility(of: offer, in: state, for: AppCapabilities()) == nil,
      offer.version >= state.seen[.stable]?.version ?? offer.version,
      state.releasesAhead(of: offer.version).isEmpty
    else { return }
    let isKnown = [state.current, state.previous].contains { $0?.pair == offer.pair }
    book.count(
      requests: isKnown ? 1 : 3, bytes: plan.traffic.manifest + (isKnown ? 0 : plan.traffic.release), at: time
    )
    state.staged = offer
    let floor = max(complete.version, state.seen[.stable]?.version ?? complete.version)
    state.seen[.stable] = .init(version: floor, manifest: offer.manifest, pair: offer.pair)
  }

  // MARK: Launches

  /// A launch by the real plan; only where something can change.
  private mutating func launch(at time: Int64) {
    let mayChange =
      state.staged != nil || state.trial != nil
      || state.current.map { state.isWithdrawn($0.version) } ?? false
    guard mayChange else { return }
    let now = SimulatedFeed.start.advanced(bySeconds: time)
    let situation = LaunchSituation(
      embedded: embedded, app: AppCapabilities(), unconfirmedLimit: 2, livingLaunches: [], canRecord: true,
      now: now)
    let plan = LaunchPlan(state, situation)
    let launch = Self.launch
    let chosen = plan.candidates.first
    state = plan.stateAfterLaunch(of: chosen, damaged: [], launch: launch)
    let version = chosen?.release.version ?? embedded.version
    book.runs(version, from: time)
    guard let release = chosen?.release, state.current == release, state.trial != nil else { return }
    let crashes = feed.bad.contains(version) && random.parts(self.plan.crashParts)
    if !crashes { _ = state.apply(.confirmed, release: release, launch: launch, now: now) }
  }
}

/// SplitMix64: small, fast, and the same everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to below a limit.
  mutating func below(_ limit: Int64) -> Int64 {
    limit <= 0 ? 0 : Int64(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// Whether one of so many parts of 10 000 was drawn.
  mutating func parts(_ parts: Int) -> Bool { below(Int64(Share.whole)) < Int64(parts) }

  /// One of several values, by their weights.
  mutating func weighted(_ values: [(seconds: Int64, weight: Double)]) -> Int64 {
    let sum = values.reduce(0) { $0 + $1.weight }
    var drawn = Double(next() >> 11) / Double(1 << 53) * sum
    for value in values {
      drawn -= value.weight
      if drawn < 0 { return value.seconds }
    }
    return values.last?.seconds ?? 86_400
  }
}
