/// What makes the manifests of a feed believable, as its settings say it.
public enum FeedTrust: Equatable, Sendable {
  /// Lengths and digests alone: whoever controls the host controls the feed.
  case checksumsOnly
  /// Signed metadata under a root; new metadata stays good for so many days.
  case signed(ExpiryPolicy)

  /// The name in settings and output.
  public var name: String {
    switch self {
    case .checksumsOnly: "checksums-only"
    case .signed: "root"
    }
  }
}
