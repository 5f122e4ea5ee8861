internal import COpenSSL

/// An Ed25519 key that signs; its secret stays inside the library.
public struct PrivateKey: Sendable {
  /// The key that verifies what this one signs.
  public let publicKey: PublicKey
  let handle: KeyHandle

  init(_ handle: KeyHandle) throws(CryptoError) {
    guard handle.isA("ED25519") else {
      let kind = ["RSA", "EC", "X25519", "X448", "ED448", "DSA", "RSA-PSS", "SM2", "DH"].first(
        where: handle.isA)
      throw .malformedKey("only Ed25519 keys sign here\(kind.map { ", and this one is \($0)" } ?? "")")
    }
    self.handle = handle
    publicKey = try PublicKey(ed25519: handle.rawPublicKey())
  }

  /// Takes the 32 secret bytes that RFC 8032 calls the private key.
  public init(seed: [UInt8]) throws(CryptoError) {
    guard seed.count == 32 else { throw .malformedKey("an Ed25519 seed has 32 bytes, not \(seed.count)") }
    ERR_clear_error()
    guard let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
      throw .malformedKey(CryptoError.drainedReasons(after: "EVP_PKEY_new_raw_private_key"))
    }
    try unsafe self.init(KeyHandle(owning: key))
  }

  /// Makes a new key from the random generator of the library.
  public static func generate() throws(CryptoError) -> PrivateKey {
    ERR_clear_error()
    guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else {
      throw .drainingQueue(after: "EVP_PKEY_CTX_new_id")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_keygen(context, &key) == 1,
      let made = unsafe key
    else { throw .drainingQueue(after: "EVP_PKEY_keygen") }
    return try unsafe PrivateKey(KeyHandle(owning: made))
  }

  /// The 64 bytes of the signature for these bytes; the same for the same input.
  public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    ERR_clear_error()
    guard let context = unsafe EVP_MD_CTX_new() else { throw .drainingQueue(after: "EVP_MD_CTX_new") }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit(context, nil, nil, nil, handle.pointer) == 1 else {
      throw .drainingQueue(after: "EVP_DigestSignInit")
    }
    var signature = [UInt8](repeating: 0, count: 64)
    var count = signature.count
    guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64 else {
      throw .drainingQueue(after: "EVP_DigestSign")
    }
    return signature
  }
}
