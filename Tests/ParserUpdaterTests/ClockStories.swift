import OTAManifest
import OTATransfer
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// B81: wrong clocks of publishers and devices, forwards and backwards: none of them ends updates for ever.
@Suite("B81: wrong clocks on both sides")
struct ClockStories {
  private static let day: Int64 = 86_400

  private func set(_ feed: MemoryFeed, to date: Timestamp) { feed.signer?.change { $0.now = date } }

  @Test(
    "a publisher 40 days ahead publishes once: devices that took it take what comes next at once",
    arguments: TrustMode.allCases)
  func publisherAhead(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try await device.take(31)
    let late = device.now.advanced(bySeconds: 40 * Self.day)
    set(device.feed, to: late)
    try device.feed.publish(32) { $0.released = late }
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
    #expect(try device.updater().status().clockDoubt?.code == .clockUnreliable, "the doubt is said")
    set(device.feed, to: device.now)
    try device.feed.publish(33) { $0.released = device.now }
    #expect(try await device.updater().check() == .available(.number(33), notes: nil))
    #expect(try await device.update() == .staged(.number(33)))
    #expect(device.launchAndConfirm() == 33)
    device.wait(seconds: 20 * Self.day)
    #expect(try await device.updater().check() == .upToDate(.number(33)))
  }

  @Test("a device that was ahead once, then right again, goes on although a download fails in between")
  func deviceAhead() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try await device.take(31)
    device.wait(seconds: 400 * Self.day)
    #expect(await problem { try await device.update() }?.code == .trustExpired)
    device.wait(seconds: -400 * Self.day)
    #expect(try await device.updater().check() == .upToDate(.number(31)), "one date alone refuses nothing")
    let release = try device.feed.publish(32)
    device.feed.answerOnce(release.bundlePath, .failure(.server, status: 500))
    #expect(await problem { try await device.update() }?.code == .serverError)
    #expect(try await device.updater().check() == .available(.number(32), notes: nil))
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
  }

  @Test(
    "both were ahead once: what is new overrules the two dates, and a failed download does not bring them back"
  )
  func bothAhead() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    let late = device.now.advanced(bySeconds: 40 * Self.day)
    try device.feed.publish(31) { $0.released = late }
    try await device.update()
    device.launchAndConfirm()
    device.wait(seconds: 400 * Self.day)
    #expect(await problem { try await device.update() }?.code == .trustExpired)
    device.wait(seconds: -400 * Self.day)
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .trustExpired && problem?.message.contains("clock-unreliable") == true)
    let release = try device.feed.publish(32)
    device.feed.answerOnce(release.bundlePath, .failure(.server, status: 500))
    #expect(await ParserUpdaterTests.problem { try await device.update() }?.code == .serverError)
    #expect(try await device.updater().check() == .available(.number(32), notes: nil))
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
  }

  @Test("a frozen feed does not become fresh by a clock set back: two independent dates say that it is later")
  func frozenAndSetBack() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    let start = device.now
    try device.feed.publish(31) { $0.released = start }
    try await device.update()
    device.launchAndConfirm()
    device.wait(seconds: 35 * Self.day)
    #expect(await problem { try await device.update() }?.code == .trustExpired)
    device.wait(seconds: -135 * Self.day)
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .trustExpired && problem?.message.contains("clock-unreliable") == true)
    #expect(device.launch().version == 31)
    try device.feed.publish(32)
    #expect(
      try await device.update() == .staged(.number(32)), "a timestamp new to the device is a witness, too")
  }

  @Test(
    "a signed date far ahead is no evidence by itself, whatever the clock says",
    arguments: [-4000, -40, 0, 29])
  func signedDateAlone(days: Int64) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try device.feed.publish(31) { $0.released = Timestamp("2099-01-01T00:00:00Z") }
    try await device.update()
    #expect(device.launchAndConfirm() == 31)
    device.wait(seconds: days * Self.day)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(try device.updater().status().clockDoubt != nil)
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
  }

  @Test("what has expired by the clock itself is stale, doubt or not, and a refresh ends it")
  func expiredByTheClock() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try device.feed.publish(31) { $0.released = Timestamp("2099-01-01T00:00:00Z") }
    try await device.update()
    device.launchAndConfirm()
    device.wait(seconds: 31 * Self.day)
    #expect(await problem { try await device.update() }?.code == .trustExpired)
    set(device.feed, to: device.now)
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
  }
}
