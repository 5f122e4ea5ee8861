import Glibc
import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import TestSupport
import Testing

/// Somebody undoes a release at midnight, once too often, or brings back what was undone.
@Suite("Undoing in a hurry")
struct UndoTests {
  private func feed(_ signed: Bool, _ markers: [String]) async throws -> StoryFeed {
    let feed = try await StoryFeed(signed: signed)
    for marker in markers { try await feed.publish(marker) }
    return feed
  }

  // MARK: D5

  @Test(
    "D5: a second roll back by impatience is refused, and the good release stays", arguments: [true, false])
  func impatience(signed: Bool) async throws {
    let feed = try await feed(signed, ["one", "two", "three", "four"])
    #expect(try await feed.rollback().content == version(3))
    feed.wait(minutes: 20)
    let refused = try #require(await problem { try await feed.rollback() })
    #expect(refused.code == .rollbackAgain)
    #expect(refused.message.contains("release 5") && refused.message.contains("release 2"))
    #expect(refused.message.contains("20 min ago") && refused.advice?.contains("--to 2") == true)
    #expect(await problem { try await feed.rollback { $0.dryRun = true } }?.code == .rollbackAgain)
    #expect(try feed.live().content == version(3) && feed.live().withdrawn == [version(4)])
    #expect(try await feed.rollback(to: 2).content == version(2))
    #expect(try await feed.audit() == [])
  }

  @Test("D5: an hour later a second roll back goes through without a name", arguments: [true, false])
  func later(signed: Bool) async throws {
    let feed = try await feed(signed, ["one", "two", "three"])
    try await feed.rollback()
    feed.wait(minutes: 61)
    #expect(try await feed.rollback().content == version(1))
  }

  @Test("D5: a fixed date does not make the first roll back look old")
  func fixedDate() async throws {
    let feed = try await feed(false, ["one", "two", "three"])
    feed.wait(days: 3)
    let commit = feed.now.advanced(bySeconds: -7200)
    try await feed.rollback { $0.date = commit }
    #expect(await problem { try await feed.rollback { $0.date = commit } }?.code == .rollbackAgain)
  }

  @Test("D5: a roll back that would lose sources must be named; an alias that leads on is no loss")
  func droppedSources() async throws {
    for signed in [true, false] {
      let feed = try await StoryFeed(signed: signed)
      try await feed.publish("one", ids: ["ABC"])
      try await feed.publish("two", ids: ["ABC", "NEW", "NEWER"])
      let refused = try #require(await problem { try await feed.rollback() })
      #expect(refused.code == .rollbackDropsSources)
      #expect(refused.message.contains("release 1 lacks 2 sources of release 2: NEW, NEWER"))
      let plan = try await feed.publisher.planRollback(RollbackRequest())
      #expect(plan.target == version(1) && plan.cautions.map(\.code) == [.rollbackDropsSources])
      #expect(try await feed.publisher.planRollback(RollbackRequest(to: version(1))).cautions == [])
      #expect(try await feed.rollback(to: 1).content == version(1))
    }
  }

  // MARK: D6

  @Test("D6: a job that runs again does not bring withdrawn bytes back", arguments: [true, false])
  func jobAgain(signed: Bool) async throws {
    let feed = try await feed(signed, ["one", "bad"])
    try await feed.rollback()
    let refused = try #require(await problem { try await feed.publish("bad") })
    #expect(refused.code == .withdrawnContent && refused.message.contains("release 2"))
    try await feed.publish("three")
    #expect(await problem { try await feed.publish("bad") }?.code == .withdrawnContent)
    let allowed = try await feed.publish("bad") {
      $0.gate.allowances.append(Allowance(.withdrawnContent, "2"))
    }
    #expect(allowed.allowed.contains("withdrawn-content:2"))
    #expect(allowed.version == version(5) && allowed.withdrawn == [], "it would withdraw its own content")
    #expect(try await feed.audit() == [])
  }

  @Test("D6: an allowance for another release lets nothing through")
  func otherAllowance() async throws {
    let feed = try await feed(false, ["one", "bad", "worse"])
    try await feed.rollback(to: 1)
    let refused = await problem {
      try await feed.publish("bad") { $0.gate.allowances.append(Allowance(.withdrawnContent, "3")) }
    }
    #expect(refused?.code == .withdrawnContent)
    let manifest = try await feed.publish("bad") { $0.gate.allowances.append(Allowance(.withdrawnContent)) }
    #expect(manifest.withdrawn == [version(3)], "what was not allowed stays withdrawn")
  }

  @Test("D6: content that was withdrawn on one channel does not go out on another")
  func otherChannel() async throws {
    let beta = try #require(Channel("beta"))
    let feed = try await feed(false, ["one"])
    try await feed.publish("two") { $0.channel = beta }
    try await feed.publish("bad") { $0.channel = beta }
    try await feed.rollback { $0.channel = beta }
    #expect(await problem { try await feed.publish("bad") }?.code == .withdrawnContent)
  }

  @Test(
    "D6: check names withdrawn content like publish does, in a folder, whatever the trust",
    arguments: [true, false])
  func check(signed: Bool) async throws {
    let feed = try await StoryFeed(
      signed: signed, start: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()))
    for marker in ["one", "bad"] { try await feed.publish(marker) }
    try await feed.rollback()
    try await feed.publish("three")
    let files = try feed.request("bad")
    var request = CheckRequest(bundlePath: files.bundlePath, sourcesPath: files.sourcesPath)
    request.against = CheckRequest.Feed(.directory(feed.feed), trust: nil)
    let report = try await ReleaseGate().check(request)
    #expect(report.refusals.map(\.code) == [.withdrawnContent])
    #expect(report.refusals.first?.allowanceText == "withdrawn-content:2")
    let allowed = try await ReleaseGate(allowances: [Allowance(text: "withdrawn-content:2")]).check(request)
    #expect(!allowed.isRefused)
    let other = try feed.request("four")
    (request.bundlePath, request.sourcesPath) = (other.bundlePath, other.sourcesPath)
    #expect(try await !ReleaseGate().check(request).isRefused)
  }

  @Test(
    "D6: content that was withdrawn does not go out again when its release is kept no longer",
    arguments: [true, false])
  func notKept(signed: Bool) async throws {
    let feed = try await StoryFeed(
      signed: signed, keptReleases: 2, start: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()))
    for marker in ["one", "bad"] { try await feed.publish(marker) }
    try await feed.rollback()
    for marker in ["three", "four", "five"] { try await feed.publish(marker) }
    #expect(try await feed.publisher.releases().map(\.version.number) == [6, 5])
    let refused = try #require(await problem { try await feed.publish("bad") })
    #expect(refused.code == .withdrawnContent && refused.message.contains("release 2"))
    let files = try feed.request("bad")
    var request = CheckRequest(bundlePath: files.bundlePath, sourcesPath: files.sourcesPath)
    request.against = CheckRequest.Feed(.directory(feed.feed), trust: nil)
    #expect(try await ReleaseGate().check(request).refusals.map(\.code) == [.withdrawnContent])
    let allowed = try await feed.publish("bad") {
      $0.gate.allowances.append(Allowance(.withdrawnContent, "2"))
    }
    #expect(allowed.withdrawn == [] && allowed.withdrawnContent == [])
    try await feed.publish("six")
    try await feed.publish("bad")
  }

  @Test("D6: what was withdrawn stays known when its manifest is lost", arguments: [true, false])
  func lostManifest(signed: Bool) async throws {
    let feed = try await feed(signed, ["one", "two", "one"])
    let bad = try feed.live()
    #expect(try await feed.rollback().content == version(2))
    let name = try #require(
      namesInDirectory("\(feed.feed)/files/releases/3").first { $0.hasSuffix(".manifest.json") })
    unlink("\(feed.feed)/files/releases/3/\(name)")
    feed.wait(minutes: 90)
    // Release 1 has the files of release 3.
    #expect(await problem { try await feed.rollback() }?.code == .nothingToRollBackTo)
    #expect(await problem { try await feed.rollback(to: 1) }?.code == .withdrawnContent)
    #expect(await problem { try await feed.publish("one") }?.code == .withdrawnContent)
    let next = try await feed.publish("four")
    #expect(next.withdrawnContent == [WithdrawnContent(version: version(3), pair: bad.pair)])
  }

  @Test("D6: a withdrawn release comes back by name and by permission only", arguments: [true, false])
  func rollbackToWithdrawn(signed: Bool) async throws {
    let feed = try await feed(signed, ["one", "two", "three"])
    try await feed.rollback(to: 1)
    let refused = try #require(await problem { try await feed.rollback(to: 2) })
    #expect(refused.code == .withdrawnContent && refused.message.contains("release 2 was withdrawn"))
    #expect(refused.advice?.contains("--allow-withdrawn") == true)
    let back = try await feed.rollback(to: 2) { $0.allowsWithdrawn = true }
    #expect(back.content == version(2) && back.version == version(5))
    #expect(back.withdrawn.map(\.number) == [3, 4] && back.allowed.contains("withdrawn-content:2"))
    #expect(try await feed.audit() == [])
  }

  @Test("D6: the content of a withdrawn release under another number counts as withdrawn")
  func twin() async throws {
    let feed = try await feed(false, ["one", "two"])
    try await feed.publish("one")
    try await feed.publish("three")
    // 1 and 3 are the same files; going from 4 to 2 withdraws 3 and 4.
    try await feed.rollback(to: 2)
    let refused = try #require(await problem { try await feed.rollback(to: 1) })
    #expect(refused.code == .withdrawnContent && refused.message.contains("content of release 3"))
    feed.wait(minutes: 90)
    #expect(await problem { try await feed.rollback() }?.code == .nothingToRollBackTo)
    let back = try await feed.rollback(to: 1) { $0.allowsWithdrawn = true }
    #expect(back.withdrawn.map(\.number) == [2, 4, 5], "neither 1 nor 3 is withdrawn any more")
  }

  @Test("D6: a roll back past a release with the content of its target does not withdraw that content")
  func ownContent() async throws {
    let feed = try await feed(false, ["one", "two"])
    try await feed.publish("one")
    try await feed.publish("three")
    #expect(try await feed.rollback(to: 1).withdrawn.map(\.number) == [2, 4])
  }

  // MARK: Notes

  @Test("notes of nothing but white space are no notes", arguments: ["", "  ", "\n\t", "\u{3000}"])
  func emptyNotes(text: String) async throws {
    let feed = try await feed(false, ["one"])
    #expect(try await feed.publish("two") { $0.notes = text }.notes == nil)
    #expect(try await feed.rollback { $0.reason = text }.notes == "roll back to 1")
  }
}
