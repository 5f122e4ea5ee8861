import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import Synchronization
import TestSupport
import Synchronization
import Testing

@testable import ParserPublisher

/// What becomes of packed forms and of the express file when a feed lives on, or is damaged.
@Suite("Packed forms and the express file of a feed") struct PackedUpkeepTests {
  /// A feed of two releases that are large enough for packed forms.
  private func feed(_ count: Int = 2) async throws -> SignedFeed {
    let feed = try await SignedFeed()
    for number in 1...count { try await publish(number, on: feed) }
    return feed
  }

  private func publish(
    _ number: Int, on feed: SignedFeed, _ change: (inout PublishRequest) -> Void = { _ in }
  ) async throws {
    let text = (0..<150).map { "// \((try? sha256(Array("\($0)".utf8)).hex) ?? "")\n" }.joined()
    let bundle = Fixtures.bundle(marker: "m\(number)", bytes: 2000) + Array(text.utf8)
    try durablyReplaceFile(at: feed.folder.path("big.js"), with: bundle)
    try await feed.publish("small\(number)") { request in
      request.bundlePath = feed.folder.path("big.js")
      change(&request)
    }
  }

  private func live(_ feed: SignedFeed) throws -> Manifest { try Manifest.decode(feed.read("manifest.json")) }

  private func findings(_ feed: SignedFeed) async throws -> [String] {
    try await Publisher.audit(
      FeedReader(.directory(feed.feed)), root: try feed.read("metadata/1.root.json"),
      now: feed.now.withLock { $0 }
    ).findings.map(\.code)
  }

  @Test("forms of the live release alone are on the feed, and an embedded release stays a base")
  func retention() async throws {
    let feed = try await feed(1)
    _ = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
    for number in 2...4 { try await publish(number, on: feed) { $0.patches.releases = 1 } }
    let manifest = try live(feed)
    #expect(manifest.bundle.encodings.count == 1 && manifest.bundle.patches.count == 2)
    let packed = try feed.tree().filter { $0.hasSuffix(".zst") && !$0.contains("express") }
    #expect(Set(packed.map { String($0.dropFirst(2)) }) == Set(manifest.forms.map(\.location.text)))
    #expect(try await findings(feed) == [])
  }

  @Test("a release that is not on the feed is no base, and no patches are made when none are wanted")
  func choice() async throws {
    let feed = try await feed()
    let refused = await problem {
      try await publish(3, on: feed) { $0.patches.versions = [version(9)] }
    }
    #expect(refused?.code == .noSuchRelease)
    try await publish(3, on: feed) { $0.patches.releases = 0 }
    #expect(try live(feed).bundle.patches == [] && live(feed).bundle.encodings.count == 1)
    try await publish(4, on: feed) { request in
      request.patches.releases = 0
      request.patches.versions = [version(1)]
    }
    #expect(try live(feed).bundle.patches.count == 1)
  }

  @Test("a lost form is a warning, and repair packs it again")
  func repair() async throws {
    let feed = try await feed()
    let before = try feed.contents()
    for form in try live(feed).forms {
      #expect(try run("/bin/rm", ["\(feed.feed)/\(form.location.text)"]).status == .exited(0))
    }
    let found = try await findings(feed)
    // The express file repeats the small ones.
    #expect(Set(found) == ["not-found", "express-differs"], "\(found)")
    let report = try await feed.publisher.repair(RepairRequest())
    #expect(report.outcome == .repaired && report.warnings == [])
    #expect(try feed.contents() == before)
  }

  @Test("an express file that is missing, old or of other content is found, and refresh writes it again")
  func audit() async throws {
    let feed = try await feed(1)
    let old = try feed.read(FeedLayout.express)
    try await publish(2, on: feed)
    let right = try feed.read(FeedLayout.express)
    var parts = try ExpressFile(decoding: right).parts
    parts["metadata/3.targets.json"] = [1]
    let other = try #require(ExpressFile(parts: parts).encoded())
    let wrong: [(bytes: [UInt8], code: String)] = [
      ([], "no-express"), (old, "express-stale"), (other, "express-differs"),
      (Array(right.dropLast(9)), "express-invalid"),
    ]
    for (bytes, code) in wrong {
      try durablyReplaceFile(at: "\(feed.feed)/\(FeedLayout.express)", with: bytes)
      #expect(try await findings(feed) == [code])
      _ = try await feed.publisher.refresh(signers: [try signer(2)])
      #expect(try feed.read(FeedLayout.express) == right)
    }
    #expect(try await findings(feed) == [])
  }
}
