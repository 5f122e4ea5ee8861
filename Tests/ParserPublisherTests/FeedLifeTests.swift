import OTAManifest
import ParserPublisher
import TestSupport
import Testing

/// Many releases in a row on one feed; `ci/long-life` has thousands of them, with times.
@Suite("A feed of many releases")
struct FeedLifeTests {
  @Test("after thirty signed releases a feed holds what its retention says, and its documents do not grow")
  func signed() async throws {
    let feed = try await SignedFeed(keptReleases: 3)
    var counts: [Int] = []
    var largest: [Int] = []
    for number in 1...30 {
      try await feed.publish("r\(number)")
      if number > 24 {
        let contents = try feed.contents()
        counts.append(contents.count)
        largest.append(contents.values.map(\.count).max() ?? 0)
      }
    }
    #expect(Set(counts).count == 1, "\(counts)")
    #expect((largest.max() ?? 0) - (largest.min() ?? 0) < 16, "\(largest)")
    #expect(try await feed.clientVersion() == version(30))
  }
}
