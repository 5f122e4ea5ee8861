public import OTAManifest

/// What `Publisher.refresh` did.
public struct RefreshReport: Equatable, Sendable {
  /// How it ended.
  public enum Outcome: String, Sendable {
    /// Metadata was signed anew.
    case refreshed
    /// Everything is good for as long as a new signature would make it; nothing was written.
    case nothingToRefresh = "nothing-to-refresh"
  }

  /// How it ended.
  public let outcome: Outcome
  /// The roles that were signed anew, in the order of writing.
  public let roles: [String]
  /// When each role expires now, by its name; the root included.
  public let expires: [String: Timestamp]
  /// What a person should know, each a sentence.
  public let warnings: [String]
  /// The paths that were written, below the feed and in order.
  public let writtenFiles: [String]
}
