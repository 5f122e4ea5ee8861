public import OTACrypto
public import OTAFeed
public import OTAManifest

// Tools import this module alone, so the names of its interface stand here as well; nothing is re-exported. Names that
// other modules have too are members of `Publisher`.

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

extension Publisher {
  /// The name of a channel.
  public typealias Channel = OTAManifest.Channel
  /// A SHA-256 digest.
  public typealias Digest = OTAManifest.Digest
  /// The description of a release.
  public typealias Manifest = OTAManifest.Manifest
  /// The source catalog of a release.
  public typealias SourceCatalog = OTAManifest.SourceCatalog
}
