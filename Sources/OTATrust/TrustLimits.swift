/// Upper bounds on what a feed may make a client do; each names the attack that it stops.
public struct TrustLimits: Sendable {
  /// The bounds of this product.
  public static let standard = TrustLimits()

  /// Bytes of one root: an endless file costs at most this much memory.
  public let maxRootBytes = 512_000
  /// Bytes of a timestamp, which is fetched at every check.
  public let maxTimestampBytes = 16 << 10
  /// Bytes of a snapshot that the timestamp gives no length for.
  public let maxSnapshotBytes = 2_000_000
  /// Bytes of targets metadata that the snapshot gives no length for.
  public let maxTargetsBytes = 5_000_000
  /// New roots in one run: an endless chain ends here, and the next run goes on.
  public let maxRootRotations = 256
  /// Roles that one search for a target visits: against floods of delegations.
  public let maxVisitedRoles = 32
  /// Delegations below one another: against chains without end.
  public let maxDelegationDepth = 16
  /// Nested arrays and objects in metadata.
  public let maxNesting = 64
}
