internal import OTAFeed
public import OTAManifest

/// One line of the history of a device.
public struct HistoryEvent: Equatable, Sendable {
  /// What happened.
  public enum Kind: String, Sendable, CaseIterable {
    case staged
    case tried
    case launched
    case confirmed
    case rejected
    case closed
    case dropped
    case rolledBack = "rolled-back"
    case pinned
    case unpinned
    case forgotten
    case ignored
    case refused
    case recovered
    case lost
    case channelChanged = "channel-changed"
    case failed
    /// The feed said something new of a rollout.
    case rollout
    /// The feed said something new of sources.
    case advisories
    /// What the app reported decided about a release.
    case judged
  }

  /// When it happened; `nil` in an event that was not written yet.
  public var date: Timestamp?
  /// What happened.
  public let kind: Kind
  /// The release that it is about.
  public let version: ReleaseVersion?
  /// The two digests of that release.
  public let pair: ContentPair?
  /// What there is to say.
  public let text: String

  /// The longest text, in characters: a reason comes from outside and must not fill the history.
  static let maxCharacters = 500

  init(_ kind: Kind, _ release: ReleaseReference?, _ text: String) {
    self.init(date: nil, kind: kind, version: release?.version, pair: release?.pair, text: text)
  }

  init(date: Timestamp?, kind: Kind, version: ReleaseVersion?, pair: ContentPair?, text: String) {
    self.date = date
    self.kind = kind
    self.version = version
    self.pair = pair
    self.text = text.printable(maxCharacters: Self.maxCharacters)
  }
}
