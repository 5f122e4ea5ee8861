internal import OTACrypto
internal import OTAFeed
public import OTAManifest
public import OTATrust

/// Who speaks for a signed feed, and until when.
public struct FeedKeys: Equatable, Sendable {
  /// One role.
  public struct Role: Equatable, Sendable {
    /// The role.
    public let role: Root.Role
    /// How many of the keys must sign.
    public let threshold: Int
    /// The ids of the keys that speak for it.
    public let keyIDs: [String]
    /// The version of its live metadata.
    public let version: Int64
    /// When its live metadata expires.
    public let expires: Timestamp
    /// The ids of the keys whose right signatures are on it.
    public let signedBy: [String]
    /// Whether it has expired, or soon does and should be signed anew.
    public let isNearEnd: Bool
  }

  /// The name that all signed metadata carries; `nil` for an unnamed feed.
  public let feedName: String?
  /// The epoch, from 1.
  public let epoch: Int64
  /// The roles in the order root, targets, snapshot, timestamp.
  public let roles: [Role]
  /// Whether a new root replaced keys and the other roles wait to be signed anew.
  public let needsRefresh: Bool
}

extension Publisher {
  /// Reads who speaks for the feed; nothing is written.
  public func keys() async throws(Problem) -> FeedKeys {
    let (expiry, metadata) = try signed(try await readState())
    let root = metadata.chain.newest
    let moment = now()
    var roles: [FeedKeys.Role] = []
    for role in [Root.Role.root, .targets, .snapshot, .timestamp] {
      let file: (version: Int64, expires: Timestamp, bytes: [UInt8]) =
        switch role {
        case .root: (root.version, root.header.expires, metadata.chain.newestFile)
        case .targets: (metadata.targets.version, metadata.targets.expires, metadata.targets.bytes)
        case .snapshot: (metadata.snapshot.version, metadata.snapshot.expires, metadata.snapshot.bytes)
        case .timestamp: (metadata.timestamp.version, metadata.timestamp.expires, metadata.timestamp.bytes)
        }
      do {
        let keys = try root.keys(of: role)
        roles.append(
          FeedKeys.Role(
            role: role, threshold: keys.threshold, keyIDs: keys.keys.map(\.id), version: file.version,
            expires: file.expires, signedBy: try Self.signers(of: file.bytes, role, keys),
            isNearEnd: role == .root
              ? FeedSigning.isRootNearEnd(file.expires, at: moment)
              : expiry.isNearEnd(role, expires: file.expires, at: moment)))
      } catch {
        throw Problem(onFeed: error, FeedLayout.metadataFolder)
      }
    }
    return FeedKeys(
      feedName: root.feedName, epoch: root.epoch, roles: roles, needsRefresh: !metadata.isTrustedByNewestRoot)
  }

  private static func signers(
    of bytes: [UInt8], _ role: Root.Role, _ keys: RoleKeys
  ) throws(TrustError) -> [String] {
    let envelope = try Envelope(
      bytes, role: role.rawValue, maxBytes: TrustLimits.standard.maxTargetsBytes)
    var ids: [String] = []
    for signature in envelope.signatures {
      guard let bytes = signature.bytes, let key = keys.keys.first(where: { $0.id == signature.keyID }),
        case .verifies(let material) = key.use
      else { continue }
      do {
        if try material.verify(bytes, of: envelope.canonicalBytes, with: material.scheme) {
          ids.append(key.id)
        }
      } catch {
        throw TrustError(.cannotVerify, role: role.rawValue, "cannot be verified here: \(error.message)")
      }
    }
    return ids
  }
}
