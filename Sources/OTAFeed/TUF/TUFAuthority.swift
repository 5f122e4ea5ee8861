package import OTAManifest
internal import OTATransfer
internal import OTATrust

/// Accepts the manifest that the signed metadata of the feed vouches for, starting from a root that the app ships.
package struct TUFAuthority: ManifestAuthority {
  private let shippedRoot: [UInt8]
  private let store: any TrustedMetadataStore
  private let now: @Sendable () -> Timestamp

  /// Takes the root, where trusted metadata is kept, and the clock, which is read once in each run.
  package init(
    shippedRoot: [UInt8], store: any TrustedMetadataStore, now: @escaping @Sendable () -> Timestamp
  ) {
    self.shippedRoot = shippedRoot
    self.store = store
    self.now = now
  }

  /// Refreshes the metadata, then fetches the manifest; it is parsed only after its length and digest matched.
  package func newestManifest(
    of channel: Channel, from feed: FeedReader
  ) async throws(Problem) -> VerifiedManifest {
    var client = try TUFClient(
      repository: feed.repository(), store: store, shippedRoot: shippedRoot, now: now())
    let path = channel.manifestPath
    guard let target = try await client.targetInfo(path) else {
      throw Problem(
        .trustUnlisted, "no trusted role of the feed vouches for \(path)",
        advice: "nothing is published in the channel \(channel), or its name is wrong")
    }
    guard target.length <= Limits.standard.maxManifestBytes else {
      throw Problem(.tooLarge, "\(path) is announced with \(target.length) bytes, which no manifest has")
    }
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return try VerifiedManifest(accepted: sink.bytes, name: path).required(for: channel)
  }
}
