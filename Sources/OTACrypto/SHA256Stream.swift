public import OTAManifest

/// A SHA-256 computation over bytes that arrive in pieces, at the speed of this processor's own instructions.
public struct SHA256Stream: ~Copyable, Sendable {
  private var stream: HashStream

  /// Starts an empty computation; throws when the library has no SHA-256 or no memory.
  public init() throws(CryptoError) { stream = try HashStream(.sha256) }

  /// Adds bytes; the same bytes in other pieces give the same digest.
  public mutating func update(_ bytes: RawSpan) throws(CryptoError) { try stream.update(bytes) }

  /// Adds bytes; the same bytes in other pieces give the same digest.
  public mutating func update(_ bytes: [UInt8]) throws(CryptoError) { try stream.update(bytes) }

  /// Ends the computation.
  public consuming func finish() throws(CryptoError) -> Digest {
    let bytes = try stream.finish()
    guard let digest = Digest(bytes: bytes) else {
      throw .unavailable("the library returned \(bytes.count) bytes for a SHA-256 digest")
    }
    return digest
  }
}

/// The SHA-256 digest of bytes in memory.
public func sha256(_ bytes: [UInt8]) throws(CryptoError) -> Digest {
  var stream = try SHA256Stream()
  try stream.update(bytes)
  return try stream.finish()
}
