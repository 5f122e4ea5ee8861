package import OTAManifest
internal import OTAStorage

/// What a reader of a signed feed brings along: metadata that it trusted before, manifests that it has, and the time.
package struct TrustMemory: Sendable {
  /// The metadata that earlier runs accepted.
  package let metadata: any TrustedMetadataStore
  /// The moment of the run.
  package let moment: TrustMoment
  /// The bytes of a manifest with this digest that is at hand; they are hashed before they are used.
  package let knownManifest: @Sendable (Digest) -> [UInt8]?
  /// Hears what verified metadata says of the feed, also when its newest release cannot be had afterwards.
  package let heard: @Sendable (FeedEvidence) -> Void

  /// Collects what is known.
  package init(
    metadata: any TrustedMetadataStore, moment: TrustMoment,
    knownManifest: @escaping @Sendable (Digest) -> [UInt8]? = { _ in nil },
    heard: @escaping @Sendable (FeedEvidence) -> Void = { _ in }
  ) {
    self.heard = heard
    self.metadata = metadata
    self.moment = moment
    self.knownManifest = knownManifest
  }

  /// The memory of a stranger: nothing but the clock.
  package static var stranger: TrustMemory {
    let now = Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    return TrustMemory(metadata: OverlayMetadataStore(), moment: TrustMoment(clock: now))
  }
}
