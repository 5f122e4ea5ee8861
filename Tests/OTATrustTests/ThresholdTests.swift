import OTACrypto
import OTAManifest
import OTATrust
import Testing
import TrustFixtures

/// Who must have signed: the root is asked about a timestamp of two keys out of some.
@Suite("Thresholds")
struct ThresholdTests {
  private let feed: TestFeed
  private let first: TestKey
  private let second: TestKey

  init() throws {
    var feed = try TestFeed()
    feed.timestamp = try TestFeed.Signers(20, 21)
    feed.timestamp.threshold = 2
    self.feed = feed
    (first, second) = (feed.timestamp.keys[0], feed.timestamp.keys[1])
  }

  private func verdict(_ feed: TestFeed, _ signatures: [JSONValue]) throws -> TrustError.Reason? {
    try verdict(feed, envelope(feed.timestampBody(), signatures).encoded(indented: false))
  }

  private func verdict(_ feed: TestFeed, _ bytes: [UInt8]) throws -> TrustError.Reason? {
    var set = try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
    do {
      _ = try set.updateTimestamp(bytes)
      return nil
    } catch {
      return error.reason
    }
  }

  private func signature(_ key: TestKey, id: String? = nil, of body: JSONValue? = nil) throws -> JSONValue {
    let bytes = try key.key.sign(CanonicalJSON.encode(body ?? feed.timestampBody()))
    return entry(id ?? key.id, hex(bytes))
  }

  private func entry(_ id: String, _ sig: String) -> JSONValue {
    object([JSONMember("keyid", .string(id)), JSONMember("sig", .string(sig))])
  }

  @Test("two keys of two are enough, in any order")
  func enough() throws {
    #expect(try verdict(feed, [signature(first), signature(second)]) == nil)
    #expect(try verdict(feed, [signature(second), signature(first)]) == nil)
  }

  @Test("B35: no signature, an empty one, an unknown key, no hexadecimal: none of them counts")
  func missing() throws {
    let stranger = try TestKey(99)
    let good = try signature(first)
    let bad = try [
      [], [good], [good, entry(second.id, "")], [good, signature(stranger)], [good, entry(second.id, "zz")],
      [good, entry("", hex([UInt8](repeating: 0, count: 64)))], [good, signature(stranger, id: second.id)],
      [good, entry(second.id, hex([UInt8](repeating: 0, count: 64)))],
      [good, signature(second, of: feed.timestampBody().with("version", 2))],
    ]
    for signatures in bad { #expect(try verdict(feed, signatures) == .signature) }
  }

  @Test("wrong signatures beside enough right ones do no harm")
  func noise() throws {
    var feed = feed
    feed.timestamp.threshold = 1
    #expect(try verdict(feed, [entry(second.id, ""), signature(first)]) == nil)
    #expect(try verdict(feed, [signature(TestKey(99)), entry(second.id, "00"), signature(first)]) == nil)
  }

  @Test("B87: one signature listed twice is refused as a whole")
  func listedTwice() throws {
    #expect(try verdict(feed, [signature(first), signature(first)]) == .malformed)
    #expect(try verdict(feed, [signature(first), signature(first), signature(second)]) == .malformed)
  }

  @Test("B87, B82: one key under two ids counts once")
  func twins() throws {
    var feed = feed
    let twin = try TestKey(20, note: "the same key")
    #expect(twin.id != first.id)
    feed.timestamp.keys = [first, twin]
    #expect(try verdict(feed, [signature(first), signature(twin)]) == .signature)
    feed.timestamp.keys = [first, twin, second]
    #expect(try verdict(feed, [signature(first), signature(twin)]) == .signature)
    #expect(try verdict(feed, [signature(first), signature(twin), signature(second)]) == nil)
  }

  @Test("an id that is listed twice for a role counts once")
  func idTwice() throws {
    var feed = feed
    feed.timestamp.keys = [first, first, first]
    #expect(try verdict(feed, [signature(first)]) == .signature)
  }

  @Test("a key whose id is not the digest of the key counts for nothing, and that is said")
  func wrongID() throws {
    var feed = feed
    feed.timestamp.threshold = 1
    let id = String(repeating: "ab", count: 32)
    let role = object([JSONMember("keyids", .array([.string(id)])), JSONMember("threshold", 1)])
    let body = feed.rootBody
    let root = try signed(
      body.with("keys", body["keys"].with(id, first.entry)).with(
        "roles", body["roles"].with("timestamp", role)),
      by: feed.root.keys)
    var set = try TrustedMetadataSet(trustedRoot: root, now: TestFeed.now)
    let timestamp = try envelope(feed.timestampBody(), [signature(first, id: id)]).encoded(indented: false)
    let error = #expect(throws: TrustError.self) { try set.updateTimestamp(timestamp) }
    #expect(error?.reason == .cannotVerify)
    #expect(error?.detail.contains("not the SHA-256 digest") == true)
  }

  @Test("B85: a kind of key that is not known here is \"cannot verify\", not \"signature wrong\"")
  func unknownKind() throws {
    let strange = object([
      JSONMember("keytype", "sphincs"), JSONMember("scheme", "sphincs-shake-128s"),
      JSONMember("keyval", object([JSONMember("public", "00")])),
    ])
    let id = try sha256(CanonicalJSON.encode(strange)).hex
    let body = feed.rootBody
    let role = object([
      JSONMember("keyids", .array([.string(first.id), .string(id)])), JSONMember("threshold", 2),
    ])
    let root = try signed(
      body.with("keys", body["keys"].with(id, strange)).with("roles", body["roles"].with("timestamp", role)),
      by: feed.root.keys)
    func reason(_ signatures: [JSONValue]) throws -> TrustError.Reason? {
      var set = try TrustedMetadataSet(trustedRoot: root, now: TestFeed.now)
      let bytes = try envelope(feed.timestampBody(), signatures).encoded(indented: false)
      return #expect(throws: TrustError.self) { try set.updateTimestamp(bytes) }?.reason
    }
    #expect(try reason([signature(first), entry(id, "00")]) == .cannotVerify)
    // Without the other signature it would not be enough in any case.
    #expect(try reason([entry(id, "00")]) == .signature)
  }

  @Test("B32: another indentation is the same signed object; another value is not")
  func respelled() throws {
    let bytes = try signed(feed.timestampBody(), by: [first, second], indented: true)
    #expect(try verdict(feed, bytes) == nil)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(try verdict(feed, Array(text.replacing("2030", with: "2031").utf8)) == .signature)
    let extra = text.replacing("\"version\": 1", with: "\"version\": 1, \"extra\": 0")
    #expect(extra != text)
    #expect(try verdict(feed, Array(extra.utf8)) == .signature)
  }
}
