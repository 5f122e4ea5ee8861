internal import OTACrypto
internal import OTAManifest

/// Who speaks for the top-level roles: the anchor of all trust.
public struct Root: Sendable {
  /// The top-level roles, under the names that metadata gives to them.
  public enum Role: String, Sendable, CaseIterable {
    case root, timestamp, snapshot, targets
  }

  /// Version and expiry.
  public let header: MetadataHeader
  /// Whether names on the feed carry versions and digests, so that a reader never mixes two states.
  public let usesConsistentSnapshots: Bool
  private let roles: [Role: RoleKeys]

  /// The version, from 1.
  public var version: Int64 { header.version }
  /// The name that all metadata of the feed must carry; `nil` for an unnamed feed.
  public var feedName: String? { header.feedName }
  /// The epoch, from 1; a later one makes devices forget the versions and dates that older keys made them see.
  public var epoch: Int64 { header.feedExtension.epoch }

  /// Reads a root; whether it is signed is not looked at.
  package init(_ envelope: Envelope) throws(TrustError) {
    do {
      let known = MetadataHeader.fields + ["consistent_snapshot", "keys", "roles"]
      let object = try JSONObject(envelope.signed, known: known)
      header = try MetadataHeader(object, kind: .root)
      usesConsistentSnapshots =
        try object.optional("consistent_snapshot") { (name) throws(InputError) in try object.bool(name) }
        ?? false
      let ring = try KeyRing(object.object("keys"))
      let listed = try object.object("roles", known: Role.allCases.map(\.rawValue))
      var roles: [Role: RoleKeys] = [:]
      for role in Role.allCases {
        roles[role] = try RoleKeys(listed.object(role.rawValue, known: RoleKeys.fields), ring: ring)
      }
      self.roles = roles
    } catch {
      throw TrustError(reading: error, role: envelope.role)
    }
  }

  /// Whose signatures count for a role.
  public func keys(of role: Role) throws(TrustError) -> RoleKeys {
    guard let keys = roles[role] else {
      throw TrustError(.unlisted, role: role.rawValue, "has no keys in the root")
    }
    return keys
  }

  /// Whether a key that spoke for the role in an older root does not sign for it any more.
  package func revokes(keysOf role: Role, in older: Root) -> Bool {
    let now = roles[role]?.material ?? []
    return !(older.roles[role]?.material ?? []).isSubset(of: now)
  }
}

extension TrustError {
  /// A fault that was found while reading metadata, keys included.
  init(reading error: any Error, role: String) {
    switch error {
    case let error as TrustError: self = error
    case let error as InputError: self.init(error, role: role)
    case CryptoError.weakKey(let reason):
      self.init(.weakKey, role: role, "lists a key that is refused: \(reason)")
    case let error as CryptoError:
      self.init(.cannotVerify, role: role, "cannot be read here: \(error.message)")
    default: self.init(.malformed, role: role, "cannot be read")
    }
  }
}
