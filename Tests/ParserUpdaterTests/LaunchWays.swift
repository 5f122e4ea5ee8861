import OTAManifest
import Testing

@testable import ParserUpdater

/// Every way through a small world, shortest first, against the promises that the design makes about launches.
@Suite("The ways of launches, exhaustively")
struct LaunchWays {
  @Test("no way of eight steps breaks a promise")
  func ways() {
    let search = BreadthFirstSearch(from: LaunchWorld(), depth: 8)
    if let told = search.counterexample { Issue.record("\(told)") }
    #expect(search.worlds > 5_000, "the world is not as small as that: \(search.layers)")
  }

  @Test("no way of six steps breaks a promise where the app changes its channel and the feed its epoch")
  func changes() {
    var world = LaunchWorld()
    world.hasChanges = true
    let search = BreadthFirstSearch(from: world, depth: 6)
    if let told = search.counterexample { Issue.record("\(told)") }
    #expect(search.worlds > 5_000, "the world is not as small as that: \(search.layers)")
  }

  @Test(
    "a broken rule is found, and told as the shortest way there",
    arguments: [
      (LaunchWorld.Fault.forgetsFailures, 5, "a rejected release ran: 13", "fail1"),
      (.countsTheLiving, 5, "a good release was condemned", "launch2"),
      (.losesTheWayBack, 5, "the way back was lost: 11", "launch2"),
      (.ignoresTheFloor, 3, "an older release was installed", "offerOlder"),
    ])
  func counterexample(fault: LaunchWorld.Fault, steps: Int, promise: String, last: String) {
    var world = LaunchWorld()
    world.fault = fault
    let told = BreadthFirstSearch(from: world, depth: 8).counterexample ?? "nothing"
    let lines = told.split(separator: "\n")
    #expect(lines.first == "broken after \(steps) steps: \(promise)", "\(told)")
    #expect(lines.count == steps + 1 && lines.last?.hasPrefix("  \(steps). \(last): ") == true, "\(told)")
  }
}

// MARK: Promises

extension LaunchWorld {
  /// What a launch must not do, whatever led to it.
  func brokenByLaunch(
    of chosen: LaunchPlan.Candidate, _ damaged: [LaunchPlan.Candidate], canRecord: Bool
  ) -> [String] {
    if damaged.contains(chosen) { return ["a release ran whose files are not whole"] }
    let release = chosen.release
    guard chosen.origin != .embedded else { return [] }
    if state.pin == .embedded { return ["a pin of the copy inside the app was not heeded"] }
    if condemned.contains(release.pair) { return ["a rejected release ran: \(release.version)"] }
    if state.isWithdrawn(release.version) { return ["a withdrawn release ran: \(release.version)"] }
    if release.version == revoked { return ["a release of a revoked key ran: \(release.version)"] }
    if release.contract == 7 { return ["a release for another app ran: \(release.version)"] }
    if release.version <= embedded.version, state.pin != .release(release) {
      return ["the copy inside the app lost to \(release.version), which is not newer"]
    }
    guard release == state.current, state.trial != nil else { return [] }
    if !canRecord { return ["a release that nobody confirmed ran without a record: \(release.version)"] }
    guard let ended = deaths[release], ended >= 2 else { return [] }
    return ["release \(release.version) ran after \(ended) launches that ended without a word"]
  }

  /// Releases of another channel are candidates by name alone, one at most, and only where the channel has none.
  func brokenByChannels(_ plan: LaunchPlan) -> [String] {
    var broken: [String] = []
    for candidate in plan.candidates where candidate.origin != .embedded {
      let isAtHome = homes[candidate.release.version].map { $0 == channel } ?? true
      if isAtHome == (candidate.origin == .otherChannel) {
        broken.append(
          "\(candidate.release.version) of another channel is called \(candidate.origin.rawValue)")
      }
    }
    let fallbacks = plan.candidates.filter { $0.origin == .otherChannel }
    if !fallbacks.isEmpty,
      plan.candidates.contains(where: { ![.otherChannel, .embedded].contains($0.origin) })
    {
      broken.append("another channel comes beside the own one")
    }
    if fallbacks.contains(where: { !vouched.contains($0.release) }) {
      broken.append("a fallback ran that nobody confirmed")
    }
    return broken
  }

  /// What no step may do to what was there before it.
  func brokenPromises(since before: LaunchWorld, _ step: Step) -> [String] {
    var broken: [String] = []
    func never(_ happened: Bool, _ text: @autoclosure () -> String) {
      if happened { broken.append(text()) }
    }
    never(changedWhatRuns(since: before, step), "what runs changed under a process")
    never(updateReached(since: before, step), "an update touched what is used")
    never(!keepsTheBest, "the way back was lost: \(bestConfirmed.map { "\($0.version)" } ?? "")")
    never(
      state.trial == nil && !(state.current.map(vouched.contains) ?? true),
      "release \(state.current.map { "\($0.version)" } ?? "") counts as confirmed, and nobody said so")
    never(state.trial != nil && state.current == nil, "a trial is one of nothing")
    never(condemnedWithoutReason(since: before, step), "a good release was condemned")
    never(forgotFailure(since: before, step), "what failed here was forgotten")
    never(
      (state.seen[.stable]?.version.number ?? 0) < (before.state.seen[.stable]?.version.number ?? 0)
        && fault != .ignoresTheFloor && step != .newEpoch, "the floor of offers went down")
    return broken
  }

  /// One launch runs one release until it ends, or says itself that the release failed.
  private func changedWhatRuns(since before: LaunchWorld, _ step: Step) -> Bool {
    (0..<Self.processes).contains { process in
      let own: [Step] = process == 0 ? [.fail1, .close1, .die1] : [.fail2, .close2, .die2]
      return before.running[process] != nil && !own.contains(step)
        && running[process] != before.running[process]
    }
  }

  private func updateReached(since before: LaunchWorld, _ step: Step) -> Bool {
    switch step {
    case .updateGood, .updateForOtherApp, .updateBack, .offerOlder:
      state.current != before.state.current || state.previous != before.state.previous
        || state.trial != before.state.trial || state.pin != before.state.pin
    default: false
    }
  }

  /// The newest release that somebody confirmed, and that may still run here.
  private var bestConfirmed: ReleaseReference? {
    confirmed.filter {
      !condemned.contains($0.pair) && !state.isWithdrawn($0.version) && $0.version > embedded.version
    }.max { $0.version < $1.version }
  }

  /// It is in a slot; a newer number for the very same files will do.
  private var keepsTheBest: Bool {
    guard let best = bestConfirmed else { return true }
    return state.references.contains { $0.pair == best.pair }
  }

  /// A rejection needs a failure, a roll back, or as many launches that ended without a word as are allowed.
  private func condemnedWithoutReason(since before: LaunchWorld, _ step: Step) -> Bool {
    let known = before.state.rejected.map(\.pair)
    let added = state.rejected.map(\.pair).filter { !known.contains($0) }
    if added.isEmpty || [.fail1, .fail2, .rollBack, .tryFails].contains(step) { return false }
    guard let tried = before.state.current, added == [tried.pair] else { return true }
    return (before.deaths[tried] ?? 0) < 2
  }

  private func forgotFailure(since before: LaunchWorld, _ step: Step) -> Bool {
    guard step != .forget, fault != .forgetsFailures else { return false }
    let known = state.rejected.map(\.pair)
    return before.state.rejected.contains { !known.contains($0.pair) }
  }
}
