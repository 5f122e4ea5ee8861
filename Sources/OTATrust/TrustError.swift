public import OTAManifest

/// A refusal of metadata or of a file: which role, why, and a sentence.
public struct TrustError: Error, Equatable, Sendable {
  /// Why something is not trusted; the raw values are stable.
  public enum Reason: String, Sendable, CaseIterable {
    /// Not metadata as the specification describes it.
    case malformed = "trust-malformed"
    /// Not signed by enough of the keys that speak for the role.
    case signature = "trust-signature"
    /// Enough keys signed, but this machine cannot judge some of the signatures; nothing is known to be wrong.
    case cannotVerify = "trust-cannot-verify"
    /// A key that anybody can sign for, or a placeholder.
    case weakKey = "trust-weak-key"
    /// Out of date: the feed is stale, or somebody hides its newer state.
    case expired = "trust-expired"
    /// Older than what was accepted before.
    case rollback = "trust-rollback"
    /// Not the version, length or digest that signed metadata announces; pieces of different states are mixed.
    case mismatch = "trust-mismatch"
    /// Signed for another feed than the one that the root names.
    case otherFeed = "trust-other-feed"
    /// Signed metadata does not speak of it.
    case unlisted = "trust-unlisted"
    /// Larger or deeper than any honest feed.
    case limit = "trust-limit"
  }

  /// The role that was refused, such as `timestamp`, or the path of a target.
  public let role: String
  /// The stable reason.
  public let reason: Reason
  /// What is wrong, as the end of a sentence that begins with the role.
  public let detail: String
  /// The moment from which on it was out of date, for `expired` alone.
  public let expiry: Timestamp?
  /// How far the host is behind, for a timestamp that is older than the one seen before.
  public let lag: FeedLag?

  /// Makes a refusal; `detail` reads on from the name of the role.
  public init(
    _ reason: Reason, role: String, _ detail: String, expiry: Timestamp? = nil, lag: FeedLag? = nil
  ) {
    self.expiry = expiry
    self.lag = lag
    self.reason = reason
    self.role = role
    self.detail = detail
  }

  /// One sentence: `timestamp expired at 2026-06-11T09:12:44Z`.
  public var message: String { "\(role.printable()) \(detail)" }
}

extension TrustError: CustomStringConvertible {
  /// The same as `message`.
  public var description: String { message }
}
