internal import OTACrypto
public import OTAManifest

/// Received metadata with its signatures, not yet verified: nothing in `signed` may be believed.
public struct Envelope: Sendable {
  /// One signature as it was received.
  public struct Signature: Equatable, Sendable {
    /// The id of the key that is said to have signed.
    public let keyID: String
    /// The signature; `nil` when it is not hexadecimal, so that it cannot be right.
    public let bytes: [UInt8]?
  }

  /// The role that it was asked for as, for messages.
  public let role: String
  /// The object that was signed, unknown fields included.
  public let signed: JSONValue
  /// The bytes that the signatures are over.
  public let canonicalBytes: [UInt8]
  /// The signatures, at most one for each key id.
  public let signatures: [Signature]

  /// Whether bytes have the form of signed metadata; nothing is verified.
  package static func isReadable(_ bytes: [UInt8]) -> Bool {
    do {
      _ = try Envelope(bytes, role: "metadata", maxBytes: TrustLimits.standard.maxTargetsBytes)
      return true
    } catch {
      // A page, an error text, nothing at all: the caller decides what that means.
      return false
    }
  }

  /// Reads metadata of the role.
  public init(_ bytes: [UInt8], role: String, maxBytes: Int) throws(TrustError) {
    self.role = role
    do {
      let value = try JSONReader.read(bytes, maxBytes: maxBytes, maxDepth: TrustLimits.standard.maxNesting)
      let document = try JSONObject(value, known: ["signed", "signatures"])
      signed = try document.required("signed")
      canonicalBytes = try CanonicalJSON.encode(signed)
      signatures = try Self.signatures(of: document)
    } catch {
      throw TrustError(error, role: role)
    }
  }

  private static func signatures(of document: JSONObject) throws(InputError) -> [Signature] {
    var signatures: [Signature] = []
    var seen: Set<ExactText> = []
    for (index, item) in try document.array("signatures").enumerated() {
      let path = "signatures[\(index)]"
      let object = try JSONObject(item, path: path, known: ["keyid", "sig"])
      let keyID = try object.string("keyid")
      guard seen.insert(ExactText(keyID)).inserted else {
        throw InputError(
          .duplicateID, field: "\(path).keyid", "is \"\(keyID.printable())\" a second time: a key signs once")
      }
      signatures.append(Signature(keyID: keyID, bytes: bytes(fromHex: try object.string("sig"))))
    }
    return signatures
  }
}

extension TrustError {
  /// A refusal of content that is not metadata.
  init(_ error: InputError, role: String) {
    let reason: Reason = error.reason == .tooLarge || error.reason == .tooDeep ? .limit : .malformed
    self.init(reason, role: role, error.field.isEmpty ? error.detail : "has a fault: \(error.message)")
  }
}
