import Glibc
import OTAManifest
import OTATrust
import Testing
import TrustFixtures

/// Metadata that whoever holds a key can make as large as the limits allow.
@Suite("S6: huge metadata costs what its size costs", .serialized)
struct HugeMetadataTests {
  private func targets(_ count: Int) throws -> (feed: TestFeed, bytes: [UInt8]) {
    var feed = try TestFeed()
    let entry = try TestFeed.target([1])
    let entries = (0..<count).map { JSONMember("releases/\($0)/x", entry) }
    let body = try feed.targetsBody([:]).with("targets", object(entries))
    feed.hasHashes = false
    return (feed, try signed(body, by: feed.targets.keys))
  }

  private func snapshot(_ count: Int) throws -> (feed: TestFeed, bytes: [UInt8]) {
    let feed = try TestFeed()
    let entries = (0..<count).map { JSONMember("role-\($0).json", object([JSONMember("version", 1)])) }
    let meta = object([JSONMember("targets.json", object([JSONMember("version", 1)]))] + entries)
    return (feed, try signed(feed.snapshotBody().with("meta", meta), by: feed.snapshot.keys))
  }

  /// The shortest of a few runs, by the time that this thread got, so that a busy machine does not count.
  private func shortest(_ body: () throws -> Void) rethrows -> Duration {
    var best = Duration.seconds(1000)
    for _ in 0..<4 {
      let start = Self.threadTime()
      try body()
      best = min(best, Self.threadTime() - start)
    }
    return best
  }

  private static func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func start(_ feed: TestFeed) throws -> TrustedMetadataSet {
    var set = try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
    _ = try set.updateTimestamp(feed.timestampBytes())
    return set
  }

  private func timeOfTargets(_ count: Int) throws -> Duration {
    let (feed, bytes) = try targets(count)
    var set = try start(feed)
    try set.updateSnapshot(feed.snapshotBytes())
    let ready = set
    return try shortest {
      var set = ready
      let targets = try set.updateTargets(bytes, of: .top)
      #expect(targets.description(of: "releases/\(count - 1)/x")?.length == 1)
    }
  }

  private func timeOfSnapshot(_ count: Int) throws -> Duration {
    let (feed, bytes) = try snapshot(count)
    let ready = try start(feed)
    return try shortest {
      var set = ready
      try set.updateSnapshot(bytes)
      #expect(try set.description(of: "role-\(count - 1)").version == 1)
    }
  }

  @Test("four times the targets take about four times as long, not sixteen times")
  func targetsAreLinear() throws {
    let (small, large) = (try timeOfTargets(3000), try timeOfTargets(12_000))
    #expect(large < small * 8, "\(small), then \(large)")
  }

  @Test("four times the roles of a snapshot take about four times as long")
  func snapshotIsLinear() throws {
    let (small, large) = (try timeOfSnapshot(4000), try timeOfSnapshot(16_000))
    #expect(large < small * 8, "\(small), then \(large)")
  }

  @Test("as many targets as the limit lets through are read")
  func mostTargets() throws {
    let (feed, bytes) = try targets(38_000)
    #expect(bytes.count > 4_500_000 && bytes.count < TrustLimits.standard.maxTargetsBytes)
    var set = try start(feed)
    try set.updateSnapshot(feed.snapshotBytes())
    #expect(try set.updateTargets(bytes, of: .top).paths.count == 38_000)
  }
}
