internal import COpenSSL

/// A key that signatures are verified with: Ed25519, ECDSA on P-256, or RSA of at least 2048 bits.
///
/// Two keys are equal when they verify the same signatures, however they were written.
public struct PublicKey: Sendable {
  /// The number of bytes of a raw Ed25519 public key.
  public static let ed25519ByteCount = 32
  /// The longest PEM text or DER value that is read as a key.
  static let maxEncodedBytes = 16 << 10

  /// The one scheme that this kind of key is used with.
  public let scheme: SignatureScheme
  /// The key as a DER SubjectPublicKeyInfo (RFC 5280); the same bytes for the same key.
  public let subjectPublicKeyInfo: [UInt8]
  let handle: KeyHandle

  /// Takes the 32 bytes of an Ed25519 key.
  ///
  /// - Throws: `weakKey` for small-order, non-canonical and placeholder values, `malformedKey` for another length.
  public init(ed25519 bytes: [UInt8]) throws(CryptoError) {
    guard bytes.count == Self.ed25519ByteCount else {
      throw .malformedKey("an Ed25519 key has 32 bytes, not \(bytes.count)")
    }
    ERR_clear_error()
    guard let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
      throw .malformedKey(CryptoError.drainedReasons(after: "EVP_PKEY_new_raw_public_key"))
    }
    try unsafe self.init(KeyHandle(owning: key))
  }

  /// Reads 64 hexadecimal digits in either case as an Ed25519 key.
  public init(ed25519Hex text: String) throws(CryptoError) {
    guard let bytes = bytes(fromHex: text) else {
      throw .malformedKey("an Ed25519 key is written as 64 hexadecimal digits")
    }
    try self.init(ed25519: bytes)
  }

  /// Reads a PEM text that begins with `-----BEGIN PUBLIC KEY-----`.
  public init(pem: String) throws(CryptoError) {
    guard pem.utf8.count <= Self.maxEncodedBytes else {
      throw .malformedKey("the PEM text is longer than \(Self.maxEncodedBytes) bytes")
    }
    ERR_clear_error()
    let source = try MemoryBIO(Array(pem.utf8))
    // Without a callback that refuses, an "encrypted" public key would ask on the terminal.
    guard let key = unsafe PEM_read_bio_PUBKEY(source.pointer, nil, { _, _, _, _ in -1 }, nil) else {
      throw .malformedKey(CryptoError.drainedReasons(after: "PEM_read_bio_PUBKEY"))
    }
    try unsafe self.init(KeyHandle(owning: key))
  }

  /// Reads a DER SubjectPublicKeyInfo.
  public init(subjectPublicKeyInfo der: [UInt8]) throws(CryptoError) {
    guard !der.isEmpty, der.count <= Self.maxEncodedBytes else {
      throw .malformedKey("the DER value has \(der.count) bytes")
    }
    ERR_clear_error()
    var consumed = 0
    let key = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var cursor = buffer.baseAddress
      let key = unsafe d2i_PUBKEY(nil, &cursor, buffer.count)
      consumed = unsafe cursor.map { unsafe $0 - (buffer.baseAddress ?? $0) } ?? 0
      return unsafe key
    }
    guard let key = unsafe key else {
      throw .malformedKey(CryptoError.drainedReasons(after: "d2i_PUBKEY"))
    }
    let handle = unsafe KeyHandle(owning: key)
    guard consumed == der.count else { throw .malformedKey("bytes follow the DER value") }
    try self.init(handle)
  }

  /// Checks a key of the library, wherever it came from.
  init(_ handle: KeyHandle) throws(CryptoError) {
    let encoded = try handle.subjectPublicKeyInfo()
    if handle.isA("ED25519") {
      try Ed25519Weakness.check(handle.rawPublicKey())
      scheme = .ed25519
    } else if handle.isA("EC") {
      try Self.checkCurve(encoded)
      scheme = .ecdsaP256
    } else if handle.isA("RSA") {
      guard handle.bits >= 2048 else {
        throw .weakKey("an RSA key has at least 2048 bits, not \(handle.bits)")
      }
      guard handle.bits <= 8192 else {
        throw .malformedKey("an RSA key has at most 8192 bits, not \(handle.bits)")
      }
      scheme = .rsaPSS
    } else {
      throw .malformedKey("it is neither Ed25519 nor ECDSA nor RSA")
    }
    self.handle = handle
    subjectPublicKeyInfo = encoded
  }

  /// The raw bytes of an Ed25519 key; `nil` for other kinds.
  public var ed25519Bytes: [UInt8]? {
    scheme == .ed25519 ? Array(subjectPublicKeyInfo.suffix(Self.ed25519ByteCount)) : nil
  }

  /// The key as PEM text.
  public func pem() throws(CryptoError) -> String {
    let target = try MemoryBIO()
    guard unsafe PEM_write_bio_PUBKEY(target.pointer, handle.pointer) == 1 else {
      throw .drainingQueue(after: "PEM_write_bio_PUBKEY")
    }
    return String(decoding: target.bytes, as: UTF8.self)
  }

  /// Accepts one spelling of a P-256 key alone (RFC 5480, named curve, uncompressed), so that equal keys have equal bytes.
  private static func checkCurve(_ encoded: [UInt8]) throws(CryptoError) {
    let head: [UInt8] = [
      0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
      0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    guard encoded.count == 91, encoded.starts(with: head) else {
      throw .malformedKey("an ECDSA key is on the curve P-256, by name, with its point uncompressed")
    }
  }
}

extension PublicKey: Hashable {
  /// Compares the keys themselves.
  public static func == (left: PublicKey, right: PublicKey) -> Bool {
    left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
  }

  /// Hashes the key itself.
  public func hash(into hasher: inout Hasher) { hasher.combine(subjectPublicKeyInfo) }
}

/// The bytes of an even number of hexadecimal digits in either case; `nil` for any other text.
public func bytes(fromHex text: some StringProtocol) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(digits.count / 2)
  for index in stride(from: 0, to: digits.count, by: 2) {
    guard let high = hexDigit(digits[index]), let low = hexDigit(digits[index + 1]) else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

private func hexDigit(_ code: UInt8) -> UInt8? {
  switch code {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): code - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): code - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): code - UInt8(ascii: "A") + 10
  default: nil
  }
}
