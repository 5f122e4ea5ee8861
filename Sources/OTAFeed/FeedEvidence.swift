package import OTAManifest
internal import OTATrust

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
  /// Whether the feed showed a timestamp that was new to this reader.
  package let isNew: Bool
  private let targets: Targets?

  /// Takes what a client ended with.
  init(_ client: TUFClient, isNew: Bool) {
    epoch = client.epoch
    lineage = client.lineage
    feedName = client.root.feedName
    signedAt = client.signedAt
    targets = client.topTargets
    self.isNew = isNew
  }

  /// Whether the verified targets list a release by exactly this manifest.
  package func lists(_ version: ReleaseVersion, manifest: Digest) -> Bool {
    targets?.description(of: "releases/\(version)/manifest.json")?.sha256 == manifest
  }
}
