import OTACrypto
import OTAManifest
import OTATrust
import Testing
import TrustFixtures

/// What counts as metadata at all.
@Suite("Reading metadata")
struct ReadingTests {
  private let feed: TestFeed

  init() throws { feed = try TestFeed() }

  /// Why a root is refused that its own key signed; `nil` when it is not.
  private func verdict(_ body: JSONValue) throws -> TrustError? {
    try verdict(signed(body, by: feed.root.keys))
  }

  private func verdict(_ bytes: [UInt8]) -> TrustError? {
    do {
      _ = try TrustedMetadataSet(trustedRoot: bytes, now: TestFeed.now)
      return nil
    } catch {
      return error
    }
  }

  @Test("a root as the specification has it is accepted")
  func plain() throws { #expect(try verdict(feed.rootBody) == nil) }

  @Test(
    "a field that is wrong is named",
    arguments: [
      ("version", 0), ("version", "1"), ("version", true), ("version", nil), ("expires", "2030-01-01"),
      ("expires", "2030-01-01T00:00:00.5Z"), ("expires", "2030-01-01T00:00:00+00:00"),
      ("expires", "2030-02-30T00:00:00Z"), ("expires", nil), ("_type", "timestamp"), ("_type", nil),
      ("spec_version", "2.0.0"), ("spec_version", "1"), ("spec_version", "1.x"), ("spec_version", nil),
      ("keys", nil), ("keys", "none"), ("roles", nil), ("consistent_snapshot", "yes"),
    ] as [(String, JSONValue?)])
  func wrongField(name: String, value: JSONValue?) throws {
    let error = try #require(try verdict(feed.rootBody.with(name, value)))
    #expect(error.reason == .malformed)
    #expect(error.message.contains(name), "\(error.message)")
  }

  @Test("every top-level role needs keys and a threshold of at least 1")
  func roles() throws {
    for role in ["root", "timestamp", "snapshot", "targets"] {
      let roles = feed.rootBody["roles"]
      #expect(try verdict(feed.rootBody.with("roles", roles.with(role, nil)))?.reason == .malformed)
      for threshold: JSONValue in [0, -1, "1"] {
        let changed = roles.with(role, roles[role].with("threshold", threshold))
        #expect(try verdict(feed.rootBody.with("roles", changed))?.reason == .malformed)
      }
    }
  }

  @Test("unknown fields are kept and covered by the signature")
  func unknownFields() throws {
    let body = feed.rootBody.with("x-custom", object([JSONMember("b", 1), JSONMember("a", .null)]))
    let bytes = try signed(body, by: feed.root.keys)
    #expect(verdict(bytes) == nil)
    let changed = String(decoding: bytes, as: UTF8.self).replacing("\"b\":1", with: "\"b\":2")
    #expect(verdict(Array(changed.utf8))?.reason == .signature)
  }

  @Test(
    "B31: a key that stands twice, or differs by case alone, is refused with its name",
    arguments: [
      (#""version":1"#, #""version":1,"version":1"#), (#""version":1"#, #""version":1,"versio\u006e":2"#),
      (#""version":1"#, #""version":1,"Version":2"#), (#""signatures":"#, #""signatures":[],"signatures":"#),
    ])
  func twice(part: String, replacement: String) throws {
    let text = String(decoding: try feed.rootBytes(), as: UTF8.self)
    #expect(text.contains(part))
    let error = verdict(Array(text.replacing(part, with: replacement).utf8))
    #expect(error?.reason == .malformed)
    #expect(error?.message.lowercased().contains(part.contains("version") ? "version" : "signatures") == true)
  }

  @Test("what is no JSON object with signatures is refused")
  func noMetadata() throws {
    for text in ["", "[]", "null", "{}", "<html>", #"{"signed":{}}"#, #"{"signatures":[]}"#, "\u{FEFF}{}"] {
      #expect(verdict(Array(text.utf8))?.reason == .malformed)
    }
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(verdict(Array(#"{"signed":\#(deep),"signatures":[]}"#.utf8))?.reason == .limit)
    let padding = [UInt8](repeating: 0x20, count: TrustLimits.standard.maxRootBytes)
    #expect(verdict(try feed.rootBytes() + padding)?.reason == .limit)
  }

  @Test(
    "B35, B55: a placeholder or small-order key is refused when the root is read",
    arguments: [
      String(repeating: "00", count: 32), "01" + String(repeating: "00", count: 31),
      "ec" + String(repeating: "ff", count: 30) + "7f",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    ])
  func weakKeys(hex: String) throws {
    let entry = TestKey.entry(ed25519: hex)
    let id = try sha256(CanonicalJSON.encode(entry)).hex
    let body = feed.rootBody
    #expect(try verdict(body.with("keys", body["keys"].with(id, entry)))?.reason == .weakKey)
  }

  @Test("B85: a key of 31 bytes or of no PEM counts for nothing, and leaves the others alone")
  func unreadableKeys() throws {
    let short = TestKey.entry(ed25519: String(repeating: "ab", count: 31))
    let pem = object([
      JSONMember("keytype", "ecdsa"), JSONMember("scheme", "ecdsa-sha2-nistp256"),
      JSONMember("keyval", object([JSONMember("public", "-----BEGIN PUBLIC KEY-----")])),
    ])
    for entry in [short, pem] {
      let id = try sha256(CanonicalJSON.encode(entry)).hex
      let body = feed.rootBody
      #expect(try verdict(body.with("keys", body["keys"].with(id, entry))) == nil)
    }
  }

  @Test("a root that its own keys did not sign is no start")
  func selfSigned() throws {
    #expect(try verdict(signed(feed.rootBody, by: [TestKey(50)]))?.reason == .signature)
  }
}
