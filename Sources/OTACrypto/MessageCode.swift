public import OTAManifest

/// The HMAC-SHA256 of a message. Source: RFC 2104.
///
/// - Parameter key: a secret of any length.
public func hmacSHA256(_ message: [UInt8], key: [UInt8]) throws(CryptoError) -> Digest {
  let blockBytes = 64
  let short = key.count > blockBytes ? try sha256(key).bytes : key
  let padded = short + [UInt8](repeating: 0, count: blockBytes - short.count)
  let inner = try sha256(padded.map { $0 ^ 0x36 } + message)
  return try sha256(padded.map { $0 ^ 0x5C } + inner.bytes)
}
