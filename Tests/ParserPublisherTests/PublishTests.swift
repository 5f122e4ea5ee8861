import OTAManifest
import OTAStorage
import ParserPublisher
import Testing
import TestSupport

@Suite struct PublishTests {
  @Test("the first publish makes release 1, which a client can verify")
  func first() async throws {
    let feed = try await TestFeed()
    let report = try await feed.publish("one")
    #expect(report.outcome == .published)
    #expect(report.manifest.version == .first)
    #expect(report.previous == nil && report.diff == nil)
    #expect(report.manifest.parent == nil)
    let live = try await feed.checkAsClient()
    #expect(live == report.manifest)
  }

  @Test("the next release is live + 1, names its parent, and its pointer is a copy of its lasting manifest")
  func second() async throws {
    let feed = try await TestFeed()
    let first = try await feed.publish("one")
    let second = try await feed.publish("two") { $0.notes = "fixes" }
    #expect(second.manifest.version == version(2))
    #expect(second.previous == version(1))
    #expect(second.manifest.parent == first.manifestDigest)
    #expect(second.manifest.parentVersion == version(1))
    let lasting = try feed.read("files/releases/2/\(second.manifestDigest).manifest.json")
    #expect(try feed.read("manifest.json") == lasting)
    try await feed.checkAsClient()
  }

  @Test("B05: unchanged content is nothing to publish; changed content under the live version is refused")
  func versionNotRaised() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let before = try feed.tree()
    let again = try await feed.publish("one")
    #expect(again.outcome == .nothingToPublish && again.writtenFiles.isEmpty)
    #expect(again.manifest.version == .first)
    #expect(try await feed.publish("one") { $0.version = .first }.outcome == .nothingToPublish)
    let refused = await problem { try await feed.publish("two") { $0.version = .first } }
    #expect(refused?.code == .versionRefused)
    #expect(refused?.message.contains("contents changed, version did not") == true)
    #expect(try feed.tree() == before)
  }

  @Test("B05: a clean checkout counts on from the feed, never from 1")
  func cleanCheckout() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let elsewhere = Publisher(feed: feed.feed) { TestFeed.date }
    #expect(try await elsewhere.publish(feed.request("three")).manifest.version == version(3))
  }

  @Test(
    "B05: a live manifest that is missing, a page, cut or foreign stops the publish",
    arguments: [
      (nil, ProblemCode.feedIncomplete), ("<!doctype html><p>502", .manifestInvalid),
      ("{\"version\": 1", .manifestInvalid),
      ("", .manifestInvalid), ("{\"version\": 0}", .manifestInvalid),
    ])
  func unreadableLive(content: String?, code: ProblemCode) async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let path = "\(feed.feed)/manifest.json"
    if let content {
      try durablyReplaceFile(at: path, with: Array(content.utf8))
    } else {
      try Directory.open(feed.feed).remove("manifest.json")
    }
    let before = try feed.tree()
    let refused = await problem { try await feed.publish("two") }
    #expect(refused?.code == code)
    #expect(refused?.message.contains("manifest.json") == true)
    #expect(refused?.advice?.contains("restore") == true)
    #expect(try feed.tree() == before)
  }

  @Test("a folder that nobody initialised is no feed, and says how to make one")
  func notAFeed() async throws {
    let folder = try TemporaryDirectory()
    let feed = try await TestFeed()
    let request = try feed.request("one")
    for path in [folder.path, folder.path("missing")] {
      let refused = await problem { _ = try await Publisher(feed: path) { TestFeed.date }.publish(request) }
      #expect(refused?.code == .notAFeed)
      #expect(refused?.advice?.contains("parser-ota init --feed \(path)") == true)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test(
    "a live catalog or bundle that is gone is named, and never compared as nothing",
    arguments: ["sources", "bundle"])
  func missingLiveFile(kind: String) async throws {
    let feed = try await TestFeed()
    let live = try await feed.publish("one").manifest
    let path = (kind == "sources" ? live.sources : live.bundle).location.text
    #expect(try run("/bin/rm", ["\(feed.feed)/\(path)"]).status == .exited(0))
    let refused = await problem { try await feed.publish(kind == "sources" ? "two" : "one") }
    #expect(refused?.code == .feedIncomplete)
    #expect(refused?.message.contains(path) == true)
  }

  @Test("explicit versions go up only, and far up only when that is meant")
  func explicitVersions() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one") { $0.version = version(100) }
    for (wanted, isAllowed) in [(99, false), (1101, false), (1100, true)] as [(Int64, Bool)] {
      let refused = await problem {
        try await feed.publish("two") {
          $0.version = version(wanted)
          $0.dryRun = true
        }
      }
      #expect(refused?.code == (isAllowed ? nil : .versionRefused), "\(wanted)")
    }
    let report = try await feed.publish("two") {
      $0.version = version(5000)
      $0.allowsVersionJump = true
    }
    #expect(report.manifest.version == version(5000) && report.manifest.parentVersion == version(100))
    #expect(try await feed.publish("three").manifest.version == version(5001))
  }

  @Test(
    "B97: one function turns tags into versions, and a disagreement shows both values with their origin",
    arguments: [("v2.6", 2_006_000), ("v2.10", 2_010_000), ("v2.1.6", 2_001_006), ("v10.0", 10_000_000)])
  func tags(tag: String, number: Int64) async throws {
    let feed = try await TestFeed()
    let refused = await problem {
      try await feed.publish("one") {
        $0.tag = tag
        $0.version = version(7)
      }
    }
    #expect(refused?.code == .versionRefused)
    for part in ["version 7 that was given", "\(number) of the tag \(tag)"] {
      #expect(refused?.message.contains(part) == true)
    }
    let agreed = try await feed.publish("one") {
      $0.tag = tag
      $0.version = version(number)
    }
    #expect(agreed.manifest.version == version(number))
  }

  @Test(
    "B90: versions count up whatever an allowed clock does, and the same inputs at one date give the same bytes"
  )
  func clock() async throws {
    let feed = try await TestFeed()
    var versions: [Int64] = []
    for (marker, seconds) in [("one", 5000), ("two", 5120), ("three", 1520)] as [(String, Int64)] {
      let moment = TestFeed.date.advanced(bySeconds: seconds)
      var publisher = Publisher(feed: feed.feed) { moment }
      publisher.allowsClock = true
      let report = try await publisher.publish(try feed.request(marker) { $0.date = nil })
      #expect(report.manifest.released == moment)
      versions.append(report.manifest.version.number)
    }
    #expect(versions == [1, 2, 3])

    let feeds = [try await TestFeed(), try await TestFeed()]
    for (index, feed) in feeds.enumerated() {
      let publisher = Publisher(feed: feed.feed) { TestFeed.date.advanced(bySeconds: Int64(index) * 3600) }
      for marker in ["one", "two"] { _ = try await publisher.publish(try feed.request(marker)) }
      _ = try await publisher.rollback(RollbackRequest(date: TestFeed.date))
    }
    let difference = try run("/usr/bin/diff", ["-r", feeds[0].feed, feeds[1].feed])
    #expect(difference.status == .exited(0), "\(difference.output)")
  }

  @Test("a dry run tells what would be published and writes nothing")
  func dryRun() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let before = try feed.tree()
    let planned = try await feed.publish("two", ids: ["ABC", "DEF", "GHI"]) { $0.dryRun = true }
    #expect(planned.outcome == .wouldPublish && planned.writtenFiles.isEmpty)
    #expect(planned.diff?.added.map(\.text) == ["GHI"])
    #expect(try feed.tree() == before)
    let done = try await feed.publish("two", ids: ["ABC", "DEF", "GHI"])
    #expect(done.manifestDigest == planned.manifestDigest)
  }

  @Test("bytes that are on the feed keep their first path and are not written again")
  func reuse() async throws {
    let feed = try await TestFeed()
    let first = try await feed.publish("one")
    let second = try await feed.publish("two")
    #expect(second.manifest.sources.location == first.manifest.sources.location)
    #expect(second.writtenFiles.count == 3)
    let third = try await feed.publish("one")
    #expect(third.outcome == .published)
    #expect(third.manifest.bundle == first.manifest.bundle)
    #expect(third.writtenFiles.count == 2)
    try await feed.checkAsClient()
  }

  @Test("with a base URL, manifests carry absolute addresses, also of files from before it was set")
  func baseURL() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    _ = try await Publisher.initialise(
      InitRequest(directory: feed.feed, baseURL: try WebAddress("https://feed.example/parsers/manifest.json"))
    )
    let second = try await feed.publish("two").manifest
    #expect(
      second.bundle.location.text
        == "https://feed.example/parsers/files/releases/2/\(second.bundle.sha256).parsers.bundle.js")
    #expect(
      second.sources.location.text
        == "https://feed.example/parsers/files/releases/1/\(second.sources.sha256).sources.json")
    #expect(try await feed.publish("three").manifest.sources.location == second.sources.location)
    try await feed.checkAsClient()
  }

  @Test("channels have pointers of their own and share one sequence of versions")
  func channels() async throws {
    let feed = try await TestFeed()
    let beta = try #require(Channel("beta"))
    try await feed.publish("one")
    let second = try await feed.publish("two") { $0.channel = beta }
    #expect(second.manifest.version == version(2) && second.manifest.parentVersion == version(1))
    #expect(second.previous == nil && second.writtenFiles.last == "channels/beta/manifest.json")
    #expect(try feed.live().version == version(1))
    let third = try await feed.publish("two")
    #expect(third.manifest.version == version(3) && third.manifest.bundle == second.manifest.bundle)
    let releases = try await feed.publisher.releases()
    #expect(releases.map(\.version.number) == [3, 2, 1])
    #expect(releases.map(\.isLive) == [true, true, false])
    #expect(releases.map(\.channel) == [.stable, beta, .stable])
    try await feed.checkAsClient()
  }

  @Test("what apps must have is part of the content; a demand that gets lost is warned about")
  func demands() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one") { $0.contract = 5 }
    #expect(try await feed.publish("one") { $0.contract = 5 }.outcome == .nothingToPublish)
    let next = try await feed.publish("one") { $0.minimumAppVersion = AppVersion("2.1") }
    #expect(next.outcome == .published)
    #expect(next.warnings == ["release 1 needs contract 5, and this one names none"])
    #expect(try feed.live().minimumAppVersion == AppVersion("2.1.0"))
  }
}
