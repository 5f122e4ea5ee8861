internal import OTACrypto
internal import OTAManifest
internal import OTATrust

extension SignedDocument {
  /// Adds the signature of `signer` under the id that the root lists its key by, once the signature was verified.
  mutating func sign(with signer: any MetadataSigner, keyID: String) async throws(Problem) {
    let signature = try await signer.sign(canonicalBytes)
    do {
      let key = signer.publicKey
      guard try key.verify(signature, of: canonicalBytes, with: key.scheme) else {
        throw Problem(
          .keyNotTrusted, "the signature that was made for the key \(keyID) is wrong",
          advice: "check that the signing command uses the private half of the public key that was given")
      }
    } catch let problem as Problem {
      throw problem
    } catch let error as CryptoError {
      throw Problem(.trustCannotVerify, "a new signature cannot be verified here: \(error.message)")
    } catch {
      throw Problem(.trustCannotVerify, "a new signature cannot be verified here")
    }
    add(signature, keyID: keyID)
  }
}
