import OTACrypto
import OTAManifest
import TestSupport
import TrustFixtures

@testable import OTATrust

extension FuzzTarget {
  /// Keys: a key that is read is written and read as the same key, and a private one signs for its public one.
  static let keys = FuzzTarget(
    name: "keys",
    seeds: {
      let key = try PrivateKey(seed: [UInt8](repeating: 9, count: 32))
      let publics = [key.publicKey, try PublicKey(pem: Seeds.p256), try PublicKey(pem: Seeds.rsa)]
      return try publics.map(\.subjectPublicKeyInfo) + publics.map { Array(try $0.pem().utf8) }
        + Seeds.texts(try key.pem(), hex(key.publicKey.ed25519Bytes ?? []))
    },
    check: { bytes throws(BrokenRule) in
      let text = String(decoding: bytes, as: UTF8.self)
      let readers: [() throws -> PublicKey] = [
        { try PublicKey(subjectPublicKeyInfo: bytes) }, { try PublicKey(pem: text) },
        { try PublicKey(ed25519Hex: text) }, { try PublicKey(ed25519: bytes) },
      ]
      for key in readers.compactMap(reading) { try checkKey(key) }
      guard let key = reading({ try PrivateKey(pem: text) }) else { return }
      let verifies = try must("a private key signs and is written") {
        let again = try PrivateKey(pem: key.pem())
        return try key.publicKey.verify(again.sign(bytes), of: bytes, with: .ed25519)
      }
      try require(verifies, "a private key that was written signs for the same public key")
    })

  private static func checkKey(_ key: PublicKey) throws(BrokenRule) {
    let again = try must("a key that was written is read") {
      [try PublicKey(pem: key.pem()), try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)]
    }
    try require(again == [key, key], "a key that was written is the same key")
    try require(again.allSatisfy { $0.scheme == key.scheme }, "a key that was written is of the same kind")
    let isRight = reading { try key.verify([UInt8](repeating: 1, count: 64), of: [1], with: key.scheme) }
    try require(isRight != true, "a made-up signature is not right")
  }

  /// Metadata as it is received: every role is read, signatures survive a rewrite, and a root can be continued.
  static let metadata = FuzzTarget(
    name: "metadata", seeds: { try Seeds.written() + Array(Seeds.feed().published().values) }
  ) { bytes throws(BrokenRule) in
    guard let envelope = reading({ try Envelope(bytes, role: "any", maxBytes: 1 << 20) }) else { return }
    let document = try must("metadata is read for writing") {
      try SignedDocument(decoding: bytes, role: "any", maxBytes: 1 << 20)
    }
    let again = try must("metadata that was written is read") {
      try SignedDocument(decoding: document.encoded(), role: "any", maxBytes: 1 << 24)
    }
    try require(again == document, "metadata that was written is the same metadata")
    try require(again.canonicalBytes == envelope.canonicalBytes, "its signatures are over the same bytes")
    _ = reading { try TimestampMetadata(envelope) }
    if let snapshot = reading({ try Snapshot(envelope) }) {
      try must("a snapshot follows itself") { try snapshot.requireNoRollback(from: snapshot, role: "any") }
    }
    if let targets = reading({ try Targets(envelope) }) { try checkTargets(targets) }
    if let root = reading({ try Root(envelope) }) { try checkRoot(root, bytes) }
  }

  private static func checkTargets(_ targets: Targets) throws(BrokenRule) {
    for path in targets.paths.prefix(16) {
      try require(targets.description(of: path)?.path == path, "\(path.debugDescription) is described")
      for role in targets.delegations.roles.prefix(8) {
        _ = try must("a role is asked about a path") { try role.covers(path) }
      }
    }
  }

  private static func checkRoot(_ root: Root, _ bytes: [UInt8]) throws(BrokenRule) {
    try require(!root.revokes(keysOf: .root, in: root), "a root revokes none of its own keys")
    guard bytes.count <= TrustLimits.standard.maxRootBytes else { return }
    let draft = try must("a root is read to be continued") { try RootDocument(decoding: bytes) }
    try require(draft.version == root.version, "a root has one version")
    guard let next = reading({ try draft.nextVersion(expires: TestFeed.now).document() }) else { return }
    let read = reading { try Root(Envelope(next.encoded(), role: "root", maxBytes: 1 << 24)) }
    try require(read.map { $0.version == root.version + 1 } ?? true, "the next root is one higher")
  }
}
