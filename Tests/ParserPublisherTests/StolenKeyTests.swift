import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// A thief with the release key, and an honest rotation with the root key: what the publisher's side does about it.
@Suite("S1, S2: stolen, used, rotated, healed")
struct StolenKeyTests {
  /// Publishes with the number and date that a thief chooses.
  private func publish(_ feed: SignedFeed, number: Int64) async throws {
    try await feed.publish("evil") { request in
      request.version = version(number)
      request.allowsVersionJump = true
    }
  }

  private func rotate(
    _ feed: SignedFeed, discarding: Set<ReleaseVersion> = [], signers: [UInt8] = [1, 5]
  ) async throws -> RootReport {
    let outcome = try await feed.publisher.changeRoot(
      [.replace(keyID: try signer(2).publicKey.metadataID(), with: try signer(5).publicKey, in: .release)],
      signers: try signers.map(signer), date: TestFeed.date, discarding: discarding)
    guard case .committed(let report) = outcome else { throw Unexpected() }
    return report
  }

  private func expectWhole(_ feed: SignedFeed) async throws {
    let report = try await Publisher.audit(
      FeedReader(.directory(feed.feed)), root: try feed.read("metadata/1.root.json"),
      now: feed.now.withLock { $0 })
    #expect(report.findings.isEmpty, "\(report.findings)")
  }

  @Test("a rotation begins an epoch by itself and says so; a key that is added does not")
  func epochs() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let added = try await feed.publisher.changeRoot(
      [.add(try signer(4).publicKey, to: .release)], signers: [try signer(1), try signer(2)],
      date: TestFeed.date)
    guard case .committed(let first) = added else { throw Unexpected() }
    #expect(!first.changes.contains { $0.hasPrefix("epoch") })
    #expect(try await feed.publisher.liveRoot().epoch == 1)
    let report = try await rotate(feed)
    #expect(report.changes.contains { $0.hasPrefix("epoch 2 begins") })
    #expect(try await feed.publisher.keys().epoch == 2)
    // The same command again finds its work done.
    #expect(try await rotate(feed).changes.isEmpty)
    let asked = try await feed.publisher.changeRoot(
      [.newEpoch], signers: [try signer(1), try signer(5)], date: TestFeed.date)
    guard case .committed = asked else { throw Unexpected() }
    #expect(try await feed.publisher.liveRoot().epoch == 3)
    #expect(try await feed.clientVersion() == version(1))
    try await expectWhole(feed)
  }

  @Test("a draft for other holders begins the epoch, too")
  func preparedEpoch() async throws {
    let feed = try await SignedFeed()
    let id = try signer(2).publicKey.metadataID()
    let removal = try await feed.publisher.prepareRoot(
      [.remove(keyID: id, from: .release), .add(try signer(5).publicKey, to: .release)])
    #expect(removal.root.epoch == 2)
    #expect(try await feed.publisher.prepareRoot([]).root.epoch == 1)
    #expect(try await feed.publisher.prepareRoot([.newEpoch]).root.epoch == 2)
    #expect(
      try await feed.publisher.prepareRoot([
        .newEpoch, .replace(keyID: id, with: try signer(5).publicKey, in: .release),
      ]).root.epoch == 2)
  }

  @Test(
    "the largest release number goes with --discard: the content before it is live under the number before it"
  )
  func largestNumber() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let honest = try Manifest.decode(feed.read("manifest.json"))
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    try await publish(feed, number: 1_000_000)
    #expect(try await client.version(feed.host) == version(1_000_000))
    let report = try await rotate(feed, discarding: [version(1_000_000)])
    #expect(report.discarded == [version(1_000_000)])
    #expect(report.changes.contains("release 3 is live in stable, with the content of release 2"))
    let live = try Manifest.decode(feed.read("manifest.json"))
    #expect(live.pair == honest.pair && live.content == version(2) && live.withdrawn == [])
    #expect(try await client.version(feed.host) == version(3))
    #expect(try await feed.clientVersion() == version(3))
    #expect(try feed.tree().allSatisfy { !$0.contains("releases/1000000/") })
    try await expectWhole(feed)
    #expect(try await feed.publish("three", keys: [5]).manifest.version == version(4))
    #expect(try await client.version(feed.host) == version(4))
    try await expectWhole(feed)
  }

  @Test("discarding all there is leaves a feed to publish to")
  func everything() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("evil")
    let report = try await rotate(feed, discarding: [version(1)])
    #expect(report.changes.contains("channel stable has no release left: publish one"))
    #expect(try await feed.clientVersion() == nil)
    try await feed.publish("one", keys: [5])
    #expect(try await feed.clientVersion() != nil)
    try await expectWhole(feed)
  }

  @Test("what is discarded must be signed, and only a new epoch lets devices go back")
  func refusals() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    let before = try feed.contents()
    let unknown = await problem { _ = try await rotate(feed, discarding: [version(7)]) }
    #expect(unknown?.code == .noSuchRelease && unknown?.message.contains("2, 1") == true)
    let noEpoch = await problem {
      _ = try await feed.publisher.changeRoot(
        [.add(try signer(4).publicKey, to: .release)], signers: [try signer(1), try signer(2)],
        date: TestFeed.date, discarding: [version(2)])
    }
    #expect(noEpoch?.code == .inputRefused && noEpoch?.advice?.contains("--new-epoch") == true)
    #expect(try feed.contents() == before)
    let asked = try await feed.publisher.changeRoot(
      [.newEpoch], signers: [try signer(1), try signer(2)], date: TestFeed.date, discarding: [version(2)])
    guard case .committed(let report) = asked else { throw Unexpected() }
    #expect(report.discarded == [version(2)])
    #expect(try await feed.clientVersion() == version(3), "nobody gets the number 2 twice")
  }

  @Test("maximal metadata versions: the rotation goes on from counted ones, for devices that saw them, too")
  func maximalVersions() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    try await Thief(feed: feed, versions: JSONObject.maxExactInteger).sign()
    #expect(try await client.version(feed.host) == version(1))
    let stuck = await problem { try await feed.publish("two") }
    #expect(stuck?.code == .versionRefused && stuck?.advice?.contains("key rotate") == true)
    _ = try await rotate(feed)
    #expect(try await client.version(feed.host) == version(1))
    let live = try await MetadataState.read(from: feed.host)
    #expect(live.targets.version == 3 && live.snapshot.version == 3 && live.timestamp.version == 1)
    try await feed.publish("two", keys: [5])
    #expect(try await client.version(feed.host) == version(2))
    #expect(try await feed.clientVersion() == version(2))
    try await expectWhole(feed)
    #expect(try feed.tree().allSatisfy { !$0.contains("\(JSONObject.maxExactInteger)") })
  }

  @Test("huge metadata: what a thief listed besides releases goes with the key")
  func hugeMetadata() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    try await Thief(feed: feed, junk: 3000).sign { files in
      // Releases that were never there.
      for number in 70...80 {
        files["releases/\(number)/manifest.json"] = FileEntry(length: 1, sha256: try sha256([1]))
      }
    }
    #expect(try await client.version(feed.host) == version(1))
    // One of them may be named, none has to be.
    _ = try await rotate(feed, discarding: [version(70)])
    let live = try await MetadataState.read(from: feed.host)
    #expect(live.files.count == 4 && live.targets.bytes.count < 5000)
    #expect(try await client.version(feed.host) == version(1))
    try await expectWhole(feed)
  }

  @Test("everything withdrawn: the discarded release takes its list along")
  func withdrawn() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    try await feed.publish("two")
    _ = try await feed.publisher.rollback(RollbackRequest(to: version(1), signers: [try signer(2)]))
    #expect(try Manifest.decode(feed.read("manifest.json")).withdrawn == [version(2)])
    _ = try await rotate(feed, discarding: [version(3)])
    let live = try Manifest.decode(feed.read("manifest.json"))
    #expect(live.version == version(4) && live.content == version(2) && live.withdrawn == [version(3)])
    try await expectWhole(feed)
  }

  @Test("a stop at any write of the ceremony leaves what the same command finishes")
  func interrupted() async throws {
    for stop in 0..<12 {
      let feed = try await SignedFeed()
      try await feed.publish("one")
      try await publish(feed, number: 900)
      let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
      #expect(try await client.version(feed.host) == version(900))
      let host = StoppingHost(feed.host, after: stop)
      let publisher = Publisher(host: host, place: feed.feed) { TestFeed.date }
      let change = RootChange.replace(
        keyID: try signer(2).publicKey.metadataID(), with: try signer(5).publicKey, in: .release)
      _ = await problem {
        _ = try await publisher.changeRoot(
          [change], signers: [try signer(1), try signer(5)], date: TestFeed.date,
          discarding: [version(900)])
      }
      _ = try await rotate(feed, discarding: [version(900)])
      #expect(try await client.version(feed.host) == version(901), "stop \(stop)")
      #expect(try Manifest.decode(feed.read("manifest.json")).version == version(901), "stop \(stop)")
      #expect(try await feed.publish("two", keys: [5]).manifest.version == version(902), "stop \(stop)")
      try await expectWhole(feed)
    }
  }

  struct Unexpected: Error {}
}

/// A folder whose writer dies after some changes.
private final class StoppingHost: FeedHost {
  private let base: DirectoryHost
  private let left: Counter

  private actor Counter {
    private var left: Int
    init(_ left: Int) { self.left = left }
    func take() throws(Problem) {
      guard left > 0 else { throw Problem(.diskFull, "the writer died") }
      left -= 1
    }
  }

  init(_ base: DirectoryHost, after changes: Int) {
    self.base = base
    left = Counter(changes)
  }

  func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    try base.read(path, maxBytes: maxBytes)
  }
  func list(_ folder: String) async throws(Problem) -> [String] { try base.list(folder) }
  func lock(wait: Duration) async throws(Problem) -> any FeedLock { try await base.lock(wait: wait) }
  func put(_ path: String, _ bytes: [UInt8]) async throws(Problem) -> Bool {
    try await left.take()
    return try base.put(path, bytes)
  }
  func replace(_ path: String, with bytes: [UInt8]) async throws(Problem) {
    try await left.take()
    try base.replace(path, with: bytes)
  }
  func remove(_ paths: [String]) async throws(Problem) {
    for path in paths {
      try await left.take()
      try base.remove([path])
    }
  }
}
