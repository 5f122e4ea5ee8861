public import OTAFeed
public import OTAManifest

/// What to publish, and what the publisher may take for intended.
public struct PublishRequest: Sendable {
  /// The path of the parser bundle; read once.
  public var bundlePath: String
  /// The path of the source catalog; read once. No other file is looked at.
  public var sourcesPath: String
  /// The archive whose two files are published in place of those at the paths; `nil` for files.
  public private(set) var archive: ReleaseArchive?
  /// What authenticates the archive; `nil` takes its own first root.
  public var archiveRoot: [UInt8]?
  /// The channel to publish to.
  public var channel: Channel
  /// What changed, for people; at most 4096 bytes.
  public var notes: String?
  /// Says what changed where `notes` do not, told the live manifest, once the release passed its checks.
  public var describe: (@Sendable (_ live: Manifest?) async throws(Problem) -> ReleaseDescription)?
  /// The agreement between app and bundle that the bundle needs; `nil` when any app can run it.
  public var contract: Int64?
  /// The oldest app that can run the bundle; `nil` when any app can.
  public var minimumAppVersion: AppVersion?
  /// An explicit version; `nil` takes the feed's newest plus 1.
  public var version: ReleaseVersion?
  /// A tag that gives the version, see `ReleaseVersion(tag:)`; it must agree with `version` when both are given.
  public var tag: String?
  /// Whether the version may be more than 1000 above the newest one.
  public var allowsVersionJump: Bool
  /// Renamed sources, added to those of the live release.
  public var aliases: [SourceAlias]
  /// Source ids that are meant to go; the same as allowing `ids-removed` for each of them.
  public var allowedRemovals: [String]
  /// What the release must pass; without an engine it refuses, unless that is allowed.
  public var gate: ReleaseGate
  /// Told what the gate found, whether the release passes or not.
  public var observeGate: (@Sendable (GateReport) -> Void)?
  /// What findings call the bundle; its path unless set.
  public var bundleName: String?
  /// What findings call the catalog; its path unless set.
  public var sourcesName: String?
  /// The digest that the feed's newest manifest must have; `nil` to publish on top of whatever is there.
  public var expectedParent: Digest?
  /// From which releases to make patches.
  public var patches = PatchChoice()
  /// Whether to stop before anything is written.
  public var dryRun: Bool
  /// The moment to write into the manifest; `nil` asks the clock. Versions never depend on it.
  public var date: Timestamp?
  /// The steps by which devices get the release; `nil` for everybody at once.
  public var rollout: RolloutSteps?
  /// Whether devices take it without waiting for their share.
  public var isCritical = false
  /// The contract whose line of the channel gets the release; `nil` for the channel itself.
  public var line: Int64?
  /// The release of the same feed whose files are published again.
  var promoted: PromotedRelease?
  /// Who signs the release on a signed feed; as many as its root wants of the roles targets, snapshot and timestamp.
  public var signers: [any MetadataSigner]

  /// Asks to publish two files to `channel`.
  public init(bundlePath: String, sourcesPath: String, channel: Channel = .stable) {
    self.bundlePath = bundlePath
    self.sourcesPath = sourcesPath
    self.channel = channel
    allowsVersionJump = false
    aliases = []
    allowedRemovals = []
    gate = ReleaseGate()
    dryRun = false
    signers = []
  }
}

extension PublishRequest {
  /// Asks to publish the release of an archive, with what its manifest says of it; its number and date are new.
  public init(importing archive: ReleaseArchive) {
    let manifest = archive.manifest
    self.init(
      bundlePath: "\(archive.name) (parsers.bundle.js)", sourcesPath: "\(archive.name) (sources.json)",
      channel: manifest.channel)
    self.archive = archive
    notes = manifest.notes
    contract = manifest.contract
    minimumAppVersion = manifest.minimumAppVersion
    aliases = manifest.aliases
  }
}

/// What a release says of itself beside its files.
public struct ReleaseDescription: Equatable, Sendable {
  /// What changed, for people; `nil` for nothing.
  public var notes: String?
  /// The commit that the bundle was made from; `nil` when it is not known.
  public var source: String?
  /// What a person should know, each a sentence.
  public var warnings: [String]

  /// Describes a release.
  public init(notes: String? = nil, source: String? = nil, warnings: [String] = []) {
    (self.notes, self.source, self.warnings) = (notes, source, warnings)
  }
}

/// From which releases patches are made, for devices that have one of them.
public struct PatchChoice: Equatable, Sendable {
  /// How many earlier releases of the channel, newest first; 0 for none.
  public var releases = 8
  /// Further releases on the feed; those that `embed` noted count in any case.
  public var versions: [ReleaseVersion] = []

  /// The usual choice: the last 8 releases.
  public init() {}
}

/// What a publish or a roll back did.
public struct PublishReport: Sendable {
  /// How it ended.
  public enum Outcome: String, Sendable {
    /// The release is live.
    case published
    /// The live release has this content already; nothing was written.
    case nothingToPublish = "nothing-to-publish"
    /// A dry run: the release could be published as it is described here.
    case wouldPublish = "would-publish"
  }

  /// How it ended.
  public let outcome: Outcome
  /// The new manifest, or the live one when there was nothing to publish.
  public let manifest: Manifest
  /// The digest of the manifest's bytes.
  public let manifestDigest: Digest
  /// The release of the channel that was live before; `nil` for the first one.
  public let previous: ReleaseVersion?
  /// What changed in the catalog since `previous`; `nil` for the first release of a channel.
  ///
  /// An id in another spelling of the same source is a changed field `id`, neither removed nor added.
  public let diff: CatalogDiff?
  /// What changed in the code since `previous`; `nil` for the first release of a channel, and where nothing was compared.
  public internal(set) var code: CodeDiff?
  /// What a person should know, each a sentence.
  public internal(set) var warnings: [String]
  /// The paths that were written, below the feed and in order; the channel's pointer is the last.
  public let writtenFiles: [String]
  /// Releases that went beyond what the feed keeps.
  public let removedReleases: [ReleaseVersion]
  /// What the gate found; `nil` when nothing new was to go out.
  public internal(set) var gate: GateReport?
}
