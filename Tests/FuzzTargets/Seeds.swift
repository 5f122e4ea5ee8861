import Foundation
import OTACrypto
import OTAManifest
import OTATrust
import TestSupport
import TrustFixtures

/// Inputs that several targets start from.
enum Seeds {
  /// The files of a folder of this package, without the large ones, in the order of their names.
  static func files(_ folder: String, maxBytes: Int = 8192) throws -> [[UInt8]] {
    let path = "\(BuiltProducts.packageRoot(of: #filePath))/\(folder)"
    return try namesInDirectory(path).filter { $0.hasSuffix(".json") }
      .map { Array(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\($0)"))) }
      .filter { $0.count <= maxBytes }
  }

  /// The samples of manifests, good and bad.
  static func manifests() throws -> [[UInt8]] {
    try files("manifests/accepted") + files("manifests/refused")
  }

  /// Texts as bytes.
  static func texts(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  /// A signed feed with a delegation, digests and lengths.
  static func feed() throws -> TestFeed {
    var feed = try TestFeed()
    feed.hasHashes = true
    let key = try TestKey(5)
    let role = TestFeed.role(
      try TestFeed.Signers(5),
      [
        JSONMember("name", "helper"), JSONMember("paths", ["a/*", "b/[a-z]?.js"]),
        JSONMember("terminating", true),
      ])
    let hashed = TestFeed.role(
      try TestFeed.Signers(5), [JSONMember("name", "bins"), JSONMember("path_hash_prefixes", ["0a", "ff"])])
    feed.delegations = object([
      JSONMember("keys", object([JSONMember(key.id, key.entry)])), JSONMember("roles", [role, hashed]),
    ])
    feed.delegated = ["helper": try signed(feed.targetsBody(["a/x": [1]]), by: [key])]
    return feed
  }

  /// Metadata as this package's own writer makes it, with keys of all three kinds.
  static func written() throws -> [[UInt8]] {
    let expires = TestFeed.now.advanced(bySeconds: 86_400)
    let key = try PrivateKey(seed: [UInt8](repeating: 9, count: 32))
    var root = RootDocument(expires: expires)
    for role in Root.Role.allCases { try root.addKey(key.publicKey, to: role) }
    try root.addKey(PublicKey(pem: Self.p256), to: .targets)
    let entry = FileEntry(length: 7, sha256: try sha256([1, 2, 3]))
    let documents = [
      try root.document(), try root.nextVersion(expires: expires).document(),
      try TimestampDocument(version: 3, expires: expires, snapshotVersion: 2, snapshot: entry).document(),
      try SnapshotDocument(version: 2, expires: expires, targetsVersion: 5, targets: entry).document(),
      try TargetsDocument(version: 5, expires: expires, files: ["manifest.json": entry]).document(),
    ]
    return try documents.map { document in
      var document = document
      document.add(try key.sign(document.canonicalBytes), keyID: try key.publicKey.metadataID())
      return document.encoded()
    }
  }

  /// A key for ECDSA on P-256.
  static let p256 = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELfTL5QY3Rby6TuX6xg5k5DKj9V2e
    TPGQl3NkaicXVfJq1lgcWy7TAMJV3/2/0nsBQQl1DVDj6gsfKDG4Lk3JBQ==
    -----END PUBLIC KEY-----

    """

  /// A key for RSA of 2048 bits.
  static let rsa = """
    -----BEGIN PUBLIC KEY-----
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAifGWIKzsRKCXqKeZKqKX
    RGmVy6BOGB4S/jT1Qye5SgLcAnifI3umAP8afwwGt6i/ibGOIuuSA9RBiPlu4dKN
    EFffz1iiopxaVhl4QyKTGgX5jXmV+6ymWyZJARVFmMIbSDWuzHjhif7ul8DPHXTD
    YjBgOwxJqemgsrSpSj1shRPOMmjFVwCLoG7fCqAY2JQWqvhZvJYeExRQNOZR+SL2
    +dt4DUDt+SGN8yKNB7EQq5GtVdtux/E0CZ5oKs4ciA8AS5fEXasJNZlSEplJJwQR
    1XN1fN59GsUmGfJdDrSOqZDl8sZkxc6im5KWFuQfriiccRtPHanIdAmCg0PhULUr
    vwIDAQAB
    -----END PUBLIC KEY-----

    """
}
