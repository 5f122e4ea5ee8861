import OTAFeed
import OTAManifest
import Testing

@testable import ParserUpdater

/// `state.json` in format 2, and what format 1 is read as.
@Suite("The form of the state")
struct StateFormatTests {
  private let beta = Channel("beta")!

  private func full() -> DeviceState {
    let release = LaunchPlanExploration.release
    var state = DeviceState()
    state.current = release(11, nil, nil)
    state.trial = .init(launches: [LaunchWorld.launchID(1)])
    state.previous = release(12, nil, 7)
    state.withdrawn = [.first]
    state.select(beta)
    state.current = release(13, nil, nil)
    state.staged = release(14, nil, nil)
    state.trialLoad = .init(manifest: release(14, nil, nil).manifest, stage: .began)
    state.pin = .release(release(13, nil, nil))
    state.select(Channel("nightly")!)
    state.pin = .embedded
    state.seen[beta] = .init(
      version: release(13, nil, nil).version, manifest: release(13, nil, nil).manifest,
      pair: release(13, nil, nil).pair)
    state.heard[beta] = release(14, nil, nil).version
    state.lineage = .signed(TrustEpoch(lineage: release(1, nil, nil).manifest, rootVersion: 3))
    state.overruledDate = LaunchPlanExploration.now
    state.rejected = [
      .init(pair: release(9, nil, nil).pair, version: .first, reason: "x", date: LaunchPlanExploration.now)
    ]
    return state
  }

  @Test("everything that a state says is written and read again, with the channels in their order")
  func roundTrip() throws {
    var state = full()
    #expect(state.parked.map(\.channel.name) == ["stable", "beta"])
    #expect(try StateFile.decode(StateFile.encode(state)) == state)
    state.lineage = .unsigned(address: "https://feed.example/")
    #expect(try StateFile.decode(StateFile.encode(state)) == state)
    #expect(try StateFile.decode(StateFile.encode(DeviceState())) == DeviceState())
  }

  @Test("a pin of a release waits with its channel, and comes back with it")
  func pins() {
    var state = full()
    state.pin = nil
    state.select(beta)
    #expect(state.pin == .release(LaunchPlanExploration.release(13)))
    state.select(.stable)
    #expect(state.pin == nil && state.current == LaunchPlanExploration.release(11))
  }

  @Test("the slots of format 1 belong to the channel that accepted their release")
  func formatOne() throws {
    for (name, expected) in [("beta", beta), ("stable", .stable)] {
      var state = DeviceState()
      let release = LaunchPlanExploration.release(13)
      state.current = release
      let channel = try #require(Channel(name))
      state.seen = [
        channel: .init(version: release.version, manifest: release.manifest, pair: release.pair),
        try #require(Channel("other")): .init(
          version: .first, manifest: LaunchPlanExploration.release(9).manifest, pair: release.pair),
      ]
      let text = String(decoding: StateFile.encode(state), as: UTF8.self)
        .replacing("\"format\": 2", with: "\"format\": 1")
      let read = try StateFile.decode(Array(text.utf8))
      #expect(read.channel == expected && read.current == release && read.seen == state.seen)
    }
  }
}

/// Changes of channel and of feed, over every small state: what may be launched then, and what stays.
@Suite("Channels and lineages, exhaustively")
struct LineageExploration {
  static let beta = Channel("beta")!
  private static let releases: [ReleaseReference?] = [
    nil, LaunchPlanExploration.release(9), LaunchPlanExploration.release(11),
    LaunchPlanExploration.release(12, contract: 7), LaunchPlanExploration.release(13),
  ]

  private static func forEachState(_ body: (DeviceState) -> Void) {
    let trial = DeviceState.Trial(launches: [LaunchWorld.launchID(9)])
    for parked in releases {
      for parkedIsOnTrial in parked == nil ? [false] : [false, true] {
        for current in releases {
          for staged in releases {
            for pin: DeviceState.Pin? in [nil, .embedded, parked.map { .release($0) }] {
              var state = DeviceState()
              state.select(beta)
              state.current = parked
              if parkedIsOnTrial { state.trial = trial }
              if case .release? = pin { state.pin = pin }
              state.select(.stable)
              (state.current, state.staged) = (current, staged)
              if pin == .embedded { state.pin = pin }
              state.lineage = .unsigned(address: "old")
              body(state)
            }
          }
        }
      }
    }
  }

  @Test("nothing of another feed is a candidate, and nothing of another channel but the named fallback")
  func rules() {
    var broken: [String: DeviceState] = [:]
    Self.forEachState { state in
      for channel in [Channel.stable, Self.beta] {
        var situation = LaunchPlanExploration.situation()
        situation.channel = channel
        for (rule, holds) in Self.channelRules(state, situation) where !holds { broken[rule] = state }
        situation.belonging = .foreign(.unsigned(address: "new"), reason: "came from another feed")
        for (rule, holds) in Self.foreignRules(state, situation) where !holds { broken[rule] = state }
      }
    }
    #expect(broken.isEmpty, "\(broken)")
  }

  private static func channelRules(_ state: DeviceState, _ situation: LaunchSituation) -> [(String, Bool)] {
    let plan = LaunchPlan(state, situation)
    let own = plan.state.slots.references + [situation.embedded].compactMap(\.self)
    let foreign = plan.candidates.filter { !own.contains($0.release) }
    let again = LaunchPlan(plan.state, situation)
    var back = plan.state
    back.select(state.channel)
    return [
      ("the slots are those of the channel", plan.state.channel == situation.channel || state.isUnused),
      ("what is of another channel is named", foreign.allSatisfy { $0.origin == .otherChannel }),
      (
        "a fallback is the only one beside the copy inside the app",
        foreign.isEmpty || plan.candidates.count == 2
      ),
      (
        "a fallback is told with its channel",
        foreign.isEmpty || plan.passedOver.contains { $0.code == "channel-without-release" }
      ),
      ("a fallback was confirmed", foreign.allSatisfy { $0.release == plan.state.fallback?.release }),
      (
        "a fallback is newer than the copy inside the app",
        foreign.allSatisfy { $0.release.version > LaunchPlanExploration.embedded.version }
      ),
      ("planning again changes nothing", again.state == plan.state && again.candidates == plan.candidates),
      (
        "going back finds what was left",
        situation.channel == state.channel || back.slots == Self.left(state.slots)
      ),
    ]
  }

  /// What of a channel waits for a return: not what was never used.
  private static func left(_ slots: ChannelSlots) -> ChannelSlots {
    var left = slots
    (left.staged, left.trialLoad) = (nil, nil)
    return left
  }

  private static func foreignRules(_ state: DeviceState, _ situation: LaunchSituation) -> [(String, Bool)] {
    let plan = LaunchPlan(state, situation)
    return [
      ("only the copy inside the app runs", plan.candidates.map(\.origin) == [.embedded]),
      ("nothing of the other feed stays", plan.state.references.isEmpty && plan.state.seen.isEmpty),
      ("each is named", Set(state.references.map(\.version)) == Set(plan.passedOver.compactMap(\.version))),
      ("what failed stays rejected", plan.state.rejected == state.rejected),
      ("a pin of the copy inside the app stays", (state.pin == .embedded) == (plan.state.pin == .embedded)),
    ]
  }

  @Test("a new epoch keeps what is listed and nothing else, and a lower number is an offer then")
  func epochs() throws {
    var broken: [String: DeviceState] = [:]
    let offer = try LaunchPlanExploration.manifest(LaunchPlanExploration.release(11))
    let listed = LaunchPlanExploration.release(12, contract: 7)
    Self.forEachState { state in
      var state = state
      state.seen = [.stable: .init(version: .first, manifest: listed.manifest, pair: listed.pair)]
      state.withdrawn = [LaunchPlanExploration.release(11).version]
      let before = state
      let left = state.enter(TrustEpoch(lineage: listed.manifest, rootVersion: 2), latestDate: nil) {
        $0 == listed
      }
      if state.references.contains(where: { $0 != listed }) { broken["only what is listed stays"] = before }
      if before.references.contains(listed) != state.references.contains(listed) {
        broken["what is listed stays"] = before
      }
      if Set(left.map(\.release)) != Set(before.references.filter { $0 != listed }) {
        broken["each is named"] = before
      }
      guard state.pin == nil else { return }
      let decision = decide(
        on: offer, state: state, embedded: LaunchPlanExploration.embedded,
        app: LaunchPlanExploration.situation().app,
        channel: .stable
      ) { _ in true }
      if decision != .install(repairing: false) { broken["a lower number is an offer"] = before }
    }
    #expect(broken.isEmpty, "\(broken)")
  }
}
