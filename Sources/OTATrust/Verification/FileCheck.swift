internal import OTACrypto

/// Compares bytes that arrive in pieces with the length and all known digests that signed metadata gives.
public struct FileCheck: ~Copyable, Sendable {
  private let name: String
  private let length: Int?
  private let expected: [HashAlgorithm: [UInt8]]
  private var sha256: HashStream?
  private var sha512: HashStream?
  private var received = 0

  /// Starts the check of a target.
  ///
  /// - Throws: `cannotVerify` when no digest is of a known algorithm.
  public init(_ target: TargetDescription) throws(TrustError) {
    try self.init(length: target.length, hashes: target.hashes, name: target.path)
  }

  init(length: Int?, hashes: FileHashes?, name: String) throws(TrustError) {
    if let hashes, hashes.known.isEmpty {
      throw TrustError(
        .cannotVerify, role: name, "has no digest of a kind that is known here (SHA-256, SHA-512)")
    }
    let expected = hashes?.known ?? [:]
    let sha256 = try Self.stream(.sha256, for: expected, name)
    let sha512 = try Self.stream(.sha512, for: expected, name)
    self.name = name
    self.length = length
    self.expected = expected
    self.sha256 = sha256
    self.sha512 = sha512
  }

  private static func stream(
    _ algorithm: HashAlgorithm, for expected: [HashAlgorithm: [UInt8]], _ name: String
  ) throws(TrustError) -> HashStream? {
    guard expected[algorithm] != nil else { return nil }
    do {
      return try HashStream(algorithm)
    } catch {
      throw TrustError(.cannotVerify, role: name, "cannot be hashed here: \(error.message)")
    }
  }

  /// Takes the next bytes; throws as soon as there are too many.
  public mutating func update(_ bytes: RawSpan) throws(TrustError) {
    received += bytes.byteCount
    if let length, received > length {
      throw TrustError(.mismatch, role: name, "has more than the \(length) bytes that signed metadata gives")
    }
    do {
      try sha256?.update(bytes)
      try sha512?.update(bytes)
    } catch {
      throw TrustError(.cannotVerify, role: name, "cannot be hashed here: \(error.message)")
    }
  }

  /// Takes all bytes at once; throws when there are too many.
  public mutating func update(_ bytes: [UInt8]) throws(TrustError) {
    try bytes.withRawBytes { (span) throws(TrustError) in try update(span) }
  }

  /// Refuses the whole unless length and digests are those of signed metadata.
  public consuming func finish() throws(TrustError) {
    if let length, received != length {
      throw TrustError(
        .mismatch, role: name, "has \(received) bytes, not the \(length) that signed metadata gives")
    }
    let name = name
    let expected = expected
    do {
      let first = try sha256?.finish()
      let second = try sha512?.finish()
      guard first == expected[.sha256], second == expected[.sha512] else {
        throw TrustError(.mismatch, role: name, "does not have the digest that signed metadata gives")
      }
    } catch let error as CryptoError {
      throw TrustError(.cannotVerify, role: name, "cannot be hashed here: \(error.message)")
    } catch {
      throw TrustError(.mismatch, role: name, "does not have the digest that signed metadata gives")
    }
  }
}
