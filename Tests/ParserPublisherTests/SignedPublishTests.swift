import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import TestSupport
import Testing

@testable import ParserPublisher

@Suite struct SignedPublishTests {
  @Test("a signed release is found by clients that verify and by old ones, and each write has its place")
  func published() async throws {
    let feed = try await SignedFeed()
    let report = try await feed.publish("one")
    #expect(report.outcome == .published)
    let kinds = [
      ".parsers.bundle.js", ".sources.json", ".manifest.json", ".manifest.json", "metadata/2.targets.json",
      "metadata/2.snapshot.json", "metadata/timestamp.json", "metadata/express.tar.zst", "manifest.json",
    ]
    #expect(
      report.writtenFiles.count == kinds.count
        && zip(report.writtenFiles, kinds).allSatisfy { $0.hasSuffix($1) })
    #expect(report.writtenFiles[3] == "files/\(report.manifestDigest.hex).manifest.json")
    #expect(try await feed.clientVersion() == version(1))
    #expect(try Manifest.decode(feed.read("manifest.json")).version == version(1))
    #expect(try await feed.publish("one").outcome == .nothingToPublish)
    let audit = try await Publisher.audit(
      FeedReader(.directory(feed.feed)), root: feed.read("metadata/1.root.json"), now: TestFeed.date)
    #expect(audit.findings == [])
  }

  @Test(
    "B55: a key that the root does not name stops a publish before anything is written, and names the keys")
  func wrongKey() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let before = try feed.contents()
    for keys: [UInt8] in [[3], [1], []] {
      for dryRun in keys.isEmpty ? [false] : [false, true] {
        let refused = await problem { try await feed.publish("two", keys: keys) { $0.dryRun = dryRun } }
        #expect(refused?.code == .keyNotTrusted)
        guard let key = keys.first else { continue }
        #expect(refused?.message.contains(try signer(2).publicKey.metadataID()) == true)
        #expect(refused?.message.contains(try signer(key).publicKey.metadataID()) == true)
      }
    }
    let back = await problem {
      _ = try await feed.publisher.rollback(RollbackRequest(signers: [try signer(3)]))
    }
    #expect(back?.code == .keyNotTrusted)
    #expect(try feed.contents() == before)
    #expect(try await feed.publish("two", keys: [3, 2]).manifest.version == version(2))
  }

  @Test("a feed with checksums only refuses keys: its clients would ignore the signatures")
  func unsigned() async throws {
    let feed = try await TestFeed()
    let keys = [try signer(2)]
    let refused = await problem { try await feed.publish("one") { $0.signers = keys } }
    #expect(refused?.code == .inputRefused)
    #expect(await problem { _ = try await feed.publisher.refresh(signers: keys) }?.code == .inputRefused)
  }

  @Test("B87: two release keys that must agree: one is not enough, and the same one twice is one")
  func threshold() async throws {
    let feed = try await SignedFeed(releaseKeys: [2, 4], releaseThreshold: 2)
    #expect(await problem { try await feed.publish("one", keys: [2]) }?.code == .keyNotTrusted)
    #expect(await problem { try await feed.publish("one", keys: [2, 2]) }?.code == .keyNotTrusted)
    #expect(try await feed.publish("one", keys: [4, 2]).manifest.version == version(1))
    #expect(try await feed.clientVersion() == version(1))
  }

  @Test("a signer that answers with a wrong signature is found out before anything is written")
  func lyingSigner() async throws {
    struct Liar: MetadataSigner {
      let publicKey = try! signer(2).publicKey
      func sign(_ bytes: [UInt8]) async throws(Problem) -> [UInt8] { [UInt8](repeating: 1, count: 64) }
    }
    let feed = try await SignedFeed()
    let before = try feed.contents()
    let refused = await problem { try await feed.publish("one") { $0.signers = [Liar()] } }
    #expect(refused?.code == .keyNotTrusted)
    #expect(try feed.contents() == before)
  }

  @Test("a root that has expired stops a publish with advice, and one that is about to is a warning")
  func expiredRoot() async throws {
    let feed = try await SignedFeed()
    feed.wait(days: 700)
    #expect(try await feed.publish("one").warnings.contains { $0.contains("the root expires at") })
    feed.wait(days: 31)
    let before = try feed.contents()
    let refused = await problem { try await feed.publish("two") }
    #expect(refused?.code == .trustExpired)
    #expect(refused?.message.contains("metadata/1.root.json expired at") == true)
    #expect(refused?.advice?.contains("root keys") == true)
    #expect(try feed.contents() == before)
  }

  @Test("metadata that has expired is no obstacle: the next publish replaces it")
  func expiredTimestamp() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    feed.wait(days: 200)
    await #expect(throws: Problem.self) { try await feed.clientVersion() }
    try await feed.publish("two")
    #expect(try await feed.clientVersion() == version(2))
  }

  @Test("a date so long past that clients would find the release stale is refused by the real client")
  func oldDate() async throws {
    let feed = try await SignedFeed()
    let refused = await problem {
      try await feed.publish("one") { $0.date = TestFeed.date.advanced(bySeconds: -40 * 86_400) }
    }
    #expect(refused?.code == .trustExpired)
    #expect(refused?.message.hasPrefix("installed clients would refuse this") == true)
  }

  @Test("the same inputs, date and keys give the same bytes everywhere")
  func reproducible() async throws {
    func make() async throws -> [String: [UInt8]] {
      let feed = try await SignedFeed()
      try await feed.publish("one")
      try await feed.publish("two")
      _ = try await feed.publisher.rollback(RollbackRequest(signers: [try signer(2)]))
      return try feed.contents()
    }
    #expect(try await make() == make())
  }

  @Test("channels have pointers of their own, and one signature covers them all")
  func channels() async throws {
    let feed = try await SignedFeed()
    let beta = try #require(Channel("beta"))
    try await feed.publish("one")
    try await feed.publish("two") { $0.channel = beta }
    #expect(try await feed.clientVersion() == version(1))
    #expect(try await feed.clientVersion(beta) == version(2))
    try await feed.publish("three")
    #expect(try await feed.clientVersion(beta) == version(2))
  }

  @Test("a roll back is signed, and a client that saw the newer release follows it")
  func rollback() async throws {
    let feed = try await SignedFeed()
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    try await feed.publish("one")
    try await feed.publish("two")
    #expect(try await client.version(feed.host) == version(2))
    let report = try await feed.publisher.rollback(RollbackRequest(signers: [try signer(2)]))
    #expect(report.manifest.content == version(1))
    #expect(try await client.version(feed.host) == version(3))
  }

  @Test("files that somebody puts on the host are no releases, and are never signed")
  func plantedRelease() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let other = try await TestFeed()
    try await other.publish("evil") { $0.version = version(9) }
    let evil = try other.live()
    for path in try other.tree() where path.contains("/files/releases/9/") {
      try durablyCopy(other.read(String(path.dropFirst(2))), to: "\(feed.feed)/\(path.dropFirst(2))")
    }
    try durablyReplaceFile(at: "\(feed.feed)/manifest.json", with: other.read("manifest.json"))
    #expect(try await feed.publisher.releases().map(\.version.number) == [1])
    let report = try await feed.publish("two")
    #expect(report.manifest.version == version(2))
    #expect(try Manifest.decode(feed.read("manifest.json")).version == version(2))
    #expect(
      !String(decoding: try feed.read("metadata/3.targets.json"), as: UTF8.self).contains(
        evil.bundle.sha256.hex))
    #expect(try feed.tree().filter { $0.contains("/files/releases/9/") }.isEmpty)
  }

  @Test("metadata that was set back or damaged on the host stops the publisher instead of numbering anew")
  func damagedMetadata() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    for name in ["timestamp.json", "2.snapshot.json", "2.targets.json", "1.root.json"] {
      let path = "\(feed.feed)/metadata/\(name)"
      let bytes = try feed.read("metadata/\(name)")
      let text = String(decoding: bytes, as: UTF8.self)
      for damaged in [text.replacingFirst("\"version\": ", with: "\"version\": 1"), ""] {
        try durablyReplaceFile(at: path, with: Array(damaged.utf8))
        let refused = await problem { try await feed.publish("two") }
        #expect(refused?.message.contains(name) == true, "\(name): \(refused?.message ?? "accepted")")
      }
      #expect(try run("/bin/rm", [path]).status == .exited(0))
      let missing = await problem { try await feed.publish("two") }
      #expect(missing?.code == .feedIncomplete, "\(name): \(missing?.message ?? "accepted")")
      try durablyReplaceFile(at: path, with: bytes)
    }
    #expect(try await feed.publish("two").manifest.version == version(2))
  }

  @Test(
    "B37: mixing states: an older timestamp, snapshot or targets under the newest names is refused by clients"
  )
  func mixAndMatch() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let client = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
    let old = try feed.contents()
    try await feed.publish("two")
    #expect(try await client.version(feed.host) == version(2))
    for (path, source) in [
      ("timestamp.json", "timestamp.json"), ("3.snapshot.json", "2.snapshot.json"),
      ("3.targets.json", "2.targets.json"),
    ] {
      let whole = try feed.read("metadata/\(path)")
      try durablyReplaceFile(
        at: "\(feed.feed)/metadata/\(path)", with: try #require(old["metadata/\(source)"]))
      let fresh = SignedClient(firstRoot: try feed.read("metadata/1.root.json"))
      if path == "timestamp.json" {
        await #expect(throws: Problem.self) { try await client.version(feed.host) }
      } else {
        await #expect(throws: Problem.self) { try await fresh.version(feed.host) }
      }
      try durablyReplaceFile(at: "\(feed.feed)/metadata/\(path)", with: whole)
    }
    #expect(try await client.version(feed.host) == version(2))
  }

  @Test("embed takes the newest root along, before the manifest that makes the copy whole")
  func embed() async throws {
    let feed = try await SignedFeed()
    try await feed.publish("one")
    let report = try await feed.publisher.embed(nil, channel: .stable, into: feed.folder.path("app"))
    #expect(report.files.suffix(2) == ["root.json", "manifest.json"])
    let root = try readFile(at: feed.folder.path("app/root.json"), maxBytes: 100_000)
    #expect(root == (try feed.read("metadata/1.root.json")))
  }
}

extension String {
  /// The text with the first occurrence of another one replaced.
  func replacingFirst(_ old: String, with new: String) -> String {
    guard let range = firstRange(of: old) else { return self }
    return replacingCharacters(in: range, with: new)
  }

  private func replacingCharacters(in range: Range<Index>, with new: String) -> String {
    String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
  }
}

/// Writes a file whose folder may be missing.
func durablyCopy(_ bytes: [UInt8], to path: String) throws {
  let folder = path.split(separator: "/").dropLast().joined(separator: "/")
  _ = try Directory.create("/\(folder)", mode: 0o755)
  try durablyReplaceFile(at: path, with: bytes)
}
