import OTAFeed
import OTAManifest
import ParserFaults
import ParserUpdater
import Synchronization
import TestSupport
import Testing
import UpdaterTestSupport

/// What passes is tried again within an update; what cannot pass is not.
@Suite("Retries")
struct RetryStories {
  private func scene(_ rules: String..., mode: TrustMode = .signed) throws -> FaultScene {
    let scene = try FaultScene(mode)
    try scene.server.set(try rules.map { try FaultRule($0) })
    return scene
  }

  @Test(
    "a burst of two is survived in one update, with two waits that grow",
    arguments: ["500", "503", "429", "truncated", "reset"],
    ["timestamp.json", "parsers.bundle.js"])
  func bursts(fault: String, file: String) async throws {
    let scene = try scene("\(fault):\(file)*2")
    defer { scene.server.stop() }
    #expect(try await scene.updater.update() == .staged(.number(31)))
    #expect(scene.requests(for: file).count == 3)
    let waits = scene.clock.waits
    #expect(waits.count == 2)
    #expect(waits[0] >= .milliseconds(250) && waits[0] <= .milliseconds(750), "\(waits)")
    #expect(waits[1] >= .milliseconds(500) && waits[1] <= .milliseconds(1500), "\(waits)")
  }

  @Test("after the third attempt the problem is thrown, what runs is kept, and the next update goes through")
  func exhausted() async throws {
    let scene = try scene("500:parsers.bundle.js")
    defer { scene.server.stop() }
    let problem = await problem { _ = try await scene.updater.update() }
    #expect(problem?.code == .serverError && problem?.kept != nil)
    #expect(scene.requests(for: "parsers.bundle.js").count == 3)
    #expect(scene.device.launch().version == 30)
    try scene.server.set([])
    #expect(try await scene.updater.update() == .staged(.number(31)))
  }

  @Test(
    "what cannot pass is asked for once",
    arguments: ["403", "404", "410", "redirect-loop", "downgrade", "false-304", "damaged", "html"])
  func hopeless(fault: String) async throws {
    let scene = try scene("\(fault):parsers.bundle.js")
    defer { scene.server.stop() }
    #expect(await problem { _ = try await scene.updater.update() } != nil)
    #expect(scene.clock.waits.isEmpty)
  }

  @Test(
    "B76: Retry-After is heeded within an update in both forms when it is short",
    arguments: ["429=4", "429-date=4"])
  func shortPause(rule: String) async throws {
    let scene = try scene("\(rule):timestamp.json*1")
    defer { scene.server.stop() }
    // The date is one of the real clock, so the device needs the real time.
    scene.clock.pass(
      seconds: Double(SystemUpdaterClock().now.secondsSinceEpoch - scene.clock.now.secondsSinceEpoch))
    _ = await problem { _ = try await scene.updater.update() }
    let wait = try #require(scene.clock.waits.first)
    #expect(wait >= .seconds(3) && wait <= .seconds(5), "\(wait)")
  }

  @Test("B76: a long Retry-After is not waited for: the problem is thrown, and the next process does not ask")
  func longPause() async throws {
    let scene = try scene("429=3600")
    defer { scene.server.stop() }
    try await scene.device.take(30 + 2)
    scene.device.configuration.feed = try FeedLocation(scene.server.url)
    #expect(await problem { _ = try await scene.updater.check() }?.code == .throttled)
    #expect(scene.clock.waits.isEmpty && scene.server.records.count == 1)
    for _ in 0..<100 { _ = await problem { _ = try await scene.updater.check() } }
    #expect(scene.server.records.count == 1)
    _ = await problem { _ = try await scene.updater.check(now: true) }
    #expect(scene.server.records.count == 2)
  }

  @Test(
    "B76: after three failures in a row the host is left alone, longer each time; a good answer ends that")
  func repeatedFailure() async throws {
    let scene = try scene("500")
    defer { scene.server.stop() }
    scene.device.configuration.retries = .none
    try await scene.device.take(32)
    scene.device.feed.write(to: scene.device.home.path("feed"))
    scene.device.configuration.feed = try FeedLocation(scene.server.url)
    for _ in 0..<100 { _ = await problem { _ = try await scene.updater.check() } }
    #expect(scene.server.records.count == 3)
    let until = try #require(try scene.updater.status().askedAgainAt)
    let first = until.secondsSinceEpoch - scene.clock.now.secondsSinceEpoch
    #expect((20...40).contains(first), "\(first)")
    scene.clock.pass(seconds: 41)
    for _ in 0..<100 { _ = await problem { _ = try await scene.updater.check() } }
    #expect(scene.server.records.count == 4)
    let again = try #require(try scene.updater.status().askedAgainAt)
    #expect(again.secondsSinceEpoch - scene.clock.now.secondsSinceEpoch > first)
    try scene.server.set([])
    _ = try await scene.updater.check(now: true)
    #expect(try scene.updater.status().askedAgainAt == nil)
  }

  @Test(
    "B19-B21: a resume that a host answers wrongly ends with a code, and starts over once it behaves",
    arguments: ["wrong-range", "416", "416-bare", "changed"])
  func resumes(fault: String) async throws {
    let scene = try scene("\(fault):parsers.bundle.js")
    defer { scene.server.stop() }
    let problem = await problem { _ = try await scene.updater.update() }
    let codes: Set<ProblemCode> = [.transferFailed, .digestMismatch, .truncated]
    #expect(problem.map { codes.contains($0.code) } == true, "\(problem?.message ?? "")")
    #expect(scene.requests(for: "parsers.bundle.js").count <= 6)
    try scene.server.set([])
    #expect(try await scene.updater.update() == .staged(.number(31)))
  }

  @Test("a retry goes on where the transfer broke: no byte comes twice")
  func resumed() async throws {
    let scene = try scene("truncated:parsers.bundle.js*1")
    defer { scene.server.stop() }
    #expect(try await scene.updater.update() == .staged(.number(31)))
    let size = try #require(scene.device.launch().release.manifest?.bundle.bytes)
    #expect(scene.requests(for: "parsers.bundle.js").map(\.firstByte) == [nil, Int(size / 2)])
  }

  @Test("a deadline bounds an update against a host that never answers, and cancellation comes at once")
  func deadlines() async throws {
    let scene = try scene("silent:timestamp.json")
    defer { scene.server.stop() }
    let start = ContinuousClock.now
    let problem = await problem { _ = try await scene.updater.update(within: .milliseconds(300)) }
    #expect(problem?.code == .timedOut && problem?.message.contains("300 ms") == true)
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(scene.device.launch().version == 30)
  }

  @Test("a deadline leaves no time for another attempt: the problem itself is thrown")
  func noTimeLeft() async throws {
    let scene = try scene("500:timestamp.json")
    defer { scene.server.stop() }
    let problem = await problem { _ = try await scene.updater.update(within: .milliseconds(200)) }
    #expect(problem?.code == .serverError || problem?.code == .timedOut)
    #expect(scene.clock.waits.isEmpty)
  }

  @Test(
    "a login page of the network is called that, on a feed of either trust", arguments: TrustMode.allCases)
  func portal(mode: TrustMode) async throws {
    let scene = try scene("portal", mode: mode)
    defer { scene.server.stop() }
    let problem = await problem { _ = try await scene.updater.update() }
    #expect(
      problem?.code == .portal && problem?.advice?.contains("sign in") == true, "\(problem?.message ?? "")")
    try scene.server.set([])
    #expect(try await scene.updater.update() == .staged(.number(31)))
  }
}

/// What an app can put in of its own.
@Suite("The app's own protocols")
struct AppProtocolStories {
  private final class Log: UpdaterEventSink {
    let events = Mutex<[UpdaterEvent]>([])
    let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
    func receive(_ event: UpdaterEvent) { events.withLock { $0.append(event) } }
  }

  private struct Failing: UpdaterEventSink {
    struct Broken: Error {}
    func receive(_ event: UpdaterEvent) async throws { throw Broken() }
  }

  private struct Hanging: UpdaterEventSink {
    func receive(_ event: UpdaterEvent) async throws { try await Task.sleep(for: .seconds(3600)) }
  }

  @Test("events come in order, retries among them")
  func events() async throws {
    let scene = try FaultScene()
    defer { scene.server.stop() }
    try scene.server.set([FaultRule(.serverError, file: "timestamp.json", times: 1)])
    let log = Log()
    scene.device.configuration.events = log
    let updater = scene.updater
    #expect(try await updater.update() == .staged(.number(31)))
    _ = updater.confirm(updater.activate())
    for _ in 0..<200 where log.events.withLock({ $0.count }) < 4 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let events = log.events.withLock { $0 }
    guard case .retrying(let url, let problem, 1, _)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(url.hasSuffix("metadata/timestamp.json") && problem.code == .serverError)
    #expect(
      Array(events.dropFirst()) == [
        .updated(.staged(.number(31))), .launched(.number(31), .staged), .verdict(.recorded),
      ])
  }

  @Test("a sink that fails or hangs changes nothing", arguments: [true, false])
  func sinks(hangs: Bool) async throws {
    let scene = try FaultScene()
    defer { scene.server.stop() }
    scene.device.configuration.events = hangs ? Hanging() : Failing()
    let updater = scene.updater
    #expect(try await updater.update() == .staged(.number(31)))
    let release = await updater.activateInBackground()
    #expect(release.version == .number(31))
    #expect(await updater.confirmInBackground(release) == .recorded)
  }

  @Test("an app brings its own HTTP stack: the same decisions, the same trust", arguments: TrustMode.allCases)
  func transport(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    device.configuration.feed = try FeedLocation("https://feed.example/")
    device.configuration.transport = device.feed
    device.configuration.clock = FeedClock()
    try device.feed.publish(31)
    #expect(try await Updater(device.configuration).update() == .staged(.number(31)))
    #expect(device.launch().version == 31)
  }
}

/// A clock of the app that stands at the moment at which the test feeds are signed.
private struct FeedClock: UpdaterClock {
  var now: Timestamp { Timestamp(secondsSinceEpoch: 1_780_000_000) }

  func sleep(for duration: Duration) async throws {}
}
