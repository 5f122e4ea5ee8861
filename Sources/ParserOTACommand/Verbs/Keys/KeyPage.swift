internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// How a public key is shown.
struct KeyPage {
  /// The id that metadata names the key by.
  let id: String
  private let hex: String
  private let pem: String

  init(_ key: PublicKey) throws(CommandFailure) {
    id = try Self.crypto { () throws(CryptoError) in try key.metadataID() }
    pem = try Self.crypto { () throws(CryptoError) in try key.pem() }
    hex = (key.ed25519Bytes ?? []).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// The key for people.
  var lines: [String] { ["key id      \(id)", "public key  \(hex)"] }

  /// The key as members of an object.
  var members: [JSONMember] {
    [
      JSONMember("keyID", .string(id)), JSONMember("publicKey", .string(hex)),
      JSONMember("publicKeyPEM", .string(pem)),
    ]
  }

  /// Runs a call of the key library.
  static func crypto<Value>(_ body: () throws(CryptoError) -> Value) throws(CommandFailure) -> Value {
    do {
      return try body()
    } catch {
      throw CommandFailure(Problem(error))
    }
  }
}
