import OTAFeed
import OTAManifest
import OTATransfer
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// D7: what a verified manifest withdraws does not run from the next launch on, whatever became of its own files.
@Suite("D7: withdrawn releases")
struct WithdrawnStories {
  /// A device that runs 3, with 2 before it.
  private func device(_ mode: TrustMode) async throws -> Device {
    let device = try Device(embedded: 1, feed: MemoryFeed(mode))
    try await device.take(2)
    try await device.take(3)
    return device
  }

  @Test(
    "D7: the release that withdraws another cannot be had: the withdrawn one stops all the same",
    arguments: TrustMode.allCases)
  func unreachable(mode: TrustMode) async throws {
    let device = try await device(mode)
    let old = try SampleRelease(3)
    let release = try device.feed.publish(4) { $0.withdrawn = [.number(3)] }
    let bundle = try #require(device.feed.files[release.bundlePath])
    device.feed.remove(release.bundlePath)
    #expect(await problem { try await device.update() }?.code == .notFound)
    #expect(try device.updater().status().withdrawn == [.number(3)])
    let launch = device.launch()
    #expect(launch.version == 2 && launch.release.standing == .confirmed)
    #expect(launch.release.passedOver.map(\.code) == ["withdrawn"])
    #expect(try device.updater().history().contains { $0.kind == .dropped && $0.version == .number(3) })
    // An older manifest takes nothing back, whoever serves it.
    if mode == .checksumsOnly {
      device.feed.put(old.bytes, at: "manifest.json")
      _ = try await device.update()
      #expect(try device.updater().status().withdrawn == [.number(3)])
      #expect(device.launch().version == 2)
      device.feed.put(release.bytes, at: "manifest.json")
    }
    // The newer release is no floor before it is here.
    device.feed.put(bundle, at: release.bundlePath)
    #expect(try await device.update() == .staged(.number(4)))
    #expect(device.launchAndConfirm() == 4)
  }

  @Test("D7: with everything withdrawn the copy inside the app runs", arguments: TrustMode.allCases)
  func everything(mode: TrustMode) async throws {
    let device = try await device(mode)
    let release = try device.feed.publish(4) { $0.withdrawn = [.number(2), .number(3)] }
    device.feed.answer(release.bundlePath, .failure(.unreachable, status: nil))
    #expect(await problem { try await device.update() }?.code == .unreachable)
    #expect(device.launch().version == 1)
    #expect(device.launch().release.passedOver == [], "what is gone is not told again")
  }

  @Test("D7: a device that only checks has heard it, too", arguments: TrustMode.allCases)
  func byCheck(mode: TrustMode) async throws {
    let device = try await device(mode)
    try device.feed.publish(4) { $0.withdrawn = [.number(3)] }
    #expect(try await device.updater().check() == .available(.number(4), notes: nil))
    #expect(device.launch().version == 2)
    #expect(try await device.update() == .staged(.number(4)))
  }

  @Test(
    "D6: content that is allowed again under a new number runs, whatever its old number",
    arguments: TrustMode.allCases)
  func allowedAgain(mode: TrustMode) async throws {
    let device = try await device(mode)
    try device.feed.publish(4, .init(of: 2)) { $0.withdrawn = [.number(3)] }
    try await device.update()
    #expect(device.launchAndConfirm() == 4)
    try device.feed.publish(5, .init(of: 3)) { $0.withdrawn = [.number(3), .number(4)] }
    #expect(try await device.update() == .staged(.number(5)))
    #expect(device.launchAndConfirm() == 5)
  }
}
