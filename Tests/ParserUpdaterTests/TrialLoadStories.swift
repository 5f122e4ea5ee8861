import OTAManifest
import ParserUpdater
import Synchronization
import Testing
import UpdaterTestSupport

/// An engine of an app, as far as the updater knows it.
private final class SampleTrial: TrialLoad {
  private let tried = Mutex<[TrialCandidate]>([])
  private let judge: @Sendable (TrialCandidate) async -> TrialVerdict

  init(_ judge: @escaping @Sendable (TrialCandidate) async -> TrialVerdict) { self.judge = judge }

  var candidates: [TrialCandidate] { tried.withLock { $0 } }

  func tryLoading(_ candidate: TrialCandidate) async -> TrialVerdict {
    tried.withLock { $0.append(candidate) }
    return await judge(candidate)
  }
}

/// An app loads a release in an engine of its own before it is used for the first time.
@Suite("A trial load")
struct TrialLoadStories {
  @Test("that works is made once, on the verified bytes, and the release goes on trial as always")
  func works() async throws {
    let device = try Device(embedded: 30)
    let release = try device.feed.publish(31)
    try await device.update()
    let trial = SampleTrial { _ in .works }
    let updater = device.updater()
    #expect(await updater.tryStaged(with: trial) == .tried(.number(31), .works))
    #expect(trial.candidates.map(\.bundle) == [release.bundle])
    #expect(trial.candidates.map(\.sources) == [release.sources])
    #expect(await device.updater().tryStaged(with: trial) == .nothingToTry)
    let launch = device.launch()
    #expect(launch.version == 31 && launch.release.standing == .onTrial)
    launch.confirm()
    #expect(await device.updater().tryStaged(with: trial) == .nothingToTry)
    #expect(trial.candidates.count == 1)
    #expect(try device.updater().history().map(\.kind) == [.staged, .tried, .launched, .confirmed])
  }

  @Test("B06: that fails rejects the release before anything of it ran")
  func fails() async throws {
    let device = try Device(embedded: 30)
    try await device.take(31)
    try device.feed.publish(32)
    try await device.update()
    let updater = device.updater()
    let release = await updater.activate(trying: SampleTrial { _ in .fails("line 3: it throws") })
    #expect(release.version == .number(31) && release.standing == .confirmed)
    #expect(device.stored == [31])
    let status = try updater.status()
    #expect(status.rejected.map(\.version) == [.number(32)])
    #expect(try updater.history().last { $0.kind == .rejected }?.text == "trial load: line 3: it throws")
    // The same files do not come back under another number.
    try device.feed.publish(33, .init(of: 32))
    guard case .unchanged = try await device.update() else {
      Issue.record("the release that failed was staged again")
      return
    }
    #expect(device.launch().version == 31)
  }

  @Test("that nobody can decide leaves the release to its launches on trial")
  func undecided() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    try await device.update()
    let result = await device.updater().tryStaged(with: SampleTrial { _ in .undecided("no engine") })
    #expect(result == .tried(.number(31), .undecided("no engine")))
    #expect(device.launchAndDie() == 31)
    #expect(device.launchAndDie() == 31)
    #expect(device.launch().version == 30)
  }

  @Test("without an end does not hold the launch up, and a late verdict is not heard")
  func timeBox() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    try await device.update()
    let deaf = SampleTrial { _ in
      // Deaf to cancellation, as an engine that hangs is.
      await withCheckedContinuation { continuation in
        Task.detached {
          try? await Task.sleep(for: .seconds(2))
          continuation.resume()
        }
      }
      return .fails("too late")
    }
    let start = ContinuousClock.now
    let updater = device.updater()
    let release = await updater.activate(trying: deaf, within: .milliseconds(50))
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(release.version == .number(31) && release.standing == .onTrial)
    #expect(try updater.status().rejected.isEmpty)
    #expect(
      try updater.history().last { $0.kind == .tried }?.text.contains("no verdict within 0.05 seconds")
        == true)
  }

  @Test("B11: in which the app dies is not made again: the release has its launches on trial")
  func appDies() async throws {
    let device = try Device(embedded: 30)
    try device.feed.publish(31)
    try await device.update()
    // The process ends between the first and the second record: nothing of it comes back.
    let dying = Task { [updater = device.updater()] in
      await updater.tryStaged(with: SampleTrial { _ in await Self.never() }, within: .seconds(3600))
    }
    for _ in 0..<1000 where !Self.hasBegun(device) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(Self.hasBegun(device))
    let trial = SampleTrial { _ in .fails("not asked") }
    #expect(await device.updater().tryStaged(with: trial) == .nothingToTry)
    #expect(trial.candidates.isEmpty)
    #expect(device.launchAndConfirm() == 31)
    dying.cancel()
    #expect(await dying.value == .overtaken(.number(31)))
    #expect(device.launch().version == 31)
  }

  @Test("is for the release that runs next, and for no other")
  func onlyTheNext() async throws {
    let device = try Device(embedded: 30)
    let trial = SampleTrial { _ in .fails("not asked") }
    #expect(await device.updater().tryStaged(with: trial) == .nothingToTry)
    try await device.take(31)
    #expect(await device.updater().tryStaged(with: trial) == .nothingToTry)
    try device.feed.publish(32)
    try await device.update()
    // The app was upgraded meanwhile: its own copy is newer and runs next.
    device.embed(try SampleRelease(40))
    #expect(await device.updater().tryStaged(with: trial) == .nothingToTry)
    #expect(trial.candidates.isEmpty && device.launch().version == 40)
  }

  @Test("of a newer release begins anew, and nothing of the older one stays in the state")
  func replaced() async throws {
    let device = try Device(embedded: 30)
    let trial = SampleTrial { _ in .works }
    for version in [31, 32] as [Int64] {
      try device.feed.publish(version)
      try await device.update()
      #expect(await device.updater().tryStaged(with: trial) == .tried(.number(version), .works))
    }
    #expect(device.launchAndConfirm() == 32)
    #expect(!Self.stateText(device).contains("trialLoad"))
  }

  private static func hasBegun(_ device: Device) -> Bool { stateText(device).contains("began") }

  private static func stateText(_ device: Device) -> String {
    String(decoding: content("\(device.store)/state.json") ?? [], as: UTF8.self)
  }

  /// Ends when it is cancelled.
  private static func never() async -> TrialVerdict {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    return .works
  }
}
