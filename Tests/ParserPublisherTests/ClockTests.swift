import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// A CI machine with a dead battery, a laptop that woke up in another year, a variable that was set by hand.
@Suite("The clock of a publisher")
struct ClockTests {
  private let trusts = [true, false]

  /// Every verb that dates or signs a feed.
  private func verbs(_ feed: StoryFeed) throws -> [(String, (Publisher) async throws -> Void)] {
    let signers = try feed.signers
    var verbs: [(String, (Publisher) async throws -> Void)] = [
      ("publish", { _ = try await $0.publish(try feed.request("next")) }),
      ("rollback", { _ = try await $0.rollback(RollbackRequest(signers: signers)) }),
    ]
    guard feed.isSigned else { return verbs }
    let key = try signer(3).publicKey
    verbs += [
      ("refresh", { _ = try await $0.refresh(signers: signers) }),
      ("root prepare", { _ = try await $0.prepareRoot([.add(key, to: [.targets])]) }),
      (
        "key add",
        { _ = try await $0.changeRoot([.add(key, to: [.targets])], signers: [try signer(1)] + signers) }
      ),
    ]
    return verbs
  }

  @Test("B81: a clock behind what is signed and live dates and signs nothing, whatever the verb")
  func behind() async throws {
    for signed in trusts {
      let feed = try await StoryFeed(signed: signed)
      for marker in ["one", "two"] { try await feed.publish(marker) }
      let before = try listTree(feed.feed)
      let late = feed.now.advanced(bySeconds: -3 * 86_400)
      for (name, verb) in try verbs(feed) {
        let refused = try #require(
          await problem { try await verb(Publisher(feed: feed.feed) { late }) }, "\(name)")
        #expect(refused.code == .clockImplausible, "\(name): \(refused)")
        #expect(refused.message.contains("3 days later") && refused.advice?.contains("--allow-clock") == true)
      }
      #expect(try listTree(feed.feed) == before)
      // A few minutes are the difference of two honest clocks.
      let close = feed.now.advanced(bySeconds: -240)
      _ = try await Publisher(feed: feed.feed) { close }.publish(try feed.request("three"))
    }
  }

  @Test("B81: a clock in 1970 never signs, allowed or not")
  func beforeTheTool() async throws {
    let start = Timestamp(secondsSinceEpoch: 1000)
    for signed in trusts {
      let feed = try await StoryFeed(signed: signed)
      for (name, verb) in try verbs(feed) {
        var publisher = Publisher(feed: feed.feed) { start }
        publisher.allowsClock = true
        #expect(await problem { try await verb(publisher) }?.code == .clockImplausible, "\(name)")
      }
    }
    let folder = try TemporaryDirectory()
    var request = InitRequest(
      directory: folder.path("feed"),
      trust: .signed(rootSigners: [try signer(1)], releaseSigners: [try signer(2)]), date: start)
    request.allowsClock = true
    let asked = request
    #expect(await problem { _ = try await Publisher.initialise(asked) }?.code == .clockImplausible)
    #expect(try listTree(folder.path) == [])
  }

  @Test(
    "B81: a clock far ahead of the feed's own host is refused; a host that is silent or close changes nothing"
  )
  func host() async throws {
    let base = try WebAddress("https://parsers.example/feed/")
    for signed in trusts {
      let feed = try await StoryFeed(signed: signed, baseURL: base)
      for marker in ["one", "two"] { try await feed.publish(marker) }
      feed.wait(days: 40)
      let right = feed.now.advanced(bySeconds: -40 * 86_400)
      for (name, verb) in try verbs(feed) {
        var publisher = feed.publisher
        publisher.hostClock = HostClock { asked in asked == base ? right : nil }
        let refused = await problem { try await verb(publisher) }
        #expect(refused?.code == .clockImplausible, "\(name)")
        #expect(refused?.message.contains("40 days ahead of parsers.example") == true, "\(name)")
      }
      var publisher = feed.publisher
      publisher.hostClock = HostClock { _ in nil }
      _ = try await publisher.publish(try feed.request("three"))
      let close = feed.now.advanced(bySeconds: 3600)
      publisher.hostClock = HostClock { _ in close }
      _ = try await publisher.publish(try feed.request("four"))
    }
  }

  @Test("a dry run and a feed without an address ask nobody; a publish asks once")
  func requests() async throws {
    let count = Mutex(0)
    for (base, dry, expected) in [
      ("https://parsers.example/", true, 0), ("https://parsers.example/", false, 1), (nil, false, 0),
    ] as [(String?, Bool, Int)] {
      count.withLock { $0 = 0 }
      let feed = try await StoryFeed(signed: true, baseURL: try base.map { try WebAddress($0) })
      var publisher = feed.publisher
      publisher.hostClock = HostClock { _ in
        count.withLock { $0 += 1 }
        return nil
      }
      _ = try await publisher.publish(try feed.request("one") { $0.dryRun = dry })
      #expect(count.withLock { $0 } == expected)
    }
  }

  @Test("the host's time comes from one HEAD request; what a cache holds has grown older")
  func http() async throws {
    let server = try LoopbackServer { _ in
      HTTPReply(
        head: HTTPReply.head(
          404, ["Date": "Thu, 28 May 2026 20:26:40 GMT", "Age": "3600", "Content-Length": "0"]), steps: [],
        keepsAlive: false)
    }
    defer { server.stop() }
    let time = await HostClock.http.time(try WebAddress(server.url + "feed/"))
    #expect(time == TestFeed.date.advanced(bySeconds: 3600))
    #expect(server.requests.map { "\($0.method) \($0.target)" } == ["HEAD /feed/manifest.json"])
    server.stop()
    #expect(await HostClock.http.time(try WebAddress(server.url)) == nil)
  }

  @Test("HTTP dates are read in their one form")
  func httpDates() {
    #expect(Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")?.description == "1994-11-06T08:49:37Z")
    for text in [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    ] {
      #expect(Timestamp(httpDate: text) == nil, "\(text)")
    }
  }

  @Test("S2: a date ahead of the clock is refused, from whatever variable it came")
  func givenDate() async throws {
    for signed in trusts {
      let feed = try await StoryFeed(signed: signed)
      try await feed.publish("one")
      let ahead = feed.now.advanced(bySeconds: 2 * 86_400)
      let refused = await problem { try await feed.publish("two") { $0.date = ahead } }
      #expect(refused?.code == .clockImplausible && refused?.message.contains("2 days ahead") == true)
      // The date of a commit is past, and fine.
      let past = feed.now.advanced(bySeconds: -20 * 86_400)
      #expect(try await feed.publish("two") { $0.date = past }.released == past)
    }
  }

  @Test("B81: after one release with an allowed clock, the wrong date counts no more")
  func wayBack() async throws {
    for signed in trusts {
      let feed = try await StoryFeed(signed: signed)
      try await feed.publish("one")
      let far = feed.now.advanced(bySeconds: 40 * 86_400)
      _ = try await Publisher(feed: feed.feed) { far }.publish(try feed.request("two"))
      #expect(await problem { try await feed.publish("three") }?.code == .clockImplausible)
      var publisher = feed.publisher
      publisher.allowsClock = true
      let healed = try await publisher.publish(try feed.request("three")).manifest
      #expect(healed.allowed.contains("clock-implausible") && healed.released == feed.now)
      feed.wait(minutes: 10)
      let next = try await feed.publish("four")
      #expect(!next.allowed.contains("clock-implausible"))
      // A roll back to it does not carry the word along.
      feed.wait(minutes: 10)
      #expect(try await !feed.rollback().allowed.contains("clock-implausible"))
    }
  }

  @Test("verify names dates ahead of the clock: live ones as errors, old ones as warnings")
  func audit() async throws {
    for signed in trusts {
      let feed = try await StoryFeed(signed: signed)
      try await feed.publish("one")
      let far = feed.now.advanced(bySeconds: 40 * 86_400)
      _ = try await Publisher(feed: feed.feed) { far }.publish(try feed.request("two"))
      func findings() async throws -> [AuditFinding] {
        let root = signed ? try readFile(at: "\(feed.feed)/metadata/1.root.json", maxBytes: 1 << 20) : nil
        return try await Publisher.audit(FeedReader(.directory(feed.feed)), root: root, now: feed.now)
          .findings
      }
      let live = try await findings().filter { $0.code == "dated-ahead" }
      #expect(live.map(\.severity) == (signed ? [.error, .error] : [.error]))
      var publisher = feed.publisher
      publisher.allowsClock = true
      _ = try await publisher.publish(try feed.request("three"))
      #expect(try await findings().filter { $0.code == "dated-ahead" }.map(\.severity) == [.warning])
    }
  }

  // MARK: Numbers

  @Test("B86: no option publishes a number near the end of all numbers", arguments: [true, false])
  func cap(signed: Bool) async throws {
    let feed = try await StoryFeed(signed: signed)
    try await feed.publish("one")
    for number in [ReleaseVersion.maximum.number, 1_000_000_000_000_000] {
      let refused = await problem {
        try await feed.publish("two") {
          $0.version = version(number)
          $0.allowsVersionJump = true
        }
      }
      #expect(refused?.code == .versionRefused && refused?.message.contains("999999999999999") == true)
    }
    let largest = try await feed.publish("two") {
      $0.tag = "v999999999.999.999"
      $0.allowsVersionJump = true
    }
    #expect(largest.version.number == 999_999_999_999_999)
    #expect(try await feed.audit() == [])
    // There is room for the releases after a slip, and verify says what happened.
    #expect(try await feed.publish("three").version.number == 1_000_000_000_000_000)
    #expect(try await feed.audit() == ["number-too-high"])
  }

  // MARK: Announced versions

  @Test("B48: a bundle that announces another number than its release is warned about, and never silent")
  func announced() {
    func severities(_ announced: String?, _ release: Int64?) -> [Finding.Severity] {
      AnnouncedVersionCheck(bundleName: "b.js", version: release.map(version)).findings(announced).map(
        \.severity)
    }
    #expect(severities(nil, 36) == [] && severities("", 36) == [])
    #expect(severities("36", 36) == [] && severities("v2.6", 2_006_000) == [])
    #expect(severities("35", 36) == [.warning] && severities("1.0.0", 36) == [.warning])
    #expect(severities("36", nil) == [.note])
  }
}
