public import OTAManifest

/// What the state remembers of a release: enough to name it, to find it on disk and to decide about it.
public struct ReleaseReference: Hashable, Sendable {
  /// The number of the release.
  public let version: ReleaseVersion
  /// The digest of its manifest's bytes.
  public let manifest: Digest
  /// The digests of its two files.
  public let pair: ContentPair
  /// The contract that its bundle needs; `nil` when any app can run it.
  public let contract: Int64?
  /// The oldest app that can run it; `nil` when any app can.
  public let minimumAppVersion: AppVersion?

  init(_ manifest: Manifest, digest: Digest) {
    self.init(
      version: manifest.version, manifest: digest, pair: manifest.pair, contract: manifest.contract,
      minimumAppVersion: manifest.minimumAppVersion)
  }

  init(
    version: ReleaseVersion, manifest: Digest, pair: ContentPair, contract: Int64? = nil,
    minimumAppVersion: AppVersion? = nil
  ) {
    self.version = version
    self.manifest = manifest
    self.pair = pair
    self.contract = contract
    self.minimumAppVersion = minimumAppVersion
  }

  /// The name of the release's folder on the device.
  var folderName: String { "\(version)-\(manifest.hex.prefix(16))" }
}
