import OTAManifest
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserUpdater

/// Many releases in a row on one device; `ci/long-life` has thousands of them, with times.
@Suite("A long life")
struct LongLifeTests {
  @Test(
    "after thirty releases a device holds no more than after ten, but for a bounded history",
    arguments: TrustMode.allCases)
  func device(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    var counts: [Int] = []
    for version in 101...130 as ClosedRange<Int64> {
      try await device.take(version)
      counts.append(tree(device.store).count)
    }
    #expect(Set(counts[10...]).count == 1, "\(counts)")
    #expect(device.stored == [129, 130] && device.scratch == [])
    #expect(try #require(content("\(device.store)/state.json")).count < 2048)
    #expect(try device.updater().history().count == 90, "staged, launched, confirmed")
  }

  @Test("of what failed the newest 64 are remembered")
  func memory() {
    var state = DeviceState()
    for version in 1...70 as ClosedRange<Int64> {
      let release = LaunchPlanExploration.release(version)
      state.reject(release, reason: "failed", date: LaunchPlanExploration.now)
    }
    #expect(state.rejected.map(\.version.number) == Array(7...70))
  }

  @Test("releases that all fail leave one memory each, and nothing else")
  func failures() async throws {
    let device = try Device(embedded: 30)
    try await device.take(100)
    for version in 101...112 as ClosedRange<Int64> {
      try device.feed.publish(version)
      try await device.update()
      let launch = device.launch()
      #expect(launch.updater.fail(launch.release, reason: "does not load").version == .number(100))
    }
    #expect(try device.updater().status().rejected.count == 12)
    try await device.take(113)
    #expect(device.stored == [100, 113])
  }
}
