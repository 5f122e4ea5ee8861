internal import OTACrypto
public import OTAManifest

/// What new metadata says of a file: its size and its SHA-256 digest.
public struct FileEntry: Equatable, Sendable {
  /// The size in bytes.
  public let length: Int
  /// The digest.
  public let sha256: Digest

  /// Describes a file whose digest is known.
  public init(length: Int, sha256: Digest) {
    self.length = length
    self.sha256 = sha256
  }

  /// The members `length` and `hashes`.
  var members: [JSONMember] {
    [
      JSONMember("length", .integer(Int64(length))),
      JSONMember("hashes", .object([JSONMember("sha256", .string(sha256.hex))])),
    ]
  }
}
