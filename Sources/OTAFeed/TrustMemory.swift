package import OTAManifest
internal import OTAStorage
internal import OTATrust

/// What a reader of a signed feed brings along: metadata that it trusted before, manifests that it has, and the time.
package struct TrustMemory: Sendable {
  /// The metadata that earlier runs accepted.
  package let metadata: any TrustedMetadataStore
  /// The moment of the run.
  package let moment: TrustMoment
  /// The bytes of a manifest with this digest that is at hand; they are hashed before they are used.
  package let knownManifest: @Sendable (Digest) -> [UInt8]?
  /// What is wanted beside the release of everybody.
  package let wishes: OfferWishes
  /// Whether the feed's express file is asked for first.
  package var usesExpress = false
  /// Hears what verified metadata says of the feed, also when its newest release cannot be had afterwards.
  package let heard: @Sendable (FeedEvidence) -> Void

  /// Collects what is known.
  package init(
    metadata: any TrustedMetadataStore, moment: TrustMoment,
    knownManifest: @escaping @Sendable (Digest) -> [UInt8]? = { _ in nil },
    wishes: OfferWishes = .complete,
    heard: @escaping @Sendable (FeedEvidence) -> Void = { _ in }
  ) {
    self.heard = heard
    self.wishes = wishes
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

/// What a signed feed said about itself, once its metadata was verified and before any release was looked at.
package struct FeedEvidence: Sendable {
  /// The lineage and epoch that the trusted root belongs to.
  package let epoch: TrustEpoch
  /// Whether what was stored before this run belongs to the shipped root.
  package let lineage: StoredLineage
  /// The name of the feed; `nil` for an unnamed one.
  package let feedName: String?
  /// When the timestamp was signed; `nil` when it does not say so.
  package let signedAt: Timestamp?
  /// How many seconds the feed wants between two checks; `nil` when it does not say.
  package let checkInterval: Int64?
  /// Whether the feed showed a timestamp that was new to this reader.
  package let isNew: Bool
  private let targets: Targets?

  /// Takes what a client ended with.
  init(_ client: TUFClient, isNew: Bool) {
    epoch = client.epoch
    lineage = client.lineage
    feedName = client.root.feedName
    signedAt = client.signedAt
    checkInterval = client.checkInterval
    targets = client.topTargets
    self.isNew = isNew
  }

  /// Whether the verified targets list a release by exactly this manifest.
  package func lists(_ version: ReleaseVersion, manifest: Digest) -> Bool {
    targets?.description(of: "releases/\(version)/manifest.json")?.sha256 == manifest
  }
}
