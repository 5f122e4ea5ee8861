internal import OTACrypto
public import OTAManifest

/// Metadata on its way to being published: what is signed, and the signatures that were collected so far.
///
/// The opposite of `Envelope`, which is what was received. Nothing here is verified.
public struct SignedDocument: Equatable, Sendable {
  /// The object that is signed, unknown fields included.
  public let signed: JSONValue
  /// The bytes that every signature is over.
  public let canonicalBytes: [UInt8]
  /// The signatures by the id of the key that made them.
  public private(set) var signatures: [String: [UInt8]]

  /// Starts without signatures.
  ///
  /// - Throws: `malformed` when the object has no canonical form.
  public init(_ signed: JSONValue, role: String) throws(TrustError) {
    self.signed = signed
    signatures = [:]
    do {
      canonicalBytes = try CanonicalJSON.encode(signed)
    } catch {
      throw TrustError(error, role: role)
    }
  }

  /// Reads a file with its signatures; one that is not hexadecimal is left out.
  public init(decoding bytes: [UInt8], role: String, maxBytes: Int) throws(TrustError) {
    let envelope = try Envelope(bytes, role: role, maxBytes: maxBytes)
    signed = envelope.signed
    canonicalBytes = envelope.canonicalBytes
    signatures = [:]
    for signature in envelope.signatures { signatures[signature.keyID] = signature.bytes }
  }

  /// Puts the signature of a key in, or in the place of its older one.
  public mutating func add(_ signature: [UInt8], keyID: String) { signatures[keyID] = signature }

  /// Takes over the signatures that another copy of the same metadata has and this one does not.
  ///
  /// - Throws: `mismatch` when the two are not the same metadata.
  public mutating func merge(_ other: SignedDocument, role: String) throws(TrustError) {
    guard other.canonicalBytes == canonicalBytes else {
      throw TrustError(
        .mismatch, role: role, "differs between the two files, so their signatures do not add up")
    }
    signatures.merge(other.signatures) { own, _ in own }
  }

  /// The file: indented JSON with signatures in the order of key ids; the same bytes for the same content.
  public func encoded() -> [UInt8] {
    let sorted = signatures.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return JSONValue.object([
      JSONMember(
        "signatures",
        .array(
          sorted.map { id, bytes in
            .object([JSONMember("keyid", .string(id)), JSONMember("sig", .string(bytes.hexadecimal))])
          })), JSONMember("signed", signed),
    ]).encoded(indented: true)
  }
}
