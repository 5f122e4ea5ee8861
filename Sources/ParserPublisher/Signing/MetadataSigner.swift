public import OTACrypto
public import OTAManifest

/// Something that signs with one key: a key in memory, a command that asks a hardware key, a service.
public protocol MetadataSigner: Sendable {
  /// The key that verifies what this one signs.
  var publicKey: PublicKey { get }

  /// The signature for exactly these bytes.
  ///
  /// Whoever asked verifies the answer before it is used.
  func sign(_ bytes: [UInt8]) async throws(Problem) -> [UInt8]
}
