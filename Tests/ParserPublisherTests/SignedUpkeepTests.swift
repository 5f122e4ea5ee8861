import OTAManifest
import OTAStorage
import OTATrust
import TestSupport
import Testing

@testable import ParserPublisher

@Suite struct SignedUpkeepTests {
  @Test("refresh signs the timestamp alone while the rest is young, and makes no release")
  func timestamp() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let before = try feed.contents()
    let same = try await feed.publisher.refresh(signers: [try signer(2)])
    #expect(same.outcome == .nothingToRefresh && same.writtenFiles.isEmpty)
    feed.wait(days: 29)
    let report = try await feed.publisher.refresh(signers: [try signer(2)])
    #expect(report.outcome == .refreshed && report.roles == ["timestamp"])
    #expect(report.writtenFiles == ["metadata/timestamp.json", "metadata/express.tar.zst"])
    #expect(report.expires["timestamp"] == TestFeed.date.advanced(bySeconds: 59 * 86_400))
    let changed = try feed.contents().filter { before[$0.key] != $0.value }.keys
    // The page for people says when the signatures expire.
    #expect(changed.sorted() == ["index.html", "metadata/express.tar.zst", "metadata/timestamp.json"])
    #expect(try await feed.clientVersion(days: 29) == version(1))
  }

  @Test("a feed that is only refreshed stays fresh for years: what nears its end is signed anew")
  func years() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    var targets = 0
    for _ in 0..<28 {
      feed.wait(days: 25)
      let report = try await feed.publisher.refresh(signers: [try signer(2)])
      if report.roles.contains("targets") { targets += 1 }
      #expect(report.roles.last == "timestamp")
      #expect(try await feed.clientVersion() == version(1))
    }
    #expect((4...8).contains(targets))
    #expect(try await feed.publisher.releases().map(\.version.number) == [1])
  }

  @Test("a clock that went back shortens nothing, and force signs everything in any case")
  func clock() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let past = TestFeed.date.advanced(bySeconds: -86_400)
    #expect(
      try await feed.publisher.refresh(signers: [try signer(2)], date: past).outcome == .nothingToRefresh)
    let forced = try await feed.publisher.refresh(signers: [try signer(2)], force: true)
    #expect(forced.roles == ["targets", "snapshot", "timestamp"])
    #expect(try await feed.clientVersion() == version(1))
  }

  @Test("B55: refresh refuses a key that clients do not want, before anything is written")
  func wrongKey() async throws {
    let feed = try await SignedFeed()
    let before = try feed.contents()
    feed.wait(days: 1)
    #expect(
      await problem { _ = try await feed.publisher.refresh(signers: [try signer(3)]) }?.code == .keyNotTrusted
    )
    #expect(await problem { _ = try await feed.publisher.refresh(signers: []) }?.code == .keyNotTrusted)
    #expect(try feed.contents() == before)
  }

  @Test(
    "thirty releases: old metadata and copies go with their releases, and the first root still leads to the newest"
  )
  func retention() async throws {
    let feed = try await SignedFeed(keptReleases: 3)
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    var last: PublishReport?
    for number in 1...30 { last = try await feed.publish("\(number)") }
    #expect(last?.removedReleases == [version(27)])
    #expect(try await feed.clientVersion() == version(30))
    #expect(try await client.version(feed.host) == version(30))
    let names = try feed.tree().map { String($0.dropFirst(2)) }
    let targets = names.filter { $0.hasSuffix(".targets.json") }
    #expect(targets.count == 20 && targets.contains("metadata/31.targets.json"))
    #expect(names.filter { $0.hasSuffix(".snapshot.json") }.count == 20)
    #expect(names.contains("metadata/1.root.json"))
    #expect(names.filter { $0.hasPrefix("files/") && $0.hasSuffix(".manifest.json") }.count == 6)
    #expect(try await feed.publisher.releases().map(\.version.number) == [30, 29, 28])
  }

  @Test(
    "B82: a root that replaces the release key makes refresh sign everything again, and lost keys sign no more"
  )
  func rotatedKey() async throws {
    let feed = try await SignedFeed()
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    try await feed.publish("one")
    #expect(try await client.version(feed.host) == version(1))
    var root = try RootDocument(decoding: feed.read("metadata/1.root.json"))
      .nextVersion(expires: TestFeed.date.advanced(bySeconds: 730 * 86_400))
    for role in [Root.Role.targets, .snapshot, .timestamp] {
      root.removeKey(try signer(2).publicKey.metadataID(), from: role)
      try root.addKey(signer(5).publicKey, to: role)
    }
    var document = try root.document()
    try await document.sign(with: signer(1), keyID: signer(1).publicKey.metadataID())
    try durablyReplaceFile(at: "\(feed.feed)/metadata/2.root.json", with: document.encoded())
    #expect(await problem { try await feed.publish("two") }?.code == .keyNotTrusted)
    let report = try await feed.publisher.refresh(signers: [try signer(5)])
    #expect(report.roles == ["targets", "snapshot", "timestamp"])
    #expect(try await client.version(feed.host) == version(1))
    #expect(try await feed.clientVersion() == version(1))
    #expect(try await feed.publish("two", keys: [5]).manifest.version == version(2))
    #expect(try await client.version(feed.host) == version(2))
  }

  @Test("metadata that only refreshes replaced goes, too")
  func refreshRetention() async throws {
    let feed = try await SignedFeed()
    for _ in 1...22 {
      feed.wait(days: 1)
      #expect(try await feed.publisher.refresh(signers: [try signer(2)], force: true).warnings.isEmpty)
    }
    let targets = try feed.tree().filter { $0.hasSuffix(".targets.json") }
    #expect(targets.count == 20 && targets.contains("./metadata/23.targets.json"))
    #expect(try await feed.clientVersion() == nil)
  }

  @Test("a refresh between an interrupted publish and its repetition disturbs neither")
  func refreshAfterInterruption() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let old = try feed.read("manifest.json")
    try await feed.publish("two")
    // As after a crash between the signed commit point and the pointer of old clients.
    try durablyReplaceFile(at: "\(feed.feed)/manifest.json", with: old)
    feed.wait(days: 1)
    #expect(try await feed.publisher.refresh(signers: [try signer(2)]).outcome == .refreshed)
    let report = try await feed.publish("two")
    #expect(report.outcome == .nothingToPublish && report.writtenFiles == ["manifest.json"])
    #expect(try Manifest.decode(feed.read("manifest.json")).version == version(2))
    #expect(try await feed.clientVersion() == version(2))
  }

  @Test(
    "publishers and refreshers at once: each signs on top of the others or is told, and no version is lost"
  )
  func race() async throws {
    let feed = try await SignedFeed()
    let requests = try (1...4).map { try feed.request("race \($0)") }
    let keys = [try signer(2)]
    await withTaskGroup(of: Void.self) { group in
      for request in requests {
        group.addTask {
          for _ in 0..<100 {
            let refused = await problem { _ = try await feed.publisher.publish(request) }
            guard let refused else { return }
            #expect(refused.code == .conflict, "\(refused.message)")
          }
          Issue.record("a publisher was told of a conflict a hundred times")
        }
        group.addTask {
          let refused = await problem { _ = try await feed.publisher.refresh(signers: keys, force: true) }
          #expect(refused == nil)
        }
      }
    }
    #expect(try await feed.clientVersion() == version(4))
    #expect(try await feed.publisher.readState().metadata?.timestamp.version == 9)
  }

  @Test("B37: the rehearsal finds what a newcomer cannot see, namely that something is taken back")
  func takenBack() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let live = try await MetadataState.read(from: feed.host)
    let builder = MetadataBuilder(
      root: live.chain.newest, live: nil, signers: [try signer(2)], expiry: ExpiryPolicy(),
      date: TestFeed.date)
    let plan = try await builder.plan(files: live.files)
    let pointer = try feed.read("manifest.json")
    func rehearse(_ state: MetadataState?, _ pointer: [UInt8]) async -> Problem? {
      let rehearsal = Rehearsal(
        host: feed.host, writes: plan.writes, firstRoot: live.chain.files[0], live: state,
        now: TestFeed.date)
      return await problem { try await rehearsal.run(.init(pointers: [.stable: pointer], whole: [.stable])) }
    }
    #expect(await rehearse(nil, pointer) == nil)
    #expect(await rehearse(live, pointer)?.code == .trustRollback)
    #expect(await rehearse(nil, pointer + [0x20])?.code == .trustMismatch)
  }
}
