import OTAManifest
import OTATransfer
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// A release that some devices may have before all others: who gets it, who keeps it, and who gives it back.
@Suite("Rollouts on devices")
struct RolloutStories {
  private static let start = Timestamp(secondsSinceEpoch: 1_780_000_000)

  /// A device that runs 37 of a feed whose 38 is on its way; the share is none, so that its bucket is known and
  /// nothing was taken.
  private func world(
    _ mode: TrustMode, steps: String = "0%"
  ) async throws -> (device: Device, rollout: Rollout, bucket: Int) {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try device.feed.publish(37) { $0.beside = ["rollout"] }
    try await device.update()
    #expect(device.launchAndConfirm() == 37)
    let rollout = try device.feed.begin(try SampleRelease(38), steps, at: Self.start)
    #expect(try await device.update() == .unchanged(.upToDate(.number(37))))
    let standing = try device.updater().explain().rollout
    let bucket = try #require(standing?.bucket)
    return (device, rollout, bucket)
  }

  private func changed(_ rollout: Rollout, _ change: Rollout.Change, seconds: Int64 = 60) throws -> Rollout {
    let next = rollout.applying(change, at: Self.start.advanced(bySeconds: seconds))
    return try #require(next)
  }

  private func share(of parts: Int) throws -> Share {
    let share = Share(parts: Int64(parts))
    return try #require(share)
  }

  @Test("who is outside gets the release of everybody; inside stays inside", arguments: TrustMode.allCases)
  func shares(mode: TrustMode) async throws {
    let (device, rollout, bucket) = try await world(mode)
    let pointer = device.feed.files["manifest.json"]
    let outside = try changed(rollout, .set(share(of: bucket)))
    device.feed.put(outside)
    #expect(try await device.update() == .unchanged(.upToDate(.number(37))))
    let standing = try device.updater().explain().rollout
    let limit = try share(of: bucket)
    #expect(standing?.reason == .outside && standing?.share == limit)
    #expect(standing?.sentence.contains("outside") == true)
    device.feed.put(try changed(outside, .set(share(of: bucket + 1))))
    #expect(try await device.updater().check() == .available(.number(38), notes: nil))
    #expect(try await device.update() == .staged(.number(38)))
    #expect(device.launchAndConfirm() == 38)
    #expect(try await device.update() == .unchanged(.upToDate(.number(38))))
    #expect(try device.updater().explain().rollout?.reason == .kept)
    #expect(device.feed.files["manifest.json"] == pointer, "an old client never saw it")
    // It becomes everybody's release.
    device.feed.publish(try SampleRelease(38))
    device.feed.endRollout(of: .stable)
    #expect(try await device.update() == .unchanged(.upToDate(.number(38))))
    #expect(try device.updater().status().floor == .number(38))
  }

  @Test(
    "halted: nobody new, who runs it goes on; withdrawn: back at the next launch",
    arguments: TrustMode.allCases)
  func haltAndWithdraw(mode: TrustMode) async throws {
    let (device, rollout, _) = try await world(mode)
    let running = try changed(rollout, .set(.all))
    device.feed.put(running)
    #expect(try await device.update() == .staged(.number(38)))
    // Halted before it was ever used here: this device is one that does not get it.
    let halted = try changed(running, .halt)
    device.feed.put(halted)
    #expect(try await device.update() == .unchanged(.upToDate(.number(37))))
    #expect(device.launch().version == 37)
    let resumed = try changed(halted, .resume)
    device.feed.put(resumed)
    try await device.update()
    #expect(device.launchAndConfirm() == 38)
    device.feed.put(try changed(resumed, .halt))
    #expect(try await device.update() == .unchanged(.upToDate(.number(38))))
    #expect(device.launch().version == 38, "who has it keeps it")
    device.feed.put(try changed(try changed(resumed, .halt), .withdraw))
    #expect(try await device.updater().check() == .upToDate(.number(37)))
    let back = device.launch()
    #expect(back.version == 37 && back.release.passedOver.map(\.code) == ["withdrawn"])
    #expect(try device.updater().history().contains { $0.kind == .rollout })
    // An old copy of the document brings nothing back, and the next release is taken as usual.
    if mode == .checksumsOnly {
      device.feed.put(resumed)
      #expect(try await device.update() == .unchanged(.upToDate(.number(37))))
    }
    try device.feed.publish(39) { $0.withdrawn = [.number(38)] }
    #expect(try await device.update() == .staged(.number(39)))
    #expect(device.launchAndConfirm() == 39)
  }

  @Test("a person who asks now, and what is critical, do not wait", arguments: TrustMode.allCases)
  func skips(mode: TrustMode) async throws {
    let (device, rollout, _) = try await world(mode)
    #expect(try await device.updater().check(now: true) == .available(.number(38), notes: nil))
    var critical = try changed(rollout, .set(try share(of: 1)), seconds: 0)
    critical.isCritical = true
    #expect(critical.revision == 2)
    device.feed.put(critical)
    #expect(try await device.update() == .staged(.number(38)))
  }

  @Test("a device whose release was withdrawn does not wait", arguments: TrustMode.allCases)
  func replacesWithdrawn(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try device.feed.publish(37) { $0.beside = ["rollout"] }
    try await device.update()
    device.launchAndConfirm()
    try device.feed.publish(38, .init(of: 36)) {
      $0.withdrawn = [.number(37)]
      $0.beside = ["rollout"]
    }
    _ = try device.feed.begin(try SampleRelease(39), "0%", at: Self.start)
    #expect(try await device.update() == .staged(.number(39)))
    #expect(device.launchAndConfirm() == 39)
  }

  @Test("time counts by signed dates alone: no clock makes a device early", arguments: TrustMode.allCases)
  func clocks(mode: TrustMode) async throws {
    let (device, rollout, _) = try await world(mode, steps: "0%, 100% after 6h")
    device.feed.refresh(at: Self.start.advanced(bySeconds: 3600))
    device.wait(seconds: 3 * 86_400)
    #expect(try await device.update() == .unchanged(.upToDate(.number(37))), "the clock is three days ahead")
    if mode == .signed {
      device.feed.refresh(at: Self.start.advanced(bySeconds: 6 * 3600))
    } else {
      device.feed.put(try changed(rollout, .advance, seconds: 6 * 3600))
    }
    device.wait(seconds: -4 * 86_400)
    #expect(
      try await device.update() == .staged(.number(38)), "a clock that is behind does not matter either")
  }

  @Test(
    "a release of a rollout that cannot be had, or failed here, hides nothing", arguments: TrustMode.allCases)
  func hidesNothing(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try device.feed.publish(37) { $0.beside = ["rollout"] }
    let candidate = try SampleRelease(38)
    _ = try device.feed.begin(candidate, "100%", at: Self.start)
    let place = "files/releases/38/\(candidate.digest).manifest.json"
    device.feed.answer(place, .failure(.unreachable, status: nil))
    #expect(try await device.update() == .staged(.number(37)))
    #expect(device.launchAndConfirm() == 37)
    device.feed.answer(place, nil)
    #expect(try await device.update() == .staged(.number(38)))
    let launch = device.launch()
    #expect(launch.version == 38)
    #expect(launch.updater.fail(launch.release, reason: "blank").version == .number(37))
    #expect(try await device.update() == .unchanged(.upToDate(.number(37))))
    #expect(try device.updater().explain().rollout?.reason == .rejected)
  }

  @Test("a rollout that another one follows leaves its devices where they are", arguments: TrustMode.allCases)
  func second(mode: TrustMode) async throws {
    let (device, rollout, _) = try await world(mode)
    device.feed.put(try changed(rollout, .set(.all)))
    try await device.update()
    #expect(device.launchAndConfirm() == 38)
    let next = try device.feed.begin(try SampleRelease(39), "0%", at: Self.start)
    #expect(try await device.update() == .unchanged(.upToDate(.number(38))))
    #expect(device.launch().version == 38)
    device.feed.put(try changed(next, .set(.all)))
    #expect(try await device.update() == .staged(.number(39)))
    device.feed.endRollout(of: .stable)
    try device.feed.publish(40)
    #expect(try await device.update() == .staged(.number(40)))
  }

  @Test(
    "a device gives itself a name when a rollout asks for one, and tells nobody",
    arguments: TrustMode.allCases)
  func name(mode: TrustMode) async throws {
    let (device, _, bucket) = try await world(mode)
    let bytes = try #require(content("\(device.store)/state.json"))
    let state = String(decoding: bytes, as: UTF8.self)
    let id = try #require(state.split(separator: "\"install\": \"").last?.prefix(32))
    try await device.update()
    #expect(try device.updater().explain().rollout?.bucket == bucket)
    #expect(device.feed.takeAllRequests().allSatisfy { !$0.path.contains(id) })
  }
}
