public import OTAFeed
public import OTAManifest

/// What to make a feed of.
public struct InitRequest: Sendable {
  /// The folder of the feed; made when it is missing.
  public var directory: String
  /// The public address of that folder; `nil` keeps the one that is set, or leaves URLs relative.
  public var baseURL: WebAddress?
  /// A live feed to take over: its newest stable release is copied and verified, so that the next publish is live + 1.
  public var adopt: FeedLocation?
  /// Whether `adopt` may be plain `http` on this machine.
  public var allowsPlainHTTPOnLoopback: Bool
  /// How many releases of each channel to keep; `nil` keeps what is set, or 20.
  public var keptReleases: Int?

  /// Asks for a feed in `directory`.
  public init(
    directory: String, baseURL: WebAddress? = nil, adopt: FeedLocation? = nil,
    allowsPlainHTTPOnLoopback: Bool = false, keptReleases: Int? = nil
  ) {
    self.directory = directory
    self.baseURL = baseURL
    self.adopt = adopt
    self.allowsPlainHTTPOnLoopback = allowsPlainHTTPOnLoopback
    self.keptReleases = keptReleases
  }
}

/// What `Publisher.initialise` did.
public struct InitReport: Equatable, Sendable {
  /// What became of the feed.
  public enum Outcome: Equatable, Sendable {
    /// The folder is a feed now.
    case created
    /// It was one already, with these settings.
    case alreadyInitialised
    /// It was one already; each change is a sentence such as `base URL is now https://…`.
    case updated(changes: [String])
  }

  /// The folder of the feed, as it was given.
  public let directory: String
  /// What became of it.
  public let outcome: Outcome
  /// The release that was taken over, from another feed or from the folder itself.
  public let adopted: ReleaseVersion?
}
