public import OTACrypto
public import OTAManifest

/// The digests that metadata gives for a file; at least one, and those of unknown algorithms left out.
public struct FileHashes: Equatable, Sendable {
  /// The digests of known algorithms.
  public let known: [HashAlgorithm: [UInt8]]

  init(_ object: JSONObject) throws(InputError) {
    guard !object.members.isEmpty else { throw InputError(.malformed, field: object.path, "is empty") }
    var known: [HashAlgorithm: [UInt8]] = [:]
    for member in object.members {
      guard case .string(let text) = member.value else {
        throw InputError(
          .wrongType, field: object.path(of: member.key), "is \(member.value.kindName), not a string")
      }
      guard let algorithm = HashAlgorithm(rawValue: member.key) else { continue }
      guard let digest = bytes(fromHex: text), digest.count == algorithm.byteCount else {
        throw InputError(
          .malformed, field: object.path(of: member.key),
          "is not a digest of \(algorithm.byteCount) bytes in hexadecimal")
      }
      known[algorithm] = digest
    }
    self.known = known
  }

  /// The digest that names on a feed with consistent snapshots carry, SHA-256 where there is one.
  public var nameDigest: [UInt8]? { known[.sha256] ?? known[.sha512] }
}

extension HashAlgorithm {
  var byteCount: Int { self == .sha256 ? 32 : 64 }
}

/// What signed metadata says of another metadata file.
public struct MetadataDescription: Equatable, Sendable {
  /// The version that it must have.
  public let version: Int64
  /// Its size in bytes, when given.
  public let length: Int?
  /// Its digests, when given.
  public let hashes: FileHashes?

  init(_ object: JSONObject) throws(InputError) {
    version = try object.integer("version")
    length = try object.optional("length") { (name) throws(InputError) in Int(try object.integer(name)) }
    hashes = try object.optional("hashes") { (name) throws(InputError) in try FileHashes(object.object(name))
    }
  }

  static let fields = ["version", "length", "hashes"]

  /// Refuses bytes of another length or digest.
  func check(_ bytes: [UInt8], role: String) throws(TrustError) {
    var check = try FileCheck(length: length, hashes: hashes, name: role)
    try check.update(bytes)
    try check.finish()
  }
}

/// What signed metadata says of a file that is to be used.
public struct TargetDescription: Equatable, Sendable {
  /// The path below the base of all targets.
  public let path: String
  /// Its size in bytes.
  public let length: Int
  /// Its digests.
  public let hashes: FileHashes
  /// What the publisher added, opaque here; `null` when nothing.
  public let custom: JSONValue

  static let fields = ["length", "hashes", "custom"]

  init(path: String, _ object: JSONObject) throws(InputError) {
    self.path = path
    length = Int(try object.integer("length", in: 0...JSONObject.maxExactInteger))
    hashes = try FileHashes(object.object("hashes"))
    custom = object["custom"] ?? .null
  }
}
