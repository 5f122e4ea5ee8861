public import OTACrypto
public import OTAManifest

extension PublicKey {
  /// The key as metadata lists it: `keytype`, `scheme` and `keyval`.
  ///
  /// Ed25519 keys are hexadecimal, the other kinds are PEM.
  public func metadataValue() throws(CryptoError) -> JSONValue {
    let keyType: String
    let text: String
    switch scheme {
    case .ed25519: (keyType, text) = ("ed25519", (ed25519Bytes ?? []).hexadecimal)
    case .ecdsaP256: (keyType, text) = ("ecdsa", try pem())
    case .rsaPSS: (keyType, text) = ("rsa", try pem())
    }
    return .object([
      JSONMember("keytype", .string(keyType)), JSONMember("scheme", .string(scheme.rawValue)),
      JSONMember("keyval", .object([JSONMember("public", .string(text))])),
    ])
  }

  /// The id that metadata names the key by: the SHA-256 digest of its canonical form, in hexadecimal.
  public func metadataID() throws(CryptoError) -> String {
    do {
      return try sha256(CanonicalJSON.encode(metadataValue())).hex
    } catch let error as CryptoError {
      throw error
    } catch {
      throw .malformedKey("it has no canonical form")
    }
  }
}

extension [UInt8] {
  /// The bytes as lower-case hexadecimal digits.
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
