public import OTAFeed
public import OTAManifest
public import OTATransfer

// Apps that import this module alone find the names of its interface here. Nothing is re-exported, so no name of theirs or of
// another library becomes ambiguous; the modules of values are part of the product for those that would rather import them.
extension Updater {
  /// Where a feed is: a folder, the address of one, or an archive.
  public typealias FeedLocation = OTAFeed.FeedLocation
  /// What authenticates a manifest.
  public typealias Trust = OTAFeed.Trust
  /// How long transfers may take.
  public typealias FeedPatience = OTAFeed.FeedPatience
  /// How often a transfer is tried again.
  public typealias RetryPolicy = OTAFeed.RetryPolicy
  /// An archive that holds one release.
  public typealias ReleaseArchive = OTAFeed.ReleaseArchive
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
  /// The HTTP stack of an app.
  public typealias Fetcher = OTATransfer.Fetcher
  /// What to fetch, and how much of it at most.
  public typealias FetchRequest = OTATransfer.FetchRequest
  /// The head of the final answer.
  public typealias FetchResponse = OTATransfer.FetchResponse
  /// Takes the bytes of one transfer as they arrive.
  public typealias FetchSink = OTATransfer.FetchSink
  /// Why a transfer gave nothing that can be used.
  public typealias TransferError = OTATransfer.TransferError
  /// The name of a channel.
  public typealias Channel = OTAManifest.Channel
  /// A SHA-256 digest.
  public typealias Digest = OTAManifest.Digest
  /// The description of a release.
  public typealias Manifest = OTAManifest.Manifest
  /// The source catalog of a release.
  public typealias SourceCatalog = OTAManifest.SourceCatalog
}
