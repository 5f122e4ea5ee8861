public import OTACrypto
public import OTAFeed
public import OTAManifest

// Tools that import this module alone find the names of its interface here. Nothing is re-exported, so no name of theirs or of
// another library becomes ambiguous; the modules of values are part of the product for those that would rather import them.
extension Publisher {
  /// Where a feed is: a folder, the address of one, or an archive.
  public typealias FeedLocation = OTAFeed.FeedLocation
  /// What authenticates a manifest.
  public typealias Trust = OTAFeed.Trust
  /// Why something could not be done.
  public typealias Problem = OTAManifest.Problem
  /// The stable codes of problems.
  public typealias ProblemCode = OTAManifest.ProblemCode
  /// The number of a release.
  public typealias ReleaseVersion = OTAManifest.ReleaseVersion
  /// The version of an app.
  public typealias AppVersion = OTAManifest.AppVersion
  /// A moment, in whole seconds.
  public typealias Timestamp = OTAManifest.Timestamp
  /// The address of a feed's folder.
  public typealias WebAddress = OTAManifest.WebAddress
  /// A key that signs.
  public typealias PrivateKey = OTACrypto.PrivateKey
  /// A key that verifies.
  public typealias PublicKey = OTACrypto.PublicKey
  /// The name of a channel.
  public typealias Channel = OTAManifest.Channel
  /// A SHA-256 digest.
  public typealias Digest = OTAManifest.Digest
  /// The description of a release.
  public typealias Manifest = OTAManifest.Manifest
  /// The source catalog of a release.
  public typealias SourceCatalog = OTAManifest.SourceCatalog
}
