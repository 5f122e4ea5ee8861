internal import COpenSSL
public import OTAManifest

/// A SHA-256 computation over bytes that arrive in pieces, at the speed of this processor's own instructions.
///
/// The context is private and freed once, so nothing unsafe leaves this type.
@safe
public struct SHA256Stream: ~Copyable {
  private let context: OpaquePointer

  /// Starts an empty computation; throws when the library has no SHA-256 or no memory.
  public init() throws(CryptoError) {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .drainingQueue(after: "EVP_MD_CTX_new") }
    guard unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      let failure = CryptoError.drainingQueue(after: "EVP_DigestInit_ex")
      unsafe EVP_MD_CTX_free(context)
      throw failure
    }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Adds bytes; the same bytes in other pieces give the same digest.
  public mutating func update(_ bytes: RawSpan) throws(CryptoError) {
    let accepted = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    guard accepted == 1 else { throw .drainingQueue(after: "EVP_DigestUpdate") }
  }

  /// Adds bytes; the same bytes in other pieces give the same digest.
  public mutating func update(_ bytes: [UInt8]) throws(CryptoError) {
    try unsafe update(bytes.span.bytes)
  }

  /// Ends the computation.
  public consuming func finish() throws(CryptoError) -> Digest {
    var bytes = [UInt8](repeating: 0, count: Digest.byteCount)
    var count: UInt32 = 0
    guard unsafe EVP_DigestFinal_ex(context, &bytes, &count) == 1 else {
      throw .drainingQueue(after: "EVP_DigestFinal_ex")
    }
    guard count == bytes.count, let digest = Digest(bytes: bytes) else {
      throw .unavailable("the library returned \(count) bytes for a SHA-256 digest")
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
