public import OTAFeed
public import OTAManifest

/// What to make a feed of.
public struct InitRequest: Sendable {
  /// The folder of the feed; made when it is missing.
  public var directory: String
  /// The host that holds the feed, which `directory` is the name of; `nil` for a folder of this machine.
  package var host: (any FeedHost)?
  /// The public address of that folder; `nil` keeps the one that is set or that the live manifest shows.
  public var baseURL: WebAddress?
  /// A live feed to take over: its newest stable release is copied and verified, so that the next publish is live + 1.
  public var adopt: FeedLocation?
  /// For how many releases after the adopted one its old addresses are served; `nil` means 3.
  public var keepOldNames: Int?
  /// Whether `adopt` may be plain `http` on this machine.
  public var allowsPlainHTTPOnLoopback: Bool
  /// How many releases of each channel to keep; `nil` keeps what is set, or 20.
  public var keptReleases: Int?
  /// The oldest engines of apps that must run a bundle; `nil` keeps what is set, none forgets it.
  public var engines: [OldEngine]?
  /// How the feed is authenticated; `nil` keeps what is set or what the folder shows.
  public var trust: InitTrust?
  /// The name of a new signed feed, so that no other feed of the same keys can be served in its place; `nil` for a
  /// random one.
  public var name: String?
  /// The moment from which the expiry of signed metadata counts; needed for a signed feed.
  public var date: Timestamp?
  /// How long the feed at `baseURL` may take to say its newest number; `nil` does not ask it.
  public var liveFeedPatience: Duration?

  /// What the clock says, where `date` is another moment; `nil` takes `date` for it.
  public var now: Timestamp?
  /// Who is asked for a second opinion on the clock before anything is signed; `nil` asks nobody.
  public var hostClock: HostClock?
  /// Whether a clock that looks wrong may sign all the same.
  public var allowsClock = false

  /// Asks for a feed in `directory`.
  public init(
    directory: String, baseURL: WebAddress? = nil, adopt: FeedLocation? = nil,
    allowsPlainHTTPOnLoopback: Bool = false, keptReleases: Int? = nil, trust: InitTrust? = nil,
    date: Timestamp? = nil, name: String? = nil
  ) {
    self.directory = directory
    self.baseURL = baseURL
    self.adopt = adopt
    self.allowsPlainHTTPOnLoopback = allowsPlainHTTPOnLoopback
    self.keptReleases = keptReleases
    self.trust = trust
    self.date = date
    liveFeedPatience = .seconds(10)
    self.name = name
  }
}

/// What shall make a new feed believable.
public enum InitTrust: Sendable {
  /// Lengths and digests alone: whoever controls the host controls the feed.
  case checksumsOnly
  /// A root that `rootSigners` sign, and metadata that `releaseSigners` sign; thresholds say how many must agree.
  ///
  /// A feed without signatures becomes a signed one. A signed feed keeps its root, and other keys are refused.
  case signed(
    rootSigners: [any MetadataSigner], releaseSigners: [any MetadataSigner], rootThreshold: Int = 1,
    releaseThreshold: Int = 1, expiry: ExpiryPolicy = ExpiryPolicy())
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
  /// The paths below the feed at which the adopted files are served for old clients.
  public let oldNames: [String]
  /// The last release with which they are; `nil` when there are none.
  public let oldNamesUntil: ReleaseVersion?
  /// Settings that were not given, each with where it comes from: `keptReleases: 20 (default; set it with --keep N)`.
  public let settings: [String]
  /// What a person should know, each a sentence.
  public let warnings: [String]
  /// Whether the feed is signed.
  public let isSigned: Bool
}
