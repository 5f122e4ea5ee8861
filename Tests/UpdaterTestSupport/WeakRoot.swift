import OTACrypto
import OTAManifest

/// A root whose one key is a placeholder that anybody can sign for.
package enum WeakRoot {
  /// The file, and the id of the key.
  package static func make() throws -> (root: [UInt8], keyID: String) {
    let hex = String(repeating: "00", count: 32)
    let key = #"{"keytype":"ed25519","keyval":{"public":"\#(hex)"},"scheme":"ed25519"}"#
    let id = try sha256(Array(key.utf8)).hex
    let role = #"{"keyids":["\#(id)"],"threshold":1}"#
    let root = """
      {"signed":{"_type":"root","spec_version":"1.0.34","version":1,"expires":"2030-01-01T00:00:00Z",
      "consistent_snapshot":true,"keys":{"\(id)":\(key)},"roles":{"root":\(role),"timestamp":\(role),
      "snapshot":\(role),"targets":\(role)}},"signatures":[]}
      """
    return (Array(root.utf8), id)
  }
}
