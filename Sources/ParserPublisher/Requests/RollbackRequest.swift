public import OTAManifest

/// How to take a channel back to older content.
public struct RollbackRequest: Sendable {
  /// The channel.
  public var channel: Channel
  /// The release whose content to take; `nil` takes the newest good one before the live one.
  public var to: ReleaseVersion?
  /// Whether `to` may be withdrawn, or have the content of a withdrawn release.
  public var allowsWithdrawn = false
  /// The apps that run their embedded copy in place of every release up to the new one; `nil` for none.
  public var toEmbedded: EmbeddedOnly?
  /// Why, for people; becomes the notes of the new release.
  public var reason: String?
  /// The moment to write into the manifest; `nil` asks the clock.
  public var date: Timestamp?
  /// Whether to stop before anything is written.
  public var dryRun: Bool
  /// Who signs on a signed feed; as many as its root wants of the roles targets, snapshot and timestamp.
  public var signers: [any MetadataSigner]

  /// Asks for a roll back of `channel`.
  public init(
    channel: Channel = .stable, to: ReleaseVersion? = nil, reason: String? = nil, date: Timestamp? = nil,
    dryRun: Bool = false, signers: [any MetadataSigner] = []
  ) {
    self.channel = channel
    self.to = to
    self.reason = reason
    self.date = date
    self.dryRun = dryRun
    self.signers = signers
  }
}

/// What a roll back would do, for a question to a person.
public struct RollbackPlan: Equatable, Sendable {
  /// The release that is live now.
  public let live: ReleaseVersion
  /// The release whose content is taken.
  public let target: ReleaseVersion
  /// The version that the content is published under.
  public let next: ReleaseVersion
  /// Every release that the new manifest calls withdrawn, in order; earlier roll backs included.
  public let withdrawn: [ReleaseVersion]
  /// Why the release to go back to must be named; empty when it was, or when nothing is odd.
  public internal(set) var cautions: [RollbackCaution] = []
}

/// Something about a roll back that is rarely meant.
public struct RollbackCaution: Equatable, Sendable {
  /// `rollback-again`, `rollback-drops-sources`, or `feed-incomplete` for a lost release that would be passed.
  public let code: ProblemCode
  /// One sentence, lower case, without a full stop.
  public let message: String
}
