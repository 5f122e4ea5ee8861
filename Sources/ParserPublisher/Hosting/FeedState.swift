internal import OTAFeed
internal import OTAManifest

/// Everything that a feed says about its releases at one moment; read whole, or not at all.
struct FeedState {
  /// The feed's settings.
  let settings: FeedSettings
  /// The newest manifest of each channel, as clients see it.
  let live: [Channel: VerifiedManifest]
  /// Every release on the feed, the live ones included, newest first.
  let releases: [VerifiedManifest]
  /// A release that somebody began to publish; it is in `releases` only when its pointer was written.
  let pending: ReleaseName?

  /// The newest release of any channel: the parent of the next one.
  var head: VerifiedManifest? { releases.first }

  /// The release with this digest as its manifest is live somewhere.
  func isLive(_ digest: Digest) -> Bool { live.values.contains { $0.digest == digest } }

  /// The state in a sentence for problems that change nothing.
  func kept(_ channel: Channel) -> String {
    live[channel].map { "release \($0.manifest.version) is still live" } ?? "nothing was published"
  }
}
