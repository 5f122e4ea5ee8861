import OTAFeed
import OTAManifest
import ParserPublisher
import Testing
import TestSupport

@Suite struct RollbackTests {
  private func feed(_ markers: [String]) async throws -> TestFeed {
    let feed = try await TestFeed()
    for marker in markers { try await feed.publish(marker) }
    return feed
  }

  @Test("a roll back is the next version with the content before, and writes manifests only")
  func basic() async throws {
    let feed = try await feed(["one", "two"])
    let first = try #require(try await feed.publisher.releases().last)
    let plan = try await feed.publisher.planRollback(RollbackRequest())
    #expect(plan.live == version(2) && plan.target == version(1) && plan.next == version(3))
    #expect(plan.withdrawn == [version(2)])
    let before = try feed.tree()
    let report = try await feed.publisher.rollback(RollbackRequest(reason: "it broke"))
    #expect(report.manifest.version == plan.next && report.manifest.content == plan.target)
    #expect(report.manifest.withdrawn == plan.withdrawn && report.manifest.notes == "it broke")
    #expect(report.manifest.bundle == first.bundle && report.manifest.sources == first.sources)
    #expect(report.manifest.parentVersion == version(2))
    #expect(
      report.writtenFiles.allSatisfy { $0.hasSuffix("manifest.json") } && report.writtenFiles.count == 2)
    #expect(try feed.tree().count == before.count + 1)
    #expect(try await feed.checkAsClient() == report.manifest)
  }

  @Test(
    "asking writes nothing: a plan, a dry run and a list leave the feed as it is, without its lock too"
  )
  func readOnly() async throws {
    let feed = try await feed(["one", "two"])
    try run("/bin/rm", ["\(feed.feed)/.parser-ota/lock"]).expectSuccess()
    let before = try feed.tree()
    _ = try await feed.publisher.planRollback(RollbackRequest())
    #expect(try await feed.publisher.rollback(RollbackRequest(dryRun: true)).outcome == .wouldPublish)
    #expect(try await feed.publisher.releases().count == 2)
    _ = try await Publisher.audit(.directory(feed.feed), allowsPlainHTTPOnLoopback: false)
    #expect(try await feed.publish("two").outcome == .nothingToPublish)
    #expect(try feed.tree() == before)
  }

  @Test("a second roll back goes further back, past what was withdrawn, and withdrawals are carried on")
  func again() async throws {
    let feed = try await feed(["one", "two", "three"])
    let first = try await feed.publisher.rollback(RollbackRequest()).manifest
    #expect(first.content == version(2) && first.notes == "roll back to 2")
    let second = try await feed.publisher.rollback(RollbackRequest(to: version(1))).manifest
    #expect(second.content == version(1) && second.version == version(5))
    #expect(second.withdrawn.map(\.number) == [2, 3, 4])
    let next = try await feed.publish("four").manifest
    #expect(next.withdrawn == second.withdrawn)
    #expect(try await feed.publisher.releases().filter(\.isWithdrawn).map(\.version.number) == [4, 3, 2])
  }

  @Test("a roll back to a roll back names the release that first had the content")
  func contentNumber() async throws {
    let feed = try await feed(["one", "two"])
    _ = try await feed.publisher.rollback(RollbackRequest())
    try await feed.publish("three")
    let report = try await feed.publisher.rollback(RollbackRequest())
    #expect(report.manifest.content == version(1) && report.manifest.version == version(5))
    #expect(report.manifest.withdrawn.map(\.number) == [2, 4])
  }

  @Test("a named target must be on the feed and be other content; the refusal lists what there is")
  func named() async throws {
    let feed = try await feed(["one", "two", "three"])
    let missing = await problem { _ = try await feed.publisher.rollback(RollbackRequest(to: version(9))) }
    #expect(missing?.code == .noSuchRelease)
    #expect(missing?.message.contains("available: 3, 2, 1") == true)
    let same = await problem { _ = try await feed.publisher.rollback(RollbackRequest(to: version(3))) }
    #expect(same?.code == .nothingToRollBackTo)
    let beta = try #require(Channel("beta"))
    try await feed.publish("four") { $0.channel = beta }
    #expect(
      await problem { _ = try await feed.publisher.rollback(RollbackRequest(to: version(4))) }?.code
        == .noSuchRelease)
    let report = try await feed.publisher.rollback(RollbackRequest(to: version(1)))
    #expect(report.manifest.version == version(5) && report.manifest.withdrawn.map(\.number) == [2, 3])
  }

  @Test(
    "nothing older is an answer, not a crash: in an empty feed, in an empty channel and after one release")
  func nothingOlder() async throws {
    let feed = try await TestFeed()
    func code() async -> ProblemCode? {
      await problem { _ = try await feed.publisher.rollback(RollbackRequest()) }?.code
    }
    #expect(await code() == .nothingToRollBackTo)
    try await feed.publish("one")
    #expect(await code() == .nothingToRollBackTo)
    try await feed.publish("one") { $0.contract = 2 }
    #expect(await code() == .nothingToRollBackTo)
  }

  @Test("the target's demands come back with its content; aliases stay as far as they lead somewhere")
  func demandsAndAliases() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one", ids: ["A", "X"]) { $0.contract = 4 }
    try await feed.publish("two", ids: ["B", "X"]) {
      $0.contract = 5
      $0.aliases = [SourceAlias(old: "A", new: "B"), SourceAlias(old: "OLD_X", new: "X")]
    }
    let report = try await feed.publisher.rollback(RollbackRequest(to: version(1)))
    #expect(report.manifest.contract == 4)
    #expect(report.manifest.aliases == [SourceAlias(old: "OLD_X", new: "X")])
    #expect(report.diff?.added.map(\.text) == ["A"] && report.diff?.removed.map(\.text) == ["B"])
  }

  @Test("content that is gone cannot be rolled back to; a live catalog that is gone does not stop it")
  func missingContent() async throws {
    let feed = try await TestFeed()
    let first = try await feed.publish("one").manifest
    let second = try await feed.publish("two", ids: ["ABC", "DEF", "GHI"]).manifest
    func remove(_ artifact: Artifact) throws {
      #expect(try run("/bin/rm", ["\(feed.feed)/\(artifact.location.text)"]).status == .exited(0))
    }
    try remove(second.sources)
    #expect(try await feed.publisher.rollback(RollbackRequest(dryRun: true)).outcome == .wouldPublish)
    try remove(first.bundle)
    let refused = await problem { _ = try await feed.publisher.rollback(RollbackRequest()) }
    #expect(refused?.code == .feedIncomplete)
    #expect(refused?.message.contains(first.bundle.location.text) == true)
    #expect(try feed.live() == second)
  }
}
