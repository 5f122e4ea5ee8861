internal import COpenSSL

/// A digest algorithm that file descriptions use, under its usual name.
public enum HashAlgorithm: String, Sendable, CaseIterable {
  case sha256
  case sha512
}

/// A computation of any known digest over bytes that arrive in pieces.
///
/// Sendable: the context has one owner, who changes it through `mutating` methods alone.
@safe
public struct HashStream: ~Copyable, @unchecked Sendable {
  private let context: OpaquePointer

  /// Starts an empty computation; throws when the library lacks the algorithm or memory.
  public init(_ algorithm: HashAlgorithm) throws(CryptoError) {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .drainingQueue(after: "EVP_MD_CTX_new") }
    let digest = unsafe algorithm == .sha256 ? EVP_sha256() : EVP_sha512()
    guard unsafe EVP_DigestInit_ex(context, digest, nil) == 1 else {
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

  /// Ends the computation: 32 bytes for SHA-256, 64 for SHA-512.
  public consuming func finish() throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard unsafe EVP_DigestFinal_ex(context, &bytes, &count) == 1 else {
      throw .drainingQueue(after: "EVP_DigestFinal_ex")
    }
    return Array(bytes.prefix(Int(count)))
  }
}

extension [UInt8] {
  /// Hands the bytes to `body` without a copy; for whoever takes a span and has an array.
  package func withRawBytes<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    try unsafe body(span.bytes)
  }
}
