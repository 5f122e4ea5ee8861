import OTAManifest
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserUpdater

/// Soft failure: a release that runs and gives nothing, against one whose sites are down.
@Suite("Reports of calls")
struct SoftFailureTests {
  /// How one run of the test ends: calls are drawn until it decides, 500 at most.
  private func run(
    good: Double, now rate: Double, _ random: inout RolloutTruthTable.Seeded
  ) -> (verdict: SequentialTest.Verdict, calls: Int) {
    func draws(_ count: Int, _ rate: Double) -> Int {
      (0..<count).count { _ in Double(random.next() >> 11) / Double(1 << 53) < rate }
    }
    let test = SequentialTest(errors: draws(200, good), calls: 200)
    var errors = 0
    for calls in 1...500 {
      errors += draws(1, rate)
      let verdict = test.verdict(errors: errors, calls: calls)
      if verdict != .undecided { return (verdict, calls) }
    }
    return (.undecided, 500)
  }

  @Test("10 000 seeded runs hold the stated errors", arguments: [0.02, 0.1, 0.3])
  func errorRates(rate: Double) {
    var random = RolloutTruthTable.Seeded(state: UInt64(rate * 1000))
    var (undone, confirmed, calls) = (0, 0, 0)
    for _ in 0..<5000 {
      if run(good: rate, now: rate, &random).verdict == .bad { undone += 1 }
      let bad = run(good: rate, now: min(0.95, max(2.5 * rate, rate + 0.3)), &random)
      if bad.verdict == .good { confirmed += 1 }
      calls += bad.calls
    }
    #expect(undone <= 75, "1 in 100 good releases may be undone: \(undone) of 5000")
    #expect(confirmed <= 275, "5 in 100 bad ones may be confirmed: \(confirmed) of 5000")
    #expect(calls / 5000 < 120, "a bad release is found soon: \(calls / 5000) calls")
  }

  @Test("the logarithm is the one of the books")
  func logarithm() {
    for (value, expected) in [
      (1.0, 0.0), (2.718281828459045, 1), (0.01, -4.605170185988091), (1e9, 20.72326583694641),
    ] {
      #expect(abs(naturalLogarithm(value) - expected) < 1e-12)
    }
  }

  @Test("a site that is down is not the release's fault, and one that broke with the release is named")
  func down() {
    var (before, now) = (CallTally(), CallTally())
    for _ in 0..<60 { before.count(.parsed, of: "A") }
    for _ in 0..<20 { before.count(.parsed, of: "B") }
    for _ in 0..<40 { now.count(.parsed, of: "A") }
    for _ in 0..<30 { now.count(.parseError, of: "B") }
    for _ in 0..<500 { now.count(.networkError, of: "A") }
    let judged = CallJudgement(now, against: before) { _ in "family" }
    #expect(judged.verdict == .good && judged.errors == 0 && judged.calls == 40)
    #expect(judged.broken == ["B"])
    // Where the whole family fails, the release is what they have in common.
    var all = CallTally()
    for source in ["A", "B"] { for _ in 0..<20 { all.count(.parseError, of: source) } }
    #expect(CallJudgement(all, against: before) { _ in "family" }.verdict == .bad)
  }

  /// A device that runs 37, which works, and has 38 on trial.
  private func device(_ policy: ConfirmationPolicy) async throws -> Device {
    let device = try Device(embedded: 30)
    device.configuration.confirmation = policy
    try device.feed.publish(37)
    try await device.update()
    let launch = device.launch()
    let source = try #require(SourceID("ABC"))
    for _ in 0..<50 { launch.updater.report(source, .parsed) }
    launch.confirm()
    launch.updater.close(launch.release)
    try device.feed.publish(38)
    try await device.update()
    return device
  }

  @Test("a release that only fails is undone for the next launch, and the app need not say so")
  func undone() async throws {
    let device = try await device(.explicit)
    let launch = device.launch()
    #expect(launch.version == 38)
    let source = try #require(SourceID("ABC"))
    let effects = (0..<40).map { _ in launch.updater.report(source, .parseError) }
    #expect(effects.contains { if case .undone = $0 { true } else { false } })
    #expect(device.launch().version == 37)
    #expect(try device.updater().history().contains { $0.kind == .judged })
  }

  @Test("policies: the first parsed call, and the reports themselves")
  func policies() async throws {
    let source = try #require(SourceID("ABC"))
    let first = try await device(.firstParsedCall)
    let launch = first.launch()
    #expect(launch.updater.report(source, .empty) == .noted)
    #expect(launch.updater.report(source, .parsed) == .confirmed)
    #expect(first.launch().release.standing == .confirmed)
    let second = try await device(.reports)
    let trial = second.launch()
    let effects = (0..<200).map { _ in trial.updater.report(source, .parsed) }
    #expect(effects.count { $0 == .confirmed } == 1)
  }

  @Test("reports cost one write a minute at most")
  func writes() async throws {
    let device = try await device(.explicit)
    let launch = device.launch()
    let source = try #require(SourceID("ABC"))
    let before = content("\(device.store)/reports.json")
    for _ in 0..<100 { launch.updater.report(source, .networkError) }
    for _ in 0..<10 { launch.updater.report(source, .parsed) }
    #expect(content("\(device.store)/reports.json") == before)
    device.wait(seconds: 61)
    launch.updater.report(source, .parsed)
    #expect(content("\(device.store)/reports.json") != before)
  }
}

/// The simulation: seeded, and by the rules of real devices.
@Suite("A made-up population")
struct SimulationTests {
  private func plan(_ share: String, seed: Int = 1) throws -> SimulationPlan {
    try SimulationPlan(
      decoding: Array(
        #"{"devices":4000,"hours":72,"seed":\#(seed),"events":[{"at":"1h","do":"publish","rollout":"\#(share)","bad":true},{"at":"13h","do":"withdraw"}]}"#
          .utf8))
  }

  @Test("1 % first or 10 %: a number, the same in every run")
  func answer() async throws {
    let one = await Simulation(try plan("1%")).run()
    let ten = await Simulation(try plan("10%")).run()
    #expect(one.reached < 60 && ten.reached > 200 && ten.reached < 440, "\(one.reached) and \(ten.reached)")
    #expect(one.runningAtEnd <= 2)
    let again = await Simulation(try plan("10%")).run(threads: 7)
    #expect(again.reached == ten.reached && again.requests == ten.requests && again.bytes == ten.bytes)
    #expect(await Simulation(try plan("10%", seed: 2)).run().requests != ten.requests)
    let last = ten.adoption.map { $0.devices.last ?? 0 }.reduce(0, +)
    #expect(last == 4000, "every device runs something")
  }

  @Test(
    "a plan that cannot be read names the field",
    arguments: [
      (#"{"events":[{"at":"1x","do":"publish"}]}"#, "events[0].at"),
      (#"{"events":[{"at":"1h","do":"explode"}]}"#, "events[0].do"),
      (#"{"events":[],"devises":5}"#, "devises"),
    ])
  func refused(text: String, field: String) {
    #expect(throws: InputError.self) { try SimulationPlan(decoding: Array(text.utf8)) }
    do { _ = try SimulationPlan(decoding: Array(text.utf8)) } catch { #expect(error.field == field) }
  }
}
