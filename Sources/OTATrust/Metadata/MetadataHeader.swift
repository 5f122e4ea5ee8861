public import OTAManifest

/// The fields that all kinds of metadata begin with.
public struct MetadataHeader: Equatable, Sendable {
  /// The kinds of metadata, under the names of their `_type` field.
  public enum Kind: String, Sendable {
    case root, timestamp, snapshot, targets
  }

  /// The version of this metadata, from 1.
  public let version: Int64
  /// From this moment on it is not trusted any more.
  public let expires: Timestamp
  /// What this product adds.
  let feedExtension: FeedExtension

  /// The name of the feed that it belongs to; `nil` for an unnamed feed.
  public var feedName: String? { feedExtension.feedName }

  static let fields = ["_type", "spec_version", "version", "expires", FeedExtension.member]

  init(_ object: JSONObject, kind: Kind) throws(InputError) {
    let type = try object.string("_type")
    guard type.hasSameBytes(as: kind.rawValue) else {
      throw InputError(.malformed, field: "_type", "is \"\(type.printable())\", not \"\(kind.rawValue)\"")
    }
    let specification = try object.string("spec_version")
    let parts = specification.split(separator: ".", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0] == "1",
      parts.allSatisfy({ UInt32($0) != nil && !$0.hasPrefix("+") })
    else {
      throw InputError(.malformed, field: "spec_version", "is \"\(specification.printable())\", not 1.x.y")
    }
    version = try object.integer("version")
    let moment = try object.string("expires")
    guard let expires = Timestamp(moment) else {
      throw InputError(
        .malformed, field: "expires", "is \"\(moment.printable())\", not a moment like 2030-01-01T00:00:00Z")
    }
    self.expires = expires
    feedExtension = try FeedExtension(of: object)
  }

  /// Refuses metadata that has expired by `now`.
  public func requireFresh(at now: Timestamp, role: String) throws(TrustError) {
    guard now < expires else {
      throw TrustError(.expired, role: role, "expired at \(expires)", expiry: expires)
    }
  }
}
