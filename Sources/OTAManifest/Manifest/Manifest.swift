/// The description of one release: its number, its two files, and who may run it.
///
/// A superset of the format that deployed clients read (`version`, `bundle`, `sources`); every other field may be
/// missing. Unknown fields are ignored; what is known is read strictly.
public struct Manifest: Equatable, Sendable {
  /// The number of the release.
  public var version: ReleaseVersion
  /// The parser bundle.
  public var bundle: Artifact
  /// The source catalog.
  public var sources: Artifact
  /// The channel that the release was made for; `stable` when the field is missing.
  public var channel: Channel = .stable
  /// When the release was made.
  public var released: Timestamp?
  /// What changed, for people.
  public var notes: String?
  /// The agreement between app and bundle that the bundle needs; `nil` when any app can run it.
  public var contract: Int64?
  /// The oldest app that can run the bundle; `nil` when any app can.
  public var minimumAppVersion: AppVersion?
  /// The release whose bytes these are; the release itself unless it is a roll back.
  public var content: ReleaseVersion
  /// The digest of the manifest before this one in the feed's one sequence of versions.
  public var parent: Digest?
  /// The version of the manifest before this one.
  public var parentVersion: ReleaseVersion?
  /// Releases that must not run any more.
  public var withdrawn: [ReleaseVersion] = []
  /// The files of withdrawn releases, so that publishers know them when those releases are no longer kept.
  public var withdrawnContent: [WithdrawnContent] = []
  /// Source ids that changed their name, old and new.
  public var aliases: [SourceAlias] = []
  /// Features that a client must know; an unknown one means that the app is too old.
  public var requires: [String] = []
  /// How recorded sources fared before the release, for people; `nil` when none were replayed.
  public var fixtures: FixtureScore?
  /// The commit that the bundle was made from, 40 or 64 hexadecimal digits; `nil` when nobody said.
  public var source: String?
  /// What the maintainer let through the checks before the release, such as `dangling-call:ABC`; for people.
  public var allowed: [String] = []

  /// Apps that run their embedded copy in place of this release and every earlier one; `nil` for none.
  public var embeddedOnly: EmbeddedOnly?
  /// The channel that devices of this one follow from now on; `nil` while this one goes on.
  public var follow: Channel?
  /// The documents of the channel that stand beside its pointer, for clients that read no list of signed files.
  public var beside: [String] = []
  /// Whether devices should not wait with it.
  public var isCritical = false

  /// Describes a release with nothing but its files.
  public init(version: ReleaseVersion, bundle: Artifact, sources: Artifact) {
    self.version = version
    self.bundle = bundle
    self.sources = sources
    content = version
  }

  /// What the release is, whatever its number.
  public var pair: ContentPair { ContentPair(bundle: bundle.sha256, sources: sources.sha256) }

  /// The features of `requires` that this client knows: none so far.
  public static let knownFeatures: Set<String> = []

  /// The features that the manifest requires and this client does not know.
  public var unknownFeatures: [String] { requires.filter { !Self.knownFeatures.contains($0) } }
}
