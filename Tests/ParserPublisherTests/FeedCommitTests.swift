import OTAFeed
import OTAManifest
import Synchronization
import Testing
import TestSupport

@testable import ParserPublisher

/// What every host can count on: the order of a change, its steps, and how often a feed is read.
@Suite struct FeedCommitTests {
  @Test("pointers are out before anything is removed")
  func steps() async throws {
    let setting = try InterruptionTests.Setting()
    _ = try await setting.publisher.publish(setting.old())
    setting.host.state.withLock { $0.steps = [] }
    _ = try await setting.publisher.publish(setting.new())
    #expect(setting.host.state.withLock { $0.steps } == [.pointers, .removal, .removal])
  }

  @Test("a publish reads the live feed twice: before the gate, and once nobody else can change it")
  func readings() async throws {
    let setting = try InterruptionTests.Setting()
    _ = try await setting.publisher.publish(setting.old())
    setting.host.state.withLock { $0.reads = [] }
    _ = try await setting.publisher.publish(setting.new())
    let reads = setting.host.state.withLock { $0.reads }
    #expect(reads.count { $0 == FeedLayout.settings } == 2)
    // Once more before it moves: nobody may have changed it on a host that keeps nobody out.
    #expect(reads.count { $0 == Channel.stable.manifestPath } == 3)
  }

  @Test(
    "every path has one kind, and a name that lies about its digest is no name of ours",
    arguments: [
      ("manifest.json", FeedLayout.Kind.pointer), ("channels/beta/manifest.json", .pointer),
      ("metadata/timestamp.json", .pointer), ("metadata/express.tar.zst", .pointer),
      ("metadata/3.root.json", .versioned),
      ("index.html", .pointer), (".parser-ota/feed.json", .own),
      ("files/\(String(repeating: "a", count: 64)).manifest.json", .immutable),
      ("files/releases/7/\(String(repeating: "0", count: 64)).parsers.bundle.js", .immutable),
      ("files/releases/7/\(String(repeating: "z", count: 64)).parsers.bundle.js", .pointer),
      ("files/releases/7/parsers.bundle.js", .pointer), ("old/bundle.js", .pointer),
    ])
  func kinds(path: String, kind: FeedLayout.Kind) {
    #expect(FeedLayout.kind(of: path) == kind)
  }
}
