/// A way to sign, under the names that The Update Framework gives to them.
public enum SignatureScheme: String, Sendable, CaseIterable {
  /// Ed25519 over the message itself (RFC 8032).
  case ed25519
  /// ECDSA on the curve P-256 over the SHA-256 digest; signatures are DER.
  case ecdsaP256 = "ecdsa-sha2-nistp256"
  /// RSA-PSS with SHA-256 as digest and in MGF1, and any length of salt.
  case rsaPSS = "rsassa-pss-sha256"
}
