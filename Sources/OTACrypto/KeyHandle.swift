internal import COpenSSL

/// Owns one key of the library and frees it once.
///
/// Sendable: the key is never changed after this was made, and OpenSSL reads such a key from any thread.
@safe
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// Whether the key is of a kind that OpenSSL calls by this name.
  func isA(_ name: String) -> Bool { unsafe EVP_PKEY_is_a(pointer, name) == 1 }

  /// The size in bits, as the kind of key counts it.
  var bits: Int { unsafe Int(EVP_PKEY_get_bits(pointer)) }

  /// The 32 bytes of an Ed25519 public key.
  func rawPublicKey() throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: PublicKey.ed25519ByteCount)
    var count = bytes.count
    guard unsafe EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == bytes.count else {
      throw .malformedKey(CryptoError.drainedReasons(after: "EVP_PKEY_get_raw_public_key"))
    }
    return bytes
  }

  /// The public half as a DER SubjectPublicKeyInfo (RFC 5280), encoded anew.
  func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
    let count = unsafe i2d_PUBKEY(pointer, nil)
    guard count > 0 else { throw .malformedKey(CryptoError.drainedReasons(after: "i2d_PUBKEY")) }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return unsafe i2d_PUBKEY(pointer, &cursor)
    }
    guard written == count else { throw .malformedKey(CryptoError.drainedReasons(after: "i2d_PUBKEY")) }
    return bytes
  }
}
