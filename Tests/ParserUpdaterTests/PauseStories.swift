import OTAFeed
import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Hosts that ask for fewer requests, and devices that start over and over.
@Suite("B76: pauses")
struct PauseStories {
  private func device(_ mode: TrustMode, _ answer: MemoryFeed.Answer) async throws -> Device {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    // Pauses are kept for the host of the feed that the app names.
    device.configuration.feed = MemoryFeed.location
    try await device.take(31)
    try device.feed.publish(32)
    device.feed.answer(mode.first, answer)
    _ = device.feed.takeRequests()
    return device
  }

  private func code(_ device: Device) async -> ProblemCode? {
    await problem { try await device.update() }?.code
  }

  @Test(
    "B76: 429 with an hour: a crash loop asks once, and goes on when the hour is over",
    arguments: TrustMode.allCases)
  func crashLoop(mode: TrustMode) async throws {
    let device = try await device(mode, .pause(429, after: "3600"))
    #expect(await code(device) == .throttled)
    #expect(device.feed.takeRequests() == [mode.first])
    let before = Inventory(device.store)
    let end = device.now.advanced(bySeconds: 3600)
    for _ in 0..<50 {
      let problem = await problem { try await device.update() }
      #expect(problem?.code == .throttled && problem?.kept != nil)
      #expect(problem?.message.hasPrefix("asked too soon, again at \(end): ") == true)
      #expect(await ParserUpdaterTests.problem { _ = try await device.updater().check() } == problem)
    }
    #expect(device.feed.takeRequests() == [] && Inventory(device.store) == before)
    let status = try device.updater().status()
    #expect(status.askedAgainAt == end && status.lastProblem?.message.contains("asked too soon") == false)
    #expect(device.launchAndConfirm() == 31)
    device.feed.answer(mode.first, nil)
    device.wait(seconds: 3599)
    #expect(await code(device) == .throttled)
    device.wait(seconds: 1)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(try device.updater().status().askedAgainAt == nil)
  }

  @Test("B76: a person may ask all the same", arguments: TrustMode.allCases)
  func byHand(mode: TrustMode) async throws {
    let device = try await device(mode, .pause(429, after: "3600"))
    #expect(await code(device) == .throttled)
    device.feed.answer(mode.first, nil)
    device.configuration.heedsPauses = false
    #expect(try await device.update() == .staged(.number(32)))
  }

  @Test(
    "B76: how long the pause is",
    arguments: [
      (MemoryFeed.Answer.pause(429, after: nil), 60), (.pause(429, after: "soon"), 60),
      (.pause(503, after: "30"), 30), (.pause(503, after: nil), 0), (.pause(500, after: nil), 0),
      (.pause(429, after: "99999999"), 86_400), (.pause(429, after: "Sun, 06 Nov 1994 08:49:37 GMT"), 0),
    ] as [(MemoryFeed.Answer, Int64)])
  func length(answer: MemoryFeed.Answer, seconds: Int64) async throws {
    let device = try await device(.checksumsOnly, answer)
    _ = await code(device)
    device.feed.answer("manifest.json", nil)
    if seconds > 0 {
      device.wait(seconds: seconds - 1)
      #expect(await code(device) == .throttled)
      device.wait(seconds: 1)
    }
    #expect(try await device.update() == .staged(.number(32)))
  }

  @Test("B76: a clock that was set back makes no pause longer than a day")
  func clockBack() async throws {
    let device = try await device(.checksumsOnly, .pause(429, after: "3600"))
    #expect(await code(device) == .throttled)
    device.feed.answer("manifest.json", nil)
    device.wait(seconds: -400 * 86_400)
    #expect(try await device.update() == .staged(.number(32)))
  }

  @Test("B76: the pause is that of one feed: another one in the settings is asked")
  func otherFeed() async throws {
    let device = try await device(.checksumsOnly, .pause(429, after: "3600"))
    #expect(await code(device) == .throttled)
    device.configuration.feed = .directory(device.home.path("feed"))
    device.feed.answer("manifest.json", nil)
    device.feed.write(to: device.home.path("feed"))
    #expect(try await device.updater(device.configuration.feed).update() == .staged(.number(32)))
  }

  @Test(
    "B76, B96: a mirror is asked when the feed wants a pause, and while it lasts",
    arguments: TrustMode.allCases)
  func mirror(mode: TrustMode) async throws {
    let device = try await device(mode, .pause(429, after: "3600"))
    let mirror = MemoryFeed()
    mirror.files = device.feed.files
    func update() async throws -> UpdateResult {
      let now = device.now
      return try await Updater(
        device.configuration, reader: device.feed.reader,
        mirrors: [
          FeedReader(
            try FeedLocation("https://mirror.example/"), fetcher: mirror, allowsPlainHTTPOnLoopback: false)
        ], now: { now }
      ).update()
    }
    // The fetcher in memory knows one base only, so the copies are kept under whole addresses.
    for (path, bytes) in device.feed.files { mirror.put(bytes, at: "https://mirror.example/\(path)") }
    #expect(try await update() == .staged(.number(32)))
    #expect(device.feed.takeRequests() == [mode.first])
    #expect(try await update() == .unchanged(.staged(.number(32))))
    #expect(device.feed.takeRequests() == [])
  }
}

extension TrustMode {
  /// The file that is asked for first.
  fileprivate var first: String { self == .signed ? "metadata/2.root.json" : "manifest.json" }
}
