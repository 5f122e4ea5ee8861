internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// What a signed feed needs beside the run itself.
extension UpdateRun {
  private var isSigned: Bool {
    switch configuration.trust {
    case .root: true
    case .checksumsOnly: false
    }
  }

  func moment(_ trust: StoredTrust, _ store: DeviceStore?) throws(Problem) -> TrustMoment {
    isSigned ? trust.moment(now(), try state(of: store)) : TrustMoment(clock: now())
  }

  func readOnlyMetadata(of store: DeviceStore?) throws(Problem) -> any TrustedMetadataStore {
    guard isSigned else { return OverlayMetadataStore() }
    do {
      return try StoredTrust(store, embedded: configuration.embedded).readOnly()
    } catch {
      throw Problem(error).keeping(Self.kept)
    }
  }

  func writableMetadata(of store: DeviceStore) throws(StorageError) -> any TrustedMetadataStore {
    guard isSigned else { return OverlayMetadataStore() }
    return try StoredTrust.writable(store)
  }

  /// Keeps a manifest whose release is not installed, so that the next check need not fetch it again.
  func keep(
    _ offer: VerifiedManifest, in store: DeviceStore, _ metadata: any TrustedMetadataStore
  ) throws(Problem) {
    // Only the newest manifest of the channel is what its path stands for.
    guard offer.newest == nil, offer.complete == nil else { return }
    let item = StoredMetadata.target(path: offer.manifest.channel.manifestPath)
    do {
      guard isSigned, StoredTrust(store, embedded: configuration.embedded).manifest(offer.digest) == nil,
        try metadata.load(item) != offer.bytes
      else { return }
      try metadata.store(offer.bytes, as: item)
    } catch {
      throw Problem(error).keeping(Self.kept)
    }
  }
}
