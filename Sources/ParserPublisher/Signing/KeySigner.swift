public import OTACrypto
public import OTAManifest

/// Signs with a key that this process holds.
public struct KeySigner: MetadataSigner {
  private let key: PrivateKey

  /// Takes a key that was read already.
  public init(_ key: PrivateKey) { self.key = key }

  /// The key that verifies what this one signs.
  public var publicKey: PublicKey { key.publicKey }

  /// The signature; the same for the same bytes.
  public func sign(_ bytes: [UInt8]) async throws(Problem) -> [UInt8] {
    do {
      return try key.sign(bytes)
    } catch {
      throw Problem(.cryptoUnavailable, "cannot sign on this machine: \(error.message)")
    }
  }
}
