package import OTAManifest

/// What a reader wants of a channel beyond the release that everybody may have: the decisions of a device, as functions.
package struct OfferWishes: Sendable {
  /// Whether the release of a rollout is wanted in place of the newest complete one.
  package var wantsCandidate: @Sendable (_ rollout: Rollout, _ complete: Manifest) -> Bool
  /// Whether a release can be used at all, by its manifest.
  package var canUse: @Sendable (Manifest) -> Bool
  /// The lines to look at when the newest release of a channel cannot be used, best first.
  package var lines: @Sendable (Channel) -> [Channel]
  /// Whether the advisories of the channel are wanted.
  package var wantsAdvisories = false
  /// Whether a channel that ended leads to the one that goes on.
  package var followsEndedChannels = false

  /// Wishes of a kind.
  package init(
    wantsCandidate: @escaping @Sendable (Rollout, Manifest) -> Bool,
    canUse: @escaping @Sendable (Manifest) -> Bool, lines: @escaping @Sendable (Channel) -> [Channel],
    wantsAdvisories: Bool = false
  ) {
    (self.wantsCandidate, self.canUse, self.lines) = (wantsCandidate, canUse, lines)
    self.wantsAdvisories = wantsAdvisories
  }

  /// A reader who takes what everybody may have, and nothing else.
  package static let complete = OfferWishes(
    wantsCandidate: { _, _ in false }, canUse: { _ in true }, lines: { _ in [] })
}

/// Something that a feed may say: what it says, that it says nothing, or that this could not be found out.
package enum Heard<Value: Equatable & Sendable>: Equatable, Sendable {
  case unknown
  case known(Value?)

  /// What was said; `nil` also where it is unknown.
  package var value: Value? { if case .known(let value) = self { value } else { nil } }
}

/// The documents beside the pointer of a channel.
package struct ChannelDocuments: Equatable, Sendable {
  /// The rollout that goes on.
  package var rollout = Heard<Rollout>.unknown
  /// What is said of sources.
  package var advisories = Heard<Advisories>.unknown
}

/// A release by the three things that devices remember of it.
package struct PointedRelease: Equatable, Sendable {
  /// The manifest.
  package let manifest: Manifest
  /// The digest of its bytes.
  package let digest: Digest

  /// Takes the two.
  package init(manifest: Manifest, digest: Digest) { (self.manifest, self.digest) = (manifest, digest) }
}
