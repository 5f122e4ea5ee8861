public import OTAFeed
public import OTAManifest

/// What to check, and what to compare it with.
public struct CheckRequest: Sendable {
  /// A live feed, and what makes its manifests believable.
  public struct Feed: Sendable {
    /// Where it is.
    public var location: FeedLocation
    /// What makes its newest manifest believable; `nil` takes what the folder of the feed says about itself.
    public var trust: Trust?
    /// The channel whose live release counts.
    public var channel: Channel
    /// Whether `http` to this machine is allowed.
    public var allowsPlainHTTPOnLoopback = false

    /// Names a feed.
    public init(_ location: FeedLocation, trust: Trust?, channel: Channel = .stable) {
      (self.location, self.trust, self.channel) = (location, trust, channel)
    }
  }

  /// The path of the parser bundle; read once.
  public var bundlePath: String
  /// The path of the source catalog; read once.
  public var sourcesPath: String
  /// What findings call the bundle; its path unless set.
  public var bundleName: String
  /// What findings call the catalog; its path unless set.
  public var sourcesName: String
  /// The feed to compare with; `nil` compares with nothing.
  public var against: Feed?
  /// Renamed sources, added to those of the live release.
  public var aliases: [SourceAlias] = []

  /// Asks to check two files.
  public init(bundlePath: String, sourcesPath: String) {
    (self.bundlePath, self.sourcesPath) = (bundlePath, sourcesPath)
    (bundleName, sourcesName) = (bundlePath, sourcesPath)
  }
}
