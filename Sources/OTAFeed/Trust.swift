public import OTAManifest

/// What makes a manifest believable.
public enum Trust: Equatable, Sendable {
  /// A signed feed, by the bytes of a `root.json` that came with the app: the default.
  ///
  /// The root may be many versions old; newer ones are taken from the feed, each vouched for by the one before.
  case root([UInt8])

  /// An unsigned feed: lengths and digests are checked, but whoever controls the host or the line controls the feed.
  ///
  /// For feeds that exist already. It protects against damage, not against forgery.
  case checksumsOnly

  /// What a person should know about it, as one line.
  public var warning: String? {
    switch self {
    case .root: nil
    case .checksumsOnly: "checksums only: the feed is not signed, so its host is trusted as it is"
    }
  }

  /// The name in settings and output.
  public var name: String {
    switch self {
    case .root: "root"
    case .checksumsOnly: "checksums-only"
    }
  }

  /// What judges manifests, starting from what is known already.
  package func authority(_ memory: TrustMemory) -> any ManifestAuthority {
    switch self {
    case .root(let bytes): TUFAuthority(root: bytes, memory: memory)
    case .checksumsOnly: ChecksumsOnlyAuthority(wishes: memory.wishes)
    }
  }

  /// What judges manifests for somebody who has seen nothing of the feed yet.
  package var authority: any ManifestAuthority { authority(.stranger) }
}

/// Yields the newest manifest of a channel that the trust in force accepts: the seam for every kind of trust.
package protocol ManifestAuthority: Sendable {
  /// Reads and verifies; a manifest is parsed only after its bytes were accepted.
  func newestManifest(of channel: Channel, from feed: FeedReader) async throws(Problem) -> VerifiedManifest
}

/// A manifest together with the exact bytes that were accepted.
public struct VerifiedManifest: Equatable, Sendable {
  /// The decoded manifest.
  public let manifest: Manifest
  /// The bytes as received.
  public let bytes: [UInt8]
  /// The SHA-256 digest of `bytes`.
  public let digest: Digest
  /// What is odd about the host, although the manifest is right.
  package var notices: [Problem] = []
  /// Files that came along, by their paths below the feed; nothing about them was verified.
  package var enclosed: [String: [UInt8]] = [:]
  /// The newest manifest of the channel, where an archive brings an older release along with it; `nil` for the newest.
  package var newest: Manifest?
  /// What everybody may have, where this is the release of a rollout; `nil` for the release of everybody.
  package var complete: PointedRelease?
  /// The documents beside the pointer of the channel.
  package var documents = ChannelDocuments()
}
