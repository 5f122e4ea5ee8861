internal import OTACrypto
internal import OTAManifest

/// Whose signatures make metadata of a role believable, and how many of them.
public struct RoleKeys: Equatable, Sendable {
  /// The keys that speak for the role, each once; ids without a listed key are left out.
  public let keys: [TrustKey]
  /// The number of different keys that must have signed, at least 1.
  public let threshold: Int

  static let fields = ["keyids", "threshold"]

  init(_ object: JSONObject, ring: KeyRing) throws(InputError) {
    threshold = Int(try object.integer("threshold", in: 1...Int64(Int32.max)))
    var keys: [TrustKey] = []
    var seen: Set<ExactText> = []
    for (index, item) in try object.array("keyids").enumerated() {
      guard case .string(let id) = item else {
        throw InputError(
          .wrongType, field: "\(object.path(of: "keyids"))[\(index)]", "is \(item.kindName), not a string")
      }
      guard seen.insert(ExactText(id)).inserted, let key = ring[id] else { continue }
      keys.append(key)
    }
    self.keys = keys
  }

  /// The keys themselves, without those that count for nothing.
  var material: Set<PublicKey> {
    Set(
      keys.compactMap { key in
        if case .verifies(let material) = key.use { material } else { nil }
      })
  }
}
