internal import OTAManifest
public import OTACrypto

/// A key as metadata lists it under an id.
public struct TrustKey: Equatable, Sendable {
  /// What the key is good for.
  public enum Use: Equatable, Sendable {
    /// It verifies signatures.
    case verifies(PublicKey)
    /// It stays listed, but no signature of it counts, for this reason.
    case counts(nothing: String)
  }

  /// The id that signatures name it by.
  public let id: String
  /// Whether it verifies, or why not.
  public let use: Use

  /// Reads a key; one of an unknown kind, or whose id is not the digest of its canonical form, counts for nothing.
  ///
  /// - Throws: `InputError` for something that is not a key; `CryptoError.weakKey` for one that anybody can sign for.
  init(id: String, _ value: JSONValue, path: String) throws {
    self.id = id
    let object = try JSONObject(value, path: path, known: ["keytype", "scheme", "keyval"])
    let kind = (try object.string("keytype"), try object.string("scheme"))
    let text = try object.object("keyval").string("public")
    guard id.hasSameBytes(as: try sha256(CanonicalJSON.encode(value)).hex) else {
      use = .counts(nothing: "its id is not the SHA-256 digest of the key")
      return
    }
    do {
      use = try Self.use(kind, text)
    } catch {
      if case .weakKey(let reason) = error { throw CryptoError.weakKey("\(id): \(reason)") }
      use = .counts(nothing: error.message)
    }
  }

  private static func use(_ kind: (type: String, scheme: String), _ text: String) throws(CryptoError) -> Use {
    switch kind {
    case ("ed25519", "ed25519"): return .verifies(try PublicKey(ed25519Hex: text))
    case ("ecdsa", "ecdsa-sha2-nistp256"), ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"):
      return use(try PublicKey(pem: text), .ecdsaP256)
    case ("rsa", "rsassa-pss-sha256"): return use(try PublicKey(pem: text), .rsaPSS)
    default:
      return .counts(
        nothing:
          "the key type \"\(kind.type.printable())\" with \"\(kind.scheme.printable())\" is not known here")
    }
  }

  private static func use(_ key: PublicKey, _ scheme: SignatureScheme) -> Use {
    key.scheme == scheme ? .verifies(key) : .counts(nothing: "the key is not one for \(scheme.rawValue)")
  }
}

/// The keys of a root or of delegations by their ids, compared as bytes.
struct KeyRing: Sendable {
  private let keys: [ExactText: TrustKey]

  /// Reads the object `keys`.
  ///
  /// - Throws: `InputError`, or `CryptoError.weakKey`.
  init(_ object: JSONObject) throws {
    var keys: [ExactText: TrustKey] = [:]
    for member in object.members {
      keys[ExactText(member.key)] = try TrustKey(
        id: member.key, member.value, path: object.path(of: member.key))
    }
    self.keys = keys
  }

  subscript(_ id: String) -> TrustKey? { keys[ExactText(id)] }
}
