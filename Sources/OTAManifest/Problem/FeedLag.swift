/// A host that serves an older state of a signed feed than the one that was seen before.
///
/// Edges and mirrors lag; as long as what they serve has not expired, that is no sign of an attack.
public struct FeedLag: Equatable, Sendable {
  /// The version of the timestamp that was seen before.
  public let seen: Int64
  /// The version of the timestamp that the host serves.
  public let served: Int64
  /// When the served state was signed; `nil` when it does not say so.
  public let signedAt: Timestamp?
  /// When the state that was seen before was signed; `nil` when it does not say so.
  public let seenAt: Timestamp?
  /// From this moment on the served state is no longer one that an honest host would serve.
  public let expires: Timestamp

  /// Describes a lag.
  public init(seen: Int64, served: Int64, signedAt: Timestamp?, seenAt: Timestamp?, expires: Timestamp) {
    self.seen = seen
    self.served = served
    self.signedAt = signedAt
    self.seenAt = seenAt
    self.expires = expires
  }
}
