import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Clocks that are wrong in every way: a launch does not look at them, and a feed that they spoil says so.
@Suite("Time")
struct TimeStories {
  /// Moments that clocks show: a flat battery, the end of 32 bits, a typing error, and the end of four digits.
  static let moments: [Int64] = [
    0, 1, 2_147_483_647, 2_147_483_648, 1_780_000_000 + 20 * 31_557_600, 253_402_300_799,
  ]

  private func set(_ device: Device, _ moment: Int64) {
    device.wait(seconds: moment - device.now.secondsSinceEpoch)
  }

  @Test("a whole life at a strange date is like any other", arguments: moments, TrustMode.allCases)
  func life(moment: Int64, mode: TrustMode) async throws {
    // Nothing can be signed to expire after the last date that has four digits.
    if mode == .signed && moment == Self.moments.last { return }
    let now = Timestamp(secondsSinceEpoch: moment)
    let signer = mode == .signed ? FeedSigner(now: now) : nil
    let device = try Device(embedded: 30, feed: MemoryFeed(signer: signer))
    set(device, moment)
    try await device.take(31)
    try device.feed.publish(32)
    try await device.update()
    #expect((1...3).map { _ in device.launchAndDie() } == [32, 32, 31])
    #expect(try await device.update().obstacle == "rejected")
    #expect(try device.updater().rollback().next == .number(30))
    #expect(device.launch().version == 30)
    let history = try device.updater().history()
    #expect(history.allSatisfy { $0.date == device.now } && history.count > 5)
    #expect(try device.updater().status().rejected.allSatisfy { $0.date == device.now })
  }

  @Test("the same store launches the same release whatever the clock says, and writes nothing")
  func launchIgnoresTheClock() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try await device.take(31)
    try await device.take(32)
    let before = Inventory(device.store)
    for moment in Self.moments + Self.moments.reversed() {
      set(device, moment)
      let launch = device.launch()
      #expect(launch.version == 32 && launch.release.standing == .confirmed && launch.release.notes == [])
    }
    #expect(Inventory(device.store) == before)
  }

  @Test("a trial counts launches, whatever the clock does between them")
  func trialIgnoresTheClock() async throws {
    let device = try Device(embedded: 30)
    try await device.take(31)
    try device.feed.publish(32)
    try await device.update()
    set(device, 2_147_483_648)
    #expect(device.launchAndDie() == 32)
    set(device, 0)
    #expect(device.launchAndDie() == 32)
    set(device, 1_780_000_000)
    #expect(device.launchAndDie() == 31)
  }

  @Test("a clock that shows 1970 takes a feed that was signed later, and is called unreliable")
  func flatBattery() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    let signed = device.now
    try device.feed.publish(31) { $0.released = signed }
    set(device, 0)
    #expect(try await device.update() == .staged(.number(31)))
    #expect(device.launchAndConfirm() == 31)
    let status = try device.updater().status()
    #expect(status.clockDoubt?.code == .clockUnreliable && status.stale == nil)
    #expect(
      status.clockDoubt?.message == "this clock says 1970-01-01T00:00:00Z, but \(signed) was seen before")
    // A signed date alone is no proof that it is later: what is new counts.
    device.feed.signer?.change { $0.now = signed.advanced(bySeconds: -40 * 86_400) }
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
  }

  @Test(
    "twenty years ahead: nothing new, the state says since when, launches go on; set right, updates go on")
  func twentyYears() async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try await device.take(31)
    let now = device.now
    set(device, now.secondsSinceEpoch + 20 * 31_557_600)
    #expect(await problem { try await device.update() }?.code == .trustExpired)
    let since = try #require(try device.updater().status().stale?.since)
    #expect(since <= now.advanced(bySeconds: 730 * 86_400) && since > now)
    #expect(device.launchAndConfirm() == 31)
    set(device, now.secondsSinceEpoch)
    #expect(try device.updater().status().clockDoubt?.code == .clockUnreliable)
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
    #expect(try device.updater().status().stale == nil)
  }

  @Test("a release of a leap second is taken as one of the second after")
  func leapSecond() async throws {
    let device = try Device(embedded: 30)
    let release = try SampleRelease(31) { $0.released = Timestamp("2017-01-01T00:00:00Z") }
    device.feed.publish(release)
    let text = String(decoding: release.bytes, as: UTF8.self)
      .replacing("2017-01-01T00:00:00Z", with: "2016-12-31T23:59:60Z")
    #expect(text.contains(":60Z"))
    device.feed.put(Array(text.utf8), at: "manifest.json")
    #expect(try await device.update() == .staged(.number(31)))
    let launch = device.launch()
    #expect(launch.version == 31)
    #expect(launch.release.manifest?.released?.description == "2017-01-01T00:00:00Z")
  }
}
