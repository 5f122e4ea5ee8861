import OTAManifest
import Testing

@testable import OTAFeed
@testable import ParserUpdater

/// Every state of a small world against what must always hold; `LaunchWays` has the ways through such a world.
@Suite("The plan of a launch, exhaustively")
struct LaunchPlanExploration {
  private static func digest(_ byte: Int64) -> Digest {
    guard let digest = Digest(bytes: [UInt8](repeating: UInt8(byte), count: 32)) else {
      preconditionFailure("a digest has 32 bytes")
    }
    return digest
  }

  /// A release of this number; its content is that of another number where that is given.
  static func release(
    _ version: Int64, content: Int64? = nil, contract: Int64? = nil
  ) -> ReleaseReference {
    ReleaseReference(
      version: ReleaseVersion(version) ?? .first, manifest: digest(version),
      pair: ContentPair(bundle: digest(content ?? version), sources: digest(100)), contract: contract)
  }

  static let embedded = release(10)
  static let now = Timestamp(secondsSinceEpoch: 1_780_000_000)

  /// Older than the embedded copy, as old with other bytes, newer, newer and for another app, newest.
  static let releases: [ReleaseReference?] = [
    nil, release(9), release(10, content: 55), release(11), release(12, contract: 7), release(13),
  ]

  static func situation(
    limit: Int = 2, living: Set<LaunchID> = [], canRecord: Bool = true, embedded: ReleaseReference? = embedded
  ) -> LaunchSituation {
    LaunchSituation(
      embedded: embedded, app: AppCapabilities(contracts: [1]), unconfirmedLimit: limit,
      livingLaunches: living,
      canRecord: canRecord, now: now)
  }

  /// Calls `body` with each state of the small world: slots, trials, rejections, withdrawals and pins.
  static func forEachState(_ body: (DeviceState) -> Void) {
    let launch = LaunchID("0123456789abcdef")
    let trials: [DeviceState.Trial?] =
      [nil]
      + (1...2).map { count in
        DeviceState.Trial(launches: Array(repeating: launch, count: count).compactMap(\.self))
      }
    for staged in releases {
      for current in releases {
        for previous in releases {
          for trial in current == nil ? [nil] : trials {
            var state = DeviceState()
            (state.staged, state.current, state.previous, state.trial) = (staged, current, previous, trial)
            forEachMark(of: state, body)
          }
        }
      }
    }
  }

  private static func forEachMark(of state: DeviceState, _ body: (DeviceState) -> Void) {
    let pins: [DeviceState.Pin?] = [
      nil, .embedded, state.current.map { .release($0) }, state.previous.map { .release($0) },
    ]
    for pin in [nil, .embedded] + pins.dropFirst(2).filter({ $0 != nil }) {
      for mark in 0..<4 {
        var marked = state
        marked.pin = pin
        if mark & 1 != 0 {
          marked.rejected = [
            .init(pair: digestPair(13), version: .first, reason: "failed", date: now)
          ]
        }
        if mark & 2 != 0, let version = ReleaseVersion(11) { marked.withdrawn = [version] }
        body(marked)
      }
    }
  }

  private static func digestPair(_ version: Int64) -> ContentPair { release(version).pair }

  @Test("what holds for every plan, whatever the state was")
  func invariants() {
    var plans = 0
    var broken: [String: DeviceState] = [:]
    Self.forEachState { state in
      let all = Set(state.trial?.launches ?? [])
      for (canRecord, living) in [(true, []), (true, all), (false, [])] {
        let situation = Self.situation(living: living, canRecord: canRecord)
        let plan = LaunchPlan(state, situation)
        plans += 1
        for (rule, holds) in Self.rules(plan, state, situation) where !holds { broken[rule] = state }
      }
    }
    #expect(broken.isEmpty, "\(broken)")
    #expect(plans > 15_000, "the world is not as small as that: \(plans)")
  }

  private static func rules(
    _ plan: LaunchPlan, _ before: DeviceState, _ situation: LaunchSituation
  ) -> [(String, Bool)] {
    let candidates = plan.candidates
    let place = candidates.firstIndex { $0.origin == .embedded }
    let pinned: ReleaseReference? = if case .release(let release)? = plan.state.pin { release } else { nil }
    let again = LaunchPlan(plan.state, situation)
    return [
      ("the embedded copy is among the candidates", place != nil),
      ("each release is tried once", Set(candidates.map(\.release)).count == candidates.count),
      (
        "no candidate may not be used",
        candidates.allSatisfy {
          $0.origin == .embedded || ineligibility(of: $0.release, in: plan.state, for: situation.app) == nil
        }
      ),
      (
        "nothing that needs a record is tried without one",
        situation.canRecord
          || candidates.allSatisfy {
            $0.origin != .staged && !(plan.state.trial != nil && $0.release == plan.state.current)
          }
      ),
      (
        "nothing that is not newer comes before the embedded copy, but a pin",
        candidates[..<(place ?? 0)].allSatisfy {
          $0.release.version > embedded.version || $0.release == pinned
        }
      ),
      ("a pin of the embedded copy comes first", plan.state.pin != .embedded || place == 0),
      ("planning again changes nothing", again.state == plan.state && again.candidates == candidates),
      (
        "a plan only takes away",
        Set(plan.state.references).isSubset(of: before.references) && plan.state.seen == before.seen
      ),
      ("a trial is one of something", plan.state.trial == nil || plan.state.current != nil),
      (
        "a confirmed release that may be used stays in a slot",
        before.trial != nil || before.current.map { keeps($0, plan, before, situation) } ?? true
      ),
      (
        "every release that left its slot is named",
        Set(before.references).subtracting(plan.state.references).allSatisfy { gone in
          plan.passedOver.contains { $0.version == gone.version }
        }
      ),
    ]
  }

  /// Whether a confirmed release stayed, or left by rule.
  private static func keeps(
    _ release: ReleaseReference, _ plan: LaunchPlan, _ before: DeviceState, _ situation: LaunchSituation
  ) -> Bool {
    plan.state.references.contains(release) || release.version <= embedded.version
      || before.rejection(of: release.pair) != nil || before.withdrawn.contains(release.version)
  }

  // MARK: Offers

  /// What is offered: every release of the world, and one that it does not have yet.
  private static func offers() throws -> [VerifiedManifest] {
    try (releases + [release(14)]).compactMap(\.self).map { try manifest($0) }
  }

  /// What a feed says of a release.
  static func manifest(
    _ release: ReleaseReference, withdrawn: [ReleaseVersion] = []
  ) throws -> VerifiedManifest {
    func artifact(_ digest: Digest) throws -> Artifact {
      Artifact(location: try ArtifactLocation("x"), sha256: digest, bytes: 1)
    }
    var manifest = Manifest(
      version: release.version, bundle: try artifact(release.pair.bundle),
      sources: try artifact(release.pair.sources))
    manifest.contract = release.contract
    manifest.withdrawn = withdrawn
    return VerifiedManifest(manifest: manifest, bytes: [], digest: release.manifest)
  }

  @Test("B62: the answer to an offer and the choice at the next launch agree, whatever the state is")
  func agreement() throws {
    let offers = try Self.offers()
    var broken: [String: (DeviceState, ReleaseVersion)] = [:]
    Self.forEachState { state in
      // The way back matters little to an offer: two of its forms are enough.
      guard state.previous == nil || state.previous == Self.release(11), state.withdrawn.isEmpty else {
        return
      }
      for offer in offers {
        let decision = decide(
          on: offer, state: state, embedded: Self.embedded, app: Self.situation().app, channel: .stable
        ) { _ in true }
        if let rule = Self.brokenAgreement(decision, on: offer, state) {
          broken[rule] = (state, offer.manifest.version)
        }
      }
    }
    #expect(broken.isEmpty, "\(broken)")
  }

  private static func brokenAgreement(
    _ decision: OfferDecision, on offer: VerifiedManifest, _ state: DeviceState
  ) -> String? {
    let release = ReleaseReference(offer.manifest, digest: offer.digest)
    func next(_ state: DeviceState) -> ReleaseReference? {
      LaunchPlan(state, situation()).candidates.first?.release
    }
    switch decision {
    case .install:
      var installed = state
      installed.staged = release
      return next(installed) == release ? nil : "what is installed runs next"
    case .staged: return next(state) == release ? nil : "what is called staged runs next"
    case .upToDate(let running):
      // A pin is the person's own word, and a trial that is over is known only at the next launch.
      guard state.pin == nil, (state.trial?.launches.count ?? 0) < 2 else { return nil }
      var launched = state
      launched.staged = nil
      return next(launched)?.version == running ? nil : "what is called running runs"
    case .notUsable:
      return LaunchPlan(state, situation()).candidates.contains {
        $0.release == release && $0.origin != .embedded
      }
        ? "what may not be used is no candidate" : nil
    case .pinned: return state.pin == nil ? "a pin is needed" : nil
    case .versionReused:
      return (state.references + [embedded]).contains {
        $0.version == release.version && $0.pair != release.pair
      } ? nil : "a number that is called reused was used"
    case .older: return "nothing was seen before"
    }
  }
}
