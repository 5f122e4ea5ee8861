internal import OTACrypto
internal import OTAManifest

extension RoleKeys {
  /// Refuses metadata that fewer different keys signed than the threshold asks for.
  ///
  /// A key counts once, under however many ids it is listed and however often it signed. Wrong signatures beside
  /// enough right ones do no harm.
  ///
  /// - Throws: `signature`, or `cannotVerify` when signatures that cannot be judged here might have made up the number.
  func requireThreshold(on envelope: Envelope) throws(TrustError) {
    var signers: Set<PublicKey> = []
    var unjudged: [String] = []
    for signature in envelope.signatures {
      guard let key = keys.first(where: { $0.id.hasSameBytes(as: signature.keyID) }),
        let bytes = signature.bytes, !bytes.isEmpty
      else { continue }
      switch key.use {
      case .counts(let reason): unjudged.append(reason)
      case .verifies(let material):
        guard !signers.contains(material) else { continue }
        do {
          if try material.verify(bytes, of: envelope.canonicalBytes, with: material.scheme) {
            signers.insert(material)
          }
        } catch {
          unjudged.append(error.message)
        }
      }
      if signers.count >= threshold { return }
    }
    throw refusal(envelope.role, signers.count, unjudged)
  }

  private func refusal(_ role: String, _ count: Int, _ unjudged: [String]) -> TrustError {
    guard let reason = unjudged.first, count + unjudged.count >= threshold else {
      return TrustError(
        .signature, role: role,
        "is signed by \(count) of the \(threshold) keys that must agree: it was forged or damaged, or it was signed"
          + " with other keys")
    }
    return TrustError(.cannotVerify, role: role, "has signatures that cannot be verified here: \(reason)")
  }
}
