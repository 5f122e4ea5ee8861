public import OTAManifest

/// What a check found.
public enum CheckResult: Equatable, Sendable {
  /// A release that `update` would install.
  case available(ReleaseVersion, notes: String?)
  /// The newest release is on the device and waits for the next launch.
  case staged(ReleaseVersion)
  /// Nothing newer than what runs; the number of what runs when it is known.
  case upToDate(ReleaseVersion?)
  /// The feed serves a release older than one accepted before, as a lagging edge does; it is ignored.
  case older(ReleaseVersion, floor: ReleaseVersion)
  /// A host serves an older state of the signed feed than the one seen before, as an edge or mirror does; it is ignored.
  case lagging(FeedLag)
  /// The newest release may not be used here.
  case notUsable(ReleaseVersion, Ineligibility)
  /// A newer release is there, but a release is pinned by hand.
  case pinned(ReleaseVersion)
  /// The feed was not asked: it names an interval between checks, and the next one is due then.
  case notDue(Timestamp)
}

/// What an update did.
public enum UpdateResult: Equatable, Sendable {
  /// The release is on the device and will be used at the next launch.
  case staged(ReleaseVersion)
  /// Nothing was changed, for the reason that a check would give.
  case unchanged(CheckResult)
}

/// How far an update is.
public enum UpdateProgress: Equatable, Sendable {
  /// Asking the feed for its newest release.
  case checking
  /// Receiving one file: its name, bytes so far and bytes in all.
  case downloading(String, received: Int64, total: Int64)
  /// Bytes of the whole release so far and in all, over all its files; never goes back.
  case receiving(received: Int64, total: Int64)
  /// Using a file that is on the device already.
  case reusing(String)
  /// Making the release durable.
  case staging(ReleaseVersion)
}
