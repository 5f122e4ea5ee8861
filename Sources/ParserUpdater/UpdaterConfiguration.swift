public import OTAFeed
public import OTAManifest
public import OTATransfer

/// Everything that an updater needs to know, fixed for its life.
public struct UpdaterConfiguration: Sendable {
  /// The folder that belongs to the updater; made at the first update, never shared with other data.
  public var directory: String
  /// Where new releases come from.
  public var feed: FeedLocation
  /// Copies of the feed, asked in this order when the feed gives nothing that can be believed.
  ///
  /// A mirror is believed as the feed is: by its signatures, or on an unsigned feed like its host.
  public var mirrors: [FeedLocation] = []
  /// What makes a manifest believable.
  public var trust: Trust
  /// The copy inside the app.
  public var embedded: EmbeddedRelease
  /// The channel whose newest release is taken.
  public var channel: Channel = .stable
  /// Whether, after a change of channel, the confirmed release of the channel before goes on until the new one has a
  /// release here; `false` for the copy inside the app.
  public var keepsFormerChannel = true
  /// What the app can run.
  public var app = AppCapabilities()
  /// How many launches in a row may end without confirmation before a release is rejected; at least 1.
  public var unconfirmedLaunchLimit = 2
  /// What confirms a release on trial, beside a word of the app.
  public var confirmation = ConfirmationPolicy.explicit
  /// How long a launch that has something to write, or a verdict, waits for the lock of the store.
  ///
  /// After that a launch goes on without writing. One that has nothing to write, and a verdict that was given before, do
  /// not wait at all. Launches and verdicts are synchronous: the time is one that people see.
  public var lockWait: Duration = .milliseconds(250)
  /// How long the transfers of an update may take.
  public var patience = FeedPatience()
  /// How often a transfer is tried again within one check or update, and after which waits.
  public var retries = RetryPolicy()
  /// How many files of a release are asked for at a time, 1 or 2; side by side over one connection that speaks HTTP/2.
  public var filesAtOnce = 2
  /// The HTTP stack of the app, in place of libcurl; `nil` for libcurl. The feed must be an address then.
  public var transport: (any Fetcher)?
  /// What time it is, and how an update waits between two attempts.
  public var clock: any UpdaterClock = SystemUpdaterClock()
  /// Hears what happens; `nil` for nobody. Whatever it does, no decision changes.
  public var events: (any UpdaterEventSink)?
  /// Whether a host that asked for a pause (429, `Retry-After`) or failed again and again is left alone until that is over,
  /// and a feed that names an interval is not asked before; also by the next process.
  public var heedsPauses = true
  /// Whether plain `http` to this machine's own loopback addresses is allowed; never for any other host.
  public var allowsPlainHTTPOnLoopback = false

  /// Makes a configuration with the usual settings; change the properties for others.
  public init(directory: String, feed: FeedLocation, trust: Trust, embedded: EmbeddedRelease) {
    self.directory = directory
    self.feed = feed
    self.trust = trust
    self.embedded = embedded
  }
}
