import OTAFeed
import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// B91: each channel has its own places; nothing of the old one runs after a change but as a named fallback.
@Suite("B91: a change of channel")
struct ChannelStories {
  private var beta: Channel {
    get throws { try #require(Channel("beta")) }
  }

  /// A device that followed beta and runs 90 of it, and whose app follows stable from now on.
  private func device(_ mode: TrustMode) async throws -> Device {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    let beta = try beta
    device.configuration.channel = beta
    try device.feed.publish(90) { $0.channel = beta }
    try await device.update()
    #expect(device.launchAndConfirm() == 90)
    device.configuration.channel = .stable
    return device
  }

  @Test(
    "B91: the old channel's release goes on by name until the new channel has one",
    arguments: TrustMode.allCases)
  func change(mode: TrustMode) async throws {
    let device = try await device(mode)
    let launch = device.launch()
    #expect(launch.version == 90 && launch.release.origin == .otherChannel)
    #expect(launch.release.standing == .confirmed && launch.confirm() == .nothingToDo)
    let passed = try #require(launch.release.passedOver.first)
    #expect(passed.code == "channel-without-release")
    #expect(
      passed.message == "the channel stable has no release here yet: release 90 of the channel beta goes on")
    #expect(try device.updater().history().contains { $0.kind == .channelChanged })
    #expect(try device.updater().status().next.candidates.map(\.origin) == [.otherChannel, .embedded])
    #expect(try device.updater().status().current == nil && device.updater().status().floor == nil)

    try device.feed.publish(42)
    #expect(try await device.updater().check() == .available(.number(42), notes: nil))
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.launchAndConfirm() == 42)
    #expect(try await device.updater().check() == .upToDate(.number(42)))
    #expect(device.launch().release.passedOver == [])
    #expect(device.stored == [42, 90])

    device.configuration.channel = try beta
    let back = device.launch()
    #expect(back.version == 90 && back.release.origin == .current && back.release.standing == .confirmed)
    #expect(try await device.updater().check() == .upToDate(.number(90)))
    #expect(try device.updater().status().floor == .number(90))
  }

  @Test(
    "B91: a newer copy inside the app, and an app that wants it so, come before the old channel",
    arguments: TrustMode.allCases)
  func embeddedInstead(mode: TrustMode) async throws {
    let device = try await device(mode)
    device.configuration.keepsFormerChannel = false
    #expect(device.launch().version == 30)
    device.configuration.keepsFormerChannel = true
    device.embed(try SampleRelease(91))
    #expect(device.launch().version == 91)
    #expect(try device.updater().status().next.candidates.map(\.origin) == [.embedded])
  }

  @Test(
    "B91: what nobody confirmed in the old channel does not go on in the new one",
    arguments: TrustMode.allCases)
  func unconfirmed(mode: TrustMode) async throws {
    let device = try await device(mode)
    let beta = try beta
    device.configuration.channel = beta
    try device.feed.publish(91) { $0.channel = beta }
    try await device.update()
    #expect(device.launchAndDie() == 91)
    device.configuration.channel = .stable
    #expect(device.launchAndDie() == 90, "the last one that was confirmed")
    device.configuration.channel = beta
    #expect(device.launchAndConfirm() == 91, "its trial goes on where it was")
  }

  @Test(
    "B91: a fallback that fails, or is left by hand, goes, and the copy inside the app runs",
    arguments: [true, false])
  func fallbackFails(byHand: Bool) async throws {
    let device = try await device(.checksumsOnly)
    let launch = device.launch()
    if byHand {
      let result = try device.updater().rollback()
      #expect(result.left == .number(90) && result.next == .number(30))
    } else {
      #expect(launch.updater.fail(launch.release, reason: "broken").version == .number(30))
    }
    #expect(device.launch().version == 30)
    #expect(try device.updater().status().rejected.map(\.version) == [.number(90)])
  }

  @Test(
    "B91: a pin belongs to its channel, and what a channel withdrew is withdrawn in all",
    arguments: TrustMode.allCases)
  func pinAndWithdrawn(mode: TrustMode) async throws {
    let device = try await device(mode)
    let beta = try beta
    device.configuration.channel = beta
    try device.updater().pin()
    device.configuration.channel = .stable
    #expect(device.launch().release.origin == .otherChannel)
    try device.feed.publish(42)
    #expect(try await device.update() == .staged(.number(42)), "the pin of the other channel is not one here")
    #expect(device.launchAndConfirm() == 42)
    device.configuration.channel = beta
    #expect(device.launch().release.origin == .pin)
    try device.updater().unpin()
    try device.feed.publish(91) {
      $0.channel = beta
      $0.withdrawn = [.number(90)]
    }
    try await device.update()
    #expect(device.launchAndConfirm() == 91)
    device.configuration.channel = .stable
    #expect(device.launch().version == 42)
  }

  @Test("B91: a device that goes from channel to channel keeps the releases of a few, not of all")
  func bounded() async throws {
    let device = try Device(embedded: 30)
    for (index, name) in ["stable", "a", "b", "c", "d", "e", "f"].enumerated() {
      let channel = try #require(Channel(name))
      device.configuration.channel = channel
      try device.feed.publish(Int64(40 + index)) { $0.channel = channel }
      try await device.update()
      #expect(device.launchAndConfirm() == Int64(40 + index))
    }
    #expect(device.stored == [43, 44, 45, 46])
    try device.feed.publish(50) { $0.channel = Channel("f")! }
    try await device.update()
    #expect(device.stored == [43, 44, 45, 46, 50])
  }

  @Test("B91: a lost state is rebuilt for each channel from what the releases say")
  func rebuilt() async throws {
    let device = try await device(.checksumsOnly)
    try device.feed.publish(42)
    try await device.update()
    device.launchAndConfirm()
    plant("{", at: "\(device.store)/state.json")
    #expect(device.launchAndConfirm() == 42)
    device.configuration.channel = try beta
    #expect(device.launchAndConfirm() == 90)
  }
}
