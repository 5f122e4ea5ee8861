import OTAFeed
import OTAManifest
import OTATransfer
import OTATrust
import Testing
import TrustFixtures

/// What a client of a signed feed makes of hosts that never say that a file is not there, and of those that drip.
@Suite("Hosts of a signed feed")
struct HostTests {
  private let shipped: TestFeed
  private let network: FeedInMemory
  private let store = StoreInMemory()

  init() throws {
    shipped = try TestFeed()
    network = FeedInMemory(try shipped.published())
  }

  private func client(budget: Duration = .seconds(60)) throws -> TUFClient {
    try TUFClient(
      repository: TUFRepository(
        fetcher: network, metadataBase: FeedInMemory.base + "metadata",
        targetsBase: FeedInMemory.base + "files/", budget: budget),
      store: store, shippedRoot: shipped.rootBytes(), now: TestFeed.now)
  }

  private func refresh(_ client: TUFClient? = nil) async throws -> (client: TUFClient, problem: Problem?) {
    var client = try client ?? self.client()
    do {
      try await client.refresh()
      return (client, nil)
    } catch {
      return (client, error)
    }
  }

  /// What hosts send for files that are not there; each with something of the path in it, as a template has.
  static let fallbacks: [String: @Sendable (String) -> [UInt8]] = [
    "a page": { _ in Array("<!doctype html><title>App</title>".utf8) },
    "a page with the path": { path in Array("\n<html><body data-path='\(path)'>".utf8) },
    "nothing": { _ in [] },
    "an error as JSON": { path in Array(#"{"error":"not found","path":"\#(path)"}"#.utf8) },
    "a sentence": { _ in Array("Not Found\n".utf8) },
  ]

  @Test("N31: a host that answers every file has no next root", arguments: fallbacks.keys.sorted())
  func fallback(kind: String) async throws {
    network.answerEverything(Self.fallbacks[kind])
    let (client, problem) = try await refresh()
    #expect(problem == nil && client.answersEverything)
    let asked = network.takeRequests()
    #expect(asked.first == "metadata/2.root.json" && asked[1].hasSuffix(".root.json"))
    #expect(asked.dropFirst(2).allSatisfy { !$0.hasSuffix(".root.json") })
    // A root that is there is found all the same.
    var feed = shipped
    feed.rootVersion = 2
    network.publish(["metadata/2.root.json": try feed.rootBytes(alsoBy: shipped.root.keys)])
    #expect(try await refresh().client.root.version == 2)
  }

  @Test("N31: a page for the next root alone is no end of the chain: another answer may come next time")
  func pageForOneName() async throws {
    network.publish(["metadata/2.root.json": Array("<html>maintenance".utf8)])
    let (client, problem) = try await refresh()
    #expect(problem?.code == .htmlInstead && !client.answersEverything)
    network.publish(["metadata/2.root.json": Array("{}".utf8)])
    #expect(try await refresh().problem?.code == .trustMalformed)
    #expect(store.takeWrites().isEmpty)
  }

  @Test("N31: a forged root is refused on a host that answers everything too")
  func forgedRoot() async throws {
    network.answerEverything(Self.fallbacks["a page"])
    var other = try TestFeed()
    other.root = try TestFeed.Signers(90)
    other.rootVersion = 2
    network.publish(["metadata/2.root.json": try other.rootBytes()])
    #expect(try await refresh().problem?.code == .trustSignature)
  }

  @Test("N31: a login page in place of all files is no end either, and says both that it may be")
  func portal() async throws {
    let empty = FeedInMemory()
    empty.answerEverything(Self.fallbacks["a page"])
    var client = try TUFClient(
      repository: TUFRepository(
        fetcher: empty, metadataBase: FeedInMemory.base + "metadata",
        targetsBase: FeedInMemory.base + "files/"),
      store: store, shippedRoot: shipped.rootBytes(), now: TestFeed.now)
    do {
      try await client.refresh()
      Issue.record("a page was taken for a timestamp")
    } catch {
      #expect(error.code == .htmlInstead && error.code.responsibility == .tryLater)
      #expect(error.message.contains("timestamp.json") && error.advice?.contains("404.html") == true)
    }
  }

  @Test("4a: all metadata of a run shares one budget of time, and what was verified is kept")
  func budget() async throws {
    var feed = shipped
    for version: Int64 in 2...9 {
      feed.rootVersion = version
      network.publish(["metadata/\(version).root.json": try feed.rootBytes()])
    }
    network.takeTime(.seconds(10))
    let (client, problem) = try await refresh(try client(budget: .seconds(45)))
    #expect(problem?.code == .timedOut)
    #expect(problem?.message == "the signed metadata took longer than 45 s in all")
    #expect(network.takeRequests().count == 5 && client.root.version == 6)
    // The next run goes on from the sixth root.
    #expect(try await refresh(try self.client(budget: .seconds(90))).problem == nil)
  }
}

@Suite("Pauses that servers ask for")
struct RetryAfterTests {
  private let now = Timestamp("2026-11-30T22:00:00Z") ?? Timestamp(secondsSinceEpoch: 0)

  @Test(
    "B76: seconds and dates are understood, the longest pause is a day, and nonsense is none",
    arguments: [
      ("60", 60), (" 5", 5), ("0", 0), ("99999999999999999999", 86_400), ("3600000", 86_400),
      ("Mon, 30 Nov 2026 22:10:00 GMT", 600), ("Sat, 30 Nov 2096 22:00:00 GMT", 86_400),
      ("Sun, 06 Nov 1994 08:49:37 GMT", -1_011_964_223), ("soon", nil), ("-5", nil), ("", nil), ("1.5", nil),
      ("Mon, 30 Foo 2026 22:10:00 GMT", nil), ("Mon, 30 Nov 2026 22:10:00 CET", nil),
    ] as [(String, Int64?)])
  func values(text: String, seconds: Int64?) {
    let end = RetryAfter.end(text, now: now)
    #expect(end.map { $0.secondsSinceEpoch - now.secondsSinceEpoch } == seconds)
  }
}
