import OTACrypto
import OTAManifest
import OTATrust
import Testing

@Suite("metadata is written so that every client can read it")
struct WritingTests {
  private static let expires = Timestamp(secondsSinceEpoch: 1_900_000_000)
  private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

  private func key(_ number: UInt8) throws -> PrivateKey {
    try PrivateKey(seed: [UInt8](repeating: number, count: 32))
  }

  private func root(_ keys: [UInt8] = [1]) throws -> RootDocument {
    var root = RootDocument(expires: Self.expires)
    for role in Root.Role.allCases {
      for number in keys { try root.addKey(key(number).publicKey, to: role) }
    }
    return root
  }

  private func signed(_ document: SignedDocument, _ keys: [UInt8]) throws -> SignedDocument {
    var document = document
    for number in keys {
      let key = try key(number)
      document.add(try key.sign(document.canonicalBytes), keyID: try key.publicKey.metadataID())
    }
    return document
  }

  @Test("a root, targets, a snapshot and a timestamp that were written are trusted when they are read")
  func whole() throws {
    let rootFile = try signed(root().document(), [1]).encoded()
    var set = try TrustedMetadataSet(trustedRoot: rootFile, now: Self.now)
    let entry = FileEntry(length: 3, sha256: try sha256(Array("abc".utf8)))
    let targets = try signed(
      TargetsDocument(version: 7, expires: Self.expires, files: ["b/c": entry, "a": entry]).document(), [1]
    ).encoded()
    let snapshot = try signed(
      SnapshotDocument(
        version: 5, expires: Self.expires, targetsVersion: 7,
        targets: FileEntry(length: targets.count, sha256: try sha256(targets))
      ).document(), [1]
    ).encoded()
    let timestamp = try signed(
      TimestampDocument(
        version: 4, expires: Self.expires, snapshotVersion: 5,
        snapshot: FileEntry(length: snapshot.count, sha256: try sha256(snapshot))
      ).document(), [1]
    ).encoded()
    #expect(try set.updateTimestamp(timestamp))
    try set.updateSnapshot(snapshot)
    let read = try set.updateTargets(targets, of: .top)
    #expect(read.paths == ["a", "b/c"] && read.version == 7)
    #expect(read.description(of: "b/c")?.hashes.known[.sha256] == entry.sha256.bytes)
    #expect(throws: TrustError.self) { try set.updateSnapshot(snapshot + [0x20]) }
  }

  @Test("the same content has the same bytes, in whatever order signatures were added")
  func reproducible() throws {
    let document = try root([1, 2]).document()
    #expect(try signed(document, [1, 2]).encoded() == signed(document, [2, 1]).encoded())
    #expect(try signed(document, [1]).encoded() != signed(document, [2]).encoded())
  }

  @Test("the next root keeps fields that are unknown here, and changes version and expiry alone")
  func unknownFields() throws {
    var value = try root().signed
    guard case .object(let members) = value else { throw Unexpected() }
    value = .object(members + [JSONMember("x-house", .array([.string("kept"), .integer(1)]))])
    let file = try SignedDocument(value, role: "root").encoded()
    let later = Self.expires.advanced(bySeconds: 60)
    let next = try RootDocument(decoding: file).nextVersion(expires: later)
    #expect(next.version == 2 && next.expires == later)
    guard case .object(let kept) = next.signed else { throw Unexpected() }
    #expect(kept.map(\.key) == members.map(\.key) + ["x-house"])
    #expect(kept.last?.value == .array([.string("kept"), .integer(1)]))
  }

  @Test("B82: the next root, signed by old and new keys, is followed; signed by either alone, it is not")
  func rotation() throws {
    let first = try signed(root().document(), [1]).encoded()
    var next = try RootDocument(decoding: first).nextVersion(expires: Self.expires)
    for role in Root.Role.allCases {
      try next.addKey(key(2).publicKey, to: role)
      #expect(next.removeKey(try key(1).publicKey.metadataID(), from: role))
      #expect(!next.removeKey(try key(1).publicKey.metadataID(), from: role))
    }
    #expect(next.listedKeyIDs == [try key(2).publicKey.metadataID()])
    for keys: [UInt8] in [[1], [2]] {
      var set = try TrustedMetadataSet(trustedRoot: first, now: Self.now)
      #expect(throws: TrustError.self) { try set.updateRoot(signed(next.document(), keys).encoded()) }
    }
    var set = try TrustedMetadataSet(trustedRoot: first, now: Self.now)
    try set.updateRoot(signed(next.document(), [1, 2]).encoded())
    #expect(set.root.version == 2)
  }

  @Test("a key that is added twice is there once, and stays listed while any role needs it")
  func keys() throws {
    var root = try root()
    try root.addKey(key(1).publicKey, to: .root)
    let id = try key(1).publicKey.metadataID()
    #expect(root.keyIDs(of: .root) == [id] && root.listedKeyIDs == [id])
    try root.addKey(key(2).publicKey, to: .root)
    root.removeKey(id, from: .root)
    #expect(root.listedKeyIDs.contains(id))
    #expect(id.utf8.count == 64)
  }

  @Test("a threshold that the keys of a role cannot reach makes no root", arguments: [0, -1, 3, Int.max])
  func thresholds(threshold: Int) throws {
    var root = try root([1, 2])
    root.setThreshold(threshold, of: .targets)
    #expect(throws: TrustError.self) { try root.document() }
    root.setThreshold(2, of: .targets)
    #expect(try root.document().signatures.isEmpty)
    #expect(throws: TrustError.self) { try RootDocument(expires: Self.expires).document() }
  }

  @Test("signatures that were made on two machines add up, and never across different roots")
  func merge() throws {
    let document = try root([1, 2]).document()
    var first = try SignedDocument(
      decoding: signed(document, [1]).encoded(), role: "root", maxBytes: 100_000)
    try first.merge(signed(document, [2]), role: "root")
    #expect(try first.encoded() == signed(document, [1, 2]).encoded())
    let other = try root([1, 2]).nextVersion(expires: Self.expires).document()
    #expect(throws: TrustError.self) { try first.merge(signed(other, [2]), role: "root") }
  }

  struct Unexpected: Error {}
}
