import OTACrypto
import OTAFeed
import OTAManifest
import OTATransfer
import OTATrust
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Each attack on a signed feed is refused, changes nothing on the device, and gets no more requests than needed.
@Suite("Attacks on a signed feed")
struct AttackTests {
  private let feed = MemoryFeed(signer: FeedSigner())

  private var signer: FeedSigner {
    get throws { try #require(feed.signer) }
  }

  /// What a device runs and trusts, which no attack may change.
  private struct Facts: Equatable {
    let current: DeviceStatus.Entry?
    let staged: DeviceStatus.Entry?
    let previous: DeviceStatus.Entry?
    let floor: ReleaseVersion?
    let rejected: [DeviceStatus.RejectedRelease]
    let withdrawn: [ReleaseVersion]
    let stored: [Int64]
    let scratch: [String]
    let metadata: [String: [UInt8]]

    init(_ device: Device) throws {
      let status = try device.updater().status()
      (current, staged, previous) = (status.current, status.staged, status.previous)
      (floor, rejected, withdrawn) = (status.floor, status.rejected, status.withdrawn)
      (stored, scratch) = (device.stored, device.scratch.filter { !$0.hasPrefix("partial/") })
      let folder = "\(device.store)/metadata"
      metadata = Dictionary(
        uniqueKeysWithValues: tree(folder).map { ($0, content("\(folder)/\($0)") ?? []) })
    }
  }

  /// A device that runs release 31 of the feed, confirmed.
  private func device() async throws -> Device {
    let device = try Device(feed: feed)
    try await device.take(31)
    _ = feed.takeRequests()
    return device
  }

  /// Expects that check and update are refused with a code, that nothing changed, and what was asked for.
  private func expectRefusal(
    _ device: Device, _ code: ProblemCode, requests: [String], runs version: Int64 = 31,
    location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try Facts(device)
    _ = feed.takeRequests()
    for isUpdate in [false, true] {
      let problem = await problem {
        if isUpdate { try await device.update() } else { _ = try await device.updater().check() }
      }
      #expect(problem?.code == code, "\(problem?.message ?? "no refusal")", sourceLocation: location)
      // A name that no feed has is another one each time.
      let asked = feed.takeRequests().map {
        $0.replacing(#/metadata/[0-9a-z]{6,}\.root/#, with: "metadata/?.root")
      }
      #expect(asked == requests, sourceLocation: location)
    }
    #expect(try Facts(device) == before, sourceLocation: location)
    #expect(try device.updater().status().lastProblem?.code == code.rawValue, sourceLocation: location)
    #expect(device.launchAndConfirm() == version, sourceLocation: location)
  }

  private static let quiet = ["metadata/2.root.json", "metadata/timestamp.json"]

  // MARK: Arbitrary software

  @Test("whoever holds the host alone cannot sign: another manifest.json is not even asked for")
  func arbitraryManifest() async throws {
    let device = try await device()
    let evil = try SampleRelease(99) { $0.withdrawn = [.number(31)] }
    feed.put(evil.bytes, at: "manifest.json")
    feed.put(evil.bundle, at: evil.bundlePath)
    feed.put(evil.sources, at: evil.sourcesPath)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    #expect(feed.takeRequests() == Self.quiet + Self.quiet)
    #expect(try device.updater().status().withdrawn == [])
    #expect(device.launchAndConfirm() == 31)
  }

  @Test("other bytes under a signed name are refused, for the manifest and for both files", arguments: 0..<3)
  func arbitraryFile(index: Int) async throws {
    let device = try await device()
    let release = try feed.publish(32)
    let paths = ["files/\(release.digest).manifest.json", release.bundlePath, release.sourcesPath]
    let genuine = try #require(feed.files[paths[index]])
    feed.put(genuine.dropLast() + [UInt8(ascii: "!")], at: paths[index])
    let before = try Facts(device)
    let problem = await problem { try await device.update() }
    #expect(problem?.code == (index == 0 ? .trustMismatch : .digestMismatch))
    let after = try Facts(device)
    #expect(after.current == before.current && after.staged == nil && after.stored == [31])
    #expect(device.launchAndConfirm() == 31)
    feed.put(genuine, at: paths[index])
    #expect(try await device.update() == .staged(.number(32)), "the next run needs no help")
  }

  @Test("metadata that nobody with a key signed is refused")
  func forgedTimestamp() async throws {
    let device = try await device()
    let text = String(decoding: try #require(feed.files["metadata/timestamp.json"]), as: UTF8.self)
    feed.put(
      Array(
        text.replacing("\"version\": 1,\n    \"expires\"", with: "\"version\": 9,\n    \"expires\"").utf8),
      at: "metadata/timestamp.json")
    #expect(feed.files["metadata/timestamp.json"] != Array(text.utf8))
    try await expectRefusal(device, .trustSignature, requests: Self.quiet)
  }

  // MARK: Replay, freeze, mix and match

  @Test("B31, B54: what an edge that lags serves is ignored quietly; once it has expired it is a replay")
  func replay() async throws {
    let device = try await device()
    let old = feed.files
    device.wait(seconds: 5 * 86_400)
    try signer.change { $0.now = device.now }
    try feed.publish(32)
    try await device.update()
    device.launchAndConfirm()
    feed.files = old
    let lag = try #require(try await device.updater().check().lag)
    #expect(lag.served == 1 && lag.seen == 2)
    #expect(try await device.update().lag == lag)
    #expect(try device.updater().status().lastProblem == nil && device.launchAndConfirm() == 32)
    #expect(try device.updater().history().contains { $0.kind == .refused } == false)
    _ = feed.takeRequests()
    device.wait(seconds: 26 * 86_400)
    try await expectRefusal(device, .trustRollback, requests: Self.quiet, runs: 32)
  }

  @Test("a frozen feed is up to date until its timestamp expires, and stale from then on")
  func freeze() async throws {
    let device = try await device()
    let frozen = feed.files
    try feed.publish(32)
    feed.files = frozen
    device.wait(seconds: 29 * 86_400)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    device.wait(seconds: 2 * 86_400)
    try await expectRefusal(device, .trustExpired, requests: Self.quiet)
    #expect(try device.updater().status().stale != nil)
  }

  @Test("pieces of two signed releases do not go together", arguments: ["snapshot", "targets"])
  func mixAndMatch(role: String) async throws {
    let device = try await device()
    try feed.publish(32)
    feed.put(try #require(feed.files["metadata/1.\(role).json"]), at: "metadata/2.\(role).json")
    let before = try Facts(device)
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == .trustMismatch)
    let asked =
      Self.quiet + ["metadata/2.snapshot.json"] + (role == "targets" ? ["metadata/2.targets.json"] : [])
    #expect(feed.takeRequests() == asked)
    #expect(try Facts(device) == before)
    #expect(await ParserUpdaterTests.problem { try await device.update() }?.code == .trustMismatch)
    #expect(device.launchAndConfirm() == 31)
  }

  @Test(
    "a signed manifest that names files which are not signed, or other ones, is refused", arguments: 0..<3)
  func unsignedFiles(how: Int) async throws {
    let device = try await device()
    let other = try SampleRelease(31)
    let release = try SampleRelease(32) { manifest in
      switch how {
      case 0:
        manifest.bundle = Artifact(
          location: try ArtifactLocation("https://cdn.example/b.js"), sha256: manifest.bundle.sha256,
          bytes: manifest.bundle.bytes)
      case 1: manifest.bundle = other.manifest.bundle
      default: break
      }
    }
    switch how {
    case 0: feed.publish(release)
    case 1:
      feed.publish(release)
      try signer.list(Array("other".utf8), at: "releases/31/parsers.bundle.js", on: feed)
      try signer.sign(on: feed)
    default:
      feed.publish(release)
      try signer.change { $0.files["releases/32/sources.json"] = nil }
      try signer.sign(on: feed)
    }
    let before = try Facts(device)
    let problem = await problem { _ = try await device.updater().check() }
    #expect(problem?.code == (how == 1 ? .trustMismatch : .trustUnlisted))
    #expect(!feed.takeRequests().contains { $0.hasSuffix(".js") || $0.contains("sources") })
    #expect(try Facts(device) == before)
    #expect(device.launchAndConfirm() == 31)
  }

  // MARK: Endless and slow data

  @Test("endless metadata ends at the limit of its kind, announced or not", arguments: [true, false])
  func endless(announced: Bool) async throws {
    let device = try await device()
    for (path, count, requests) in [
      ("metadata/2.root.json", 512_001, 1), ("metadata/timestamp.json", (16 << 10) + 1, 2),
    ] {
      let bytes = [UInt8](repeating: 0x20, count: count)
      feed.answer(path, announced ? .bytes(bytes) : .unannounced(bytes))
      try await expectRefusal(device, .tooLarge, requests: Array(Self.quiet.prefix(requests)))
      feed.answer(path, nil)
    }
  }

  @Test("an endless snapshot ends at the length that the signed timestamp gives")
  func endlessSnapshot() async throws {
    let device = try await device()
    try feed.publish(32)
    feed.answer("metadata/2.snapshot.json", .unannounced([UInt8](repeating: 0x20, count: 100_000)))
    let before = try Facts(device)
    #expect(await problem { _ = try await device.updater().check() }?.code == .tooLarge)
    #expect(feed.takeRequests() == Self.quiet + ["metadata/2.snapshot.json"])
    #expect(try Facts(device) == before)
  }

  @Test("slow metadata that never ends is given up by cancelling or by the clock, and nothing changed")
  func slow() async throws {
    let device = try await device()
    feed.answer("metadata/timestamp.json", .failure(.timedOut, status: nil))
    try await expectRefusal(device, .timedOut, requests: Self.quiet)
    feed.answer("metadata/timestamp.json", .hang(after: 10))
    let before = try Facts(device)
    let updater = device.updater()
    let reached = AsyncStream<Void>.makeStream()
    feed.whenRequested("metadata/timestamp.json") { reached.continuation.finish() }
    let task = Task { try await updater.update() }
    for await _ in reached.stream {}
    task.cancel()
    #expect(await problem { _ = try await task.value }?.code == .cancelled)
    #expect(try Facts(device) == before)
  }

  // MARK: Stolen keys

  @Test("a thief who fast-forwards the versions does not lock devices out: a new root lets them start anew")
  func fastForward() async throws {
    let device = try await device()
    let honest = try signer.books()
    try signer.change { books in
      for role in [FeedSigner.Role.timestamp, .snapshot, .targets] { books.versions[role] = 1_000_000 }
    }
    try signer.sign(on: feed)
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    try signer.change { $0 = honest }
    try feed.publish(32)
    #expect(
      try await device.update().lag?.seen == 1_000_001, "which looks like a lag for as long as it is fresh")
    try signer.replaceReleaseKey(by: FeedSigner.key(50), on: feed)
    try signer.sign(on: feed)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
  }

  @Test("after a stolen release key was revoked, what the thief signs is refused, and his release goes")
  func stolenReleaseKey() async throws {
    let device = try await device()
    let thief = try signer.books()
    try feed.publish(40)
    try await device.update()
    #expect(device.launchAndConfirm() == 40, "until then the key is as good as any")
    try signer.replaceReleaseKey(by: FeedSigner.key(50), on: feed)
    try feed.publish(41, SampleRelease.Content(of: 31)) { $0.withdrawn = [.number(40)] }
    #expect(try await device.update() == .staged(.number(41)))
    #expect(device.launchAndConfirm() == 41)
    let honest = feed.files
    try signer.change { books in
      books.keys = thief.keys
      books.versions = [.timestamp: 500, .snapshot: 500, .targets: 500]
    }
    try feed.publish(50)
    _ = feed.takeRequests()
    try await expectRefusal(
      device, .trustSignature, requests: ["metadata/3.root.json", "metadata/timestamp.json"], runs: 41)
    feed.files = honest
    #expect(try await device.updater().check() == .upToDate(.number(41)))
  }

  @Test("one root holder of two cannot change the root alone")
  func oneOfTwoRootKeys() async throws {
    let (first, second) = (FeedSigner.key(1), FeedSigner.key(60))
    try signer.rotateRoot(on: feed, rootKeys: [first, second]) { root in
      try root.addKey(second.publicKey, to: .root)
      root.setThreshold(2, of: .root)
    }
    let device = try await device()
    try signer.change { $0.keys[.root] = [second] }
    try signer.rotateRoot(on: feed) { try $0.addKey(FeedSigner.key(61).publicKey, to: .timestamp) }
    try await expectRefusal(device, .trustSignature, requests: ["metadata/3.root.json"])
  }

  // MARK: Thresholds

  @Test("a threshold of two is not met by one key, however it is listed", arguments: ["once", "twin"])
  func threshold(how: String) async throws {
    let release = FeedSigner.key(2)
    let twin = try Twin(of: release)
    var root = RootDocument(expires: Timestamp(secondsSinceEpoch: 1_900_000_000))
    try root.addKey(FeedSigner.key(1).publicKey, to: .root)
    for role in [Root.Role.targets, .snapshot, .timestamp] {
      try root.addKey(release.publicKey, to: role)
      try root.addKey(FeedSigner.key(70).publicKey, to: role)
      root.setThreshold(2, of: role)
    }
    var document = try root.document()
    if how == "twin" { document = try SignedDocument(twin.listed(in: document.signed), role: "root") }
    let device = try Device(feed: feed)
    try feed.publish(31)
    device.configuration.trust = .root(FeedSigner.signed(document, by: [FeedSigner.key(1)]))
    if how == "twin" {
      var timestamp = try SignedDocument(
        decoding: try #require(feed.files["metadata/timestamp.json"]), role: "timestamp", maxBytes: 20_000)
      timestamp.add(try release.sign(timestamp.canonicalBytes), keyID: twin.id)
      #expect(timestamp.signatures.count == 2)
      feed.put(timestamp.encoded(), at: "metadata/timestamp.json")
    }
    try await expectRefusal(device, .trustSignature, requests: Self.quiet, runs: 30)
  }

  @Test("a signature that is there twice under one id makes the metadata malformed")
  func repeatedSignature() async throws {
    let device = try await device()
    let text = String(decoding: try #require(feed.files["metadata/timestamp.json"]), as: UTF8.self)
    let document = try SignedDocument(decoding: Array(text.utf8), role: "timestamp", maxBytes: 20_000)
    let signature = try #require(document.signatures.first)
    let hex = signature.value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let entry = #"{"keyid":"\#(signature.key)","sig":"\#(hex)"}"#
    let signed = String(decoding: document.canonicalBytes, as: UTF8.self)
    feed.put(
      Array(#"{"signatures":[\#(entry),\#(entry)],"signed":\#(signed)}"#.utf8), at: "metadata/timestamp.json")
    try await expectRefusal(device, .trustMalformed, requests: Self.quiet)
  }

  // MARK: Mirrors and other feeds

  @Test(
    "a mirror that hides new roots can only freeze, and one that fails is not taken for the end of the chain")
  func maliciousMirror() async throws {
    let device = try await device()
    try signer.replaceReleaseKey(by: FeedSigner.key(50), on: feed)
    try feed.publish(32)
    feed.answer("metadata/2.root.json", .failure(.notFound, status: 404))
    try await expectRefusal(device, .trustSignature, requests: Self.quiet)
    feed.answer("metadata/2.root.json", .failure(.server, status: 500))
    try await expectRefusal(device, .serverError, requests: ["metadata/2.root.json"])
    feed.answer("metadata/2.root.json", .bytes(Array("<html>login</html>".utf8)))
    // Whether the host answers so for all files is asked with a name that no feed has.
    try await expectRefusal(device, .htmlInstead, requests: ["metadata/2.root.json", "metadata/?.root.json"])
    feed.answer("metadata/2.root.json", .bytes(Array("{}".utf8)))
    try await expectRefusal(
      device, .trustMalformed, requests: ["metadata/2.root.json", "metadata/?.root.json"])
    feed.answer("metadata/2.root.json", nil)
    #expect(try await device.update() == .staged(.number(32)))
  }

  @Test("the valid metadata of another feed is not that of this one")
  func wrongSoftware() async throws {
    let device = try await device()
    let other = MemoryFeed(signer: FeedSigner(seed: 100))
    try other.publish(90)
    feed.files = other.files
    try await expectRefusal(device, .trustSignature, requests: Self.quiet)
    try #require(other.signer).rotateRoot(on: other)
    feed.files = other.files
    try await expectRefusal(device, .trustSignature, requests: ["metadata/2.root.json"])
  }

  // MARK: The device itself

  @Test("metadata on the device that somebody put there is not believed")
  func tamperedLocalMetadata() async throws {
    let device = try await device()
    let other = MemoryFeed(signer: FeedSigner(seed: 100))
    let mallory = try #require(other.signer)
    try other.publish(90)
    mallory.rotateRoot(on: other)
    let folder = "\(device.store)/metadata"
    plant(mallory.root(2), at: "\(folder)/roots/2.root.json")
    plant(mallory.root(2), at: "\(folder)/root.json")
    plant(try #require(other.files["metadata/timestamp.json"]), at: "\(folder)/timestamp.json")
    plant(try #require(other.files["metadata/1.targets.json"]), at: "\(folder)/targets.json")
    plant(try SampleRelease(90).bytes, at: "\(folder)/targets/manifest.json")
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(try device.updater().status().trust.rootVersion == 1)
    try feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
  }

  @Test("genuine manifest.json beside forged metadata is refused as well")
  func forgedMetadata() async throws {
    let device = try await device()
    try feed.publish(32)
    let other = MemoryFeed(signer: FeedSigner(seed: 100))
    try other.publish(32)
    for (path, bytes) in other.files where path.hasPrefix("metadata/") { feed.put(bytes, at: path) }
    try await expectRefusal(device, .trustSignature, requests: Self.quiet)
  }
}

/// A second listing of one key under an id of its own, as somebody makes who wants it to count twice.
private struct Twin {
  let id: String
  private let value: JSONValue

  init(of key: PrivateKey) throws {
    guard case .object(let members) = try key.publicKey.metadataValue() else { throw NotAnObject() }
    value = .object(members + [JSONMember("keyid_hash_algorithms", .array([.string("sha256")]))])
    id = try sha256(CanonicalJSON.encode(value)).hex
  }

  /// The root with this listing beside the first one, for every role but the root.
  func listed(in root: JSONValue) -> JSONValue {
    edit(root) { name, value in
      switch name {
      case "keys": value.adding(JSONMember(id, self.value))
      case "roles":
        edit(value) { role, entry in
          role == "root"
            ? entry
            : edit(entry) { field, ids in
              guard field == "keyids", case .array(let items) = ids else { return ids }
              return .array(items + [.string(id)])
            }
        }
      default: value
      }
    }
  }

  private func edit(_ object: JSONValue, _ change: (String, JSONValue) -> JSONValue) -> JSONValue {
    guard case .object(let members) = object else { return object }
    return .object(members.map { JSONMember($0.key, change($0.key, $0.value)) })
  }

  private struct NotAnObject: Error {}
}

extension JSONValue {
  fileprivate func adding(_ member: JSONMember) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members + [member])
  }
}
