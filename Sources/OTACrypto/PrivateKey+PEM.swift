internal import COpenSSL

extension PrivateKey {
  /// Rounds of PBKDF2 with HMAC-SHA-256 between a passphrase and the key that encrypts; OWASP asks for 600 000.
  public static let passphraseRounds: Int32 = 600_000
  private static let maxPassphraseBytes = 1024

  /// Reads PKCS#8 PEM, `-----BEGIN PRIVATE KEY-----` or `-----BEGIN ENCRYPTED PRIVATE KEY-----`.
  ///
  /// - Throws: `wrongPassphrase` when it is encrypted and the passphrase is missing or wrong; never asks on a terminal.
  public init(pem: String, passphrase: [UInt8]? = nil) throws(CryptoError) {
    try self.init(pem: Array(pem.utf8), passphrase: passphrase)
  }

  /// Reads the same text as bytes, which the caller can erase afterwards.
  public init(pem: [UInt8], passphrase: [UInt8]? = nil) throws(CryptoError) {
    guard pem.count <= PublicKey.maxEncodedBytes else {
      throw .malformedKey("the PEM text is longer than \(PublicKey.maxEncodedBytes) bytes")
    }
    ERR_clear_error()
    let source = try MemoryBIO(pem)
    let box = PassphraseBox(passphrase)
    let key = unsafe withExtendedLifetime(box) {
      unsafe PEM_read_bio_PrivateKey(
        source.pointer, nil, passphraseCallback, Unmanaged.passUnretained(box).toOpaque())
    }
    guard let key = unsafe key else {
      let reasons = CryptoError.drainedReasons(after: "PEM_read_bio_PrivateKey")
      if box.wasAsked { throw .wrongPassphrase }
      throw .malformedKey(reasons)
    }
    try unsafe self.init(KeyHandle(owning: key))
  }

  /// The key as PKCS#8 PEM, encrypted with AES-256 when there is a passphrase.
  ///
  /// - Throws: `malformedKey` for an empty passphrase or one of more than 1024 bytes.
  public func pem(passphrase: [UInt8]? = nil) throws(CryptoError) -> String {
    ERR_clear_error()
    let target = try MemoryBIO()
    guard let passphrase else {
      guard unsafe PEM_write_bio_PKCS8PrivateKey(target.pointer, handle.pointer, nil, nil, 0, nil, nil) == 1
      else {
        throw .drainingQueue(after: "PEM_write_bio_PKCS8PrivateKey")
      }
      return String(decoding: target.bytes, as: UTF8.self)
    }
    guard (1...Self.maxPassphraseBytes).contains(passphrase.count) else {
      throw .malformedKey("a passphrase has 1 to \(Self.maxPassphraseBytes) bytes")
    }
    try writeEncrypted(to: target, passphrase)
    return String(decoding: target.bytes, as: UTF8.self)
  }

  private func writeEncrypted(to target: borrowing MemoryBIO, _ passphrase: [UInt8]) throws(CryptoError) {
    guard let plain = unsafe EVP_PKEY2PKCS8(handle.pointer) else {
      throw .drainingQueue(after: "EVP_PKEY2PKCS8")
    }
    defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
    guard
      let parameters = unsafe PKCS5_pbe2_set_iv(
        EVP_aes_256_cbc(), Self.passphraseRounds, nil, 0, nil, NID_hmacWithSHA256)
    else { throw .drainingQueue(after: "PKCS5_pbe2_set_iv") }
    let sealed = unsafe passphrase.withUnsafeBytes { bytes in
      unsafe PKCS8_set0_pbe(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), plain, parameters)
    }
    guard let sealed = unsafe sealed else {
      let failure = CryptoError.drainingQueue(after: "PKCS8_set0_pbe")
      unsafe X509_ALGOR_free(parameters)
      throw failure
    }
    // The sealed key owns the parameters from here on.
    defer { unsafe X509_SIG_free(sealed) }
    guard unsafe PEM_write_bio_PKCS8(target.pointer, sealed) == 1 else {
      throw .drainingQueue(after: "PEM_write_bio_PKCS8")
    }
  }
}

/// What the library's question for a passphrase is answered from.
private final class PassphraseBox {
  let passphrase: [UInt8]?
  var wasAsked = false

  init(_ passphrase: [UInt8]?) { self.passphrase = passphrase }
}

/// Answers with the passphrase, or with -1, which is an error instead of a question on the terminal.
private let passphraseCallback:
  @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
    (buffer, size, _, context) in
    guard let buffer = unsafe buffer, let context = unsafe context else { return -1 }
    let box = unsafe Unmanaged<PassphraseBox>.fromOpaque(context).takeUnretainedValue()
    box.wasAsked = true
    guard let passphrase = box.passphrase, passphrase.count <= Int(size) else { return -1 }
    for (index, byte) in passphrase.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
    return Int32(passphrase.count)
  }
