public import OTAFeed
public import OTAManifest

/// What became of a `confirm` or `close`.
public enum VerdictResult: Equatable, Sendable {
  /// It was written down.
  case recorded
  /// There was nothing to write: the release is confirmed already, or is the copy inside the app.
  case nothingToDo
  /// It speaks for another release or launch than the one on trial; nothing was changed.
  case ignored(reason: String)
  /// It could not be written; the release stays on trial.
  case notRecorded(Problem)
}

/// What a roll back on the device did.
public struct RollbackResult: Equatable, Sendable {
  /// The release that was left; its files are rejected.
  public let left: ReleaseVersion
  /// The release that the next launch uses.
  public let next: ReleaseVersion
  /// Where that release is.
  public let origin: ReleaseOrigin
}

/// What a device runs and remembers.
public struct DeviceStatus: Sendable {
  /// A release in one of the places of the store.
  public struct Entry: Equatable, Sendable {
    /// The number of the release.
    public let version: ReleaseVersion
    /// Why it may not be used now; `nil` when it may.
    public let obstacle: Ineligibility?
  }

  /// Content that failed here.
  public struct RejectedRelease: Equatable, Sendable {
    /// The number under which it failed.
    public let version: ReleaseVersion
    /// The two files.
    public let pair: ContentPair
    /// Why it failed.
    public let reason: String
    /// When it failed.
    public let date: Timestamp
  }

  /// Signed metadata that has expired.
  public struct Staleness: Equatable, Sendable {
    /// The expiry that passed.
    public let since: Timestamp
    /// What expired, as a sentence.
    public let reason: String
  }

  /// A failed check or update.
  public struct LastProblem: Equatable, Sendable {
    /// The stable code.
    public let code: String
    /// The sentence.
    public let message: String
    /// When it came up.
    public let date: Timestamp
  }

  /// A release that was left by hand while a launch may run it.
  public struct RolledBack: Equatable, Sendable {
    /// The release that was left.
    public let version: ReleaseVersion
    /// When; a launch from before then goes on with it until it ends.
    public let date: Timestamp
  }

  /// The copy inside the app; `nil` when its manifest cannot be read.
  public let embedded: ReleaseVersion?
  /// The releases that live processes run now, the downloaded ones only, lowest first.
  public let running: [ReleaseVersion]
  /// The roll back after which no launch was recorded: what was launched before it still runs the release that was left.
  public let rolledBack: RolledBack?
  /// The release that ran last.
  public let current: Entry?
  /// The number of launches of `current` that ended without confirmation or go on; `nil` when it is confirmed.
  public let unconfirmedLaunches: Int?
  /// The way back.
  public let previous: Entry?
  /// What the next launch would try first.
  public let staged: Entry?
  /// What is pinned by hand.
  public let pinned: ReleaseVersion?
  /// What failed here, oldest first.
  public let rejected: [RejectedRelease]
  /// What the feed says must not run.
  public let withdrawn: [ReleaseVersion]
  /// The newest release accepted from the configured channel: older offers are ignored.
  public let floor: ReleaseVersion?
  /// The last failed check or update, until one succeeds.
  public let lastProblem: LastProblem?
  /// What is missing in the history, and why; `nil` when nothing is.
  public let historyProblem: String?
  /// Why the state had to be rebuilt from the releases on disk; `nil` when all is well.
  public let damage: String?
  /// Why something is unknown, such as a file that may not be read; `nil` when all is known.
  ///
  /// When the state itself is unknown, no release of the store is named here, and a launch uses none.
  public var obstacle: Problem? { next.obstacle }
  /// Whether the state could be read; otherwise `obstacle` says why.
  public let isStateKnown: Bool
  /// Since when the feed is out of date and why: what runs goes on, and nothing new is installed.
  public let stale: Staleness?
  /// What is odd about the host of the feed, although updates work; `nil` when nothing is known.
  public let hostOddity: String?
  /// When the feed is asked again: the end of a pause, or of its check interval; `nil` when it may be asked now.
  public let askedAgainAt: Timestamp?
  /// What makes the clock of this machine unbelievable; `nil` when nothing is known.
  public let clockDoubt: Problem?
  /// What releases are believed by, and until when.
  public let trust: TrustStatus
  /// What the next launch would run.
  public let next: Explanation
}

/// A decision and the chain of its reasons.
public struct Explanation: Equatable, Sendable {
  /// A release that the next launch would try, in order.
  public struct Candidate: Equatable, Sendable {
    /// The number of the release.
    public let version: ReleaseVersion
    /// Where it is.
    public let origin: ReleaseOrigin
    /// Whether it would have to be confirmed.
    public let isOnTrial: Bool
  }

  /// The release that the next launch runs, whose files were read and hashed just now; then what it would try instead.
  ///
  /// Empty when nothing can be launched. Only the first was read.
  public let candidates: [Candidate]
  /// The releases that the launch passes over, and why: by the rules, or by their files.
  public let passedOver: [PassedOver]
  /// Why something is unknown, such as a file that may not be read; `nil` when all is known.
  ///
  /// A store that cannot be read is not used by a launch, and nothing in it is changed.
  public let obstacle: Problem?
  /// What an update would do with the manifest that was asked about.
  public let offer: CheckResult?
  /// The channel that is followed, and why it is that one.
  public let channel: ChannelStanding
  /// The rollout of the channel and where this device stands in it; `nil` when none was heard of.
  public let rollout: RolloutStanding?
  /// What the feed says of sources; `nil` when it says nothing.
  public let advisories: Advisories?
}

/// The channel that a device follows.
public struct ChannelStanding: Equatable, Sendable {
  /// The channel of the app.
  public let configured: Channel
  /// The one that a person chose in its place; `nil` when nobody did.
  public let chosen: Channel?
  /// The one whose releases run.
  public let followed: Channel

  /// The whole sentence.
  public var sentence: String {
    let wanted = chosen ?? configured
    var text = "follows channel \(followed)"
    if followed != wanted {
      text +=
        followed.lineOf?.channel == wanted
        ? ", the line of \(wanted) for this app" : ", where the feed leads from \(wanted)"
    }
    if let chosen { text += "; \(chosen) was chosen on this device in place of \(configured)" }
    return text
  }
}

/// A rollout, and where a device stands in it.
public struct RolloutStanding: Equatable, Sendable {
  /// The document that was heard last.
  public let rollout: Rollout
  /// Why the device gets the release or does not.
  public let reason: RolloutReason
  /// The bucket of the device, from 0 to 9999; `nil` while it has none.
  public let bucket: Int?
  /// The share at the latest time that is proved to have come.
  public let share: Share
  /// The step after that, and when it begins; `nil` after the last one.
  public let next: RolloutSteps.Step?
  /// The latest time that is proved to have come.
  public let moment: Timestamp

  /// The whole sentence.
  public var sentence: String {
    let place = bucket.map { "bucket \(Share(parts: Int64($0))?.description ?? "?")" } ?? "no bucket yet"
    let release = "rollout of release \(rollout.version): "
    switch reason {
    case .kept: return release + "this device has it"
    case .critical: return release + "critical, so every device takes it"
    case .askedNow: return release + "taken because an update was asked for now"
    case .replacesWithdrawn: return release + "taken because what ran was withdrawn"
    case .inside: return release + "this device is inside (\(place), share \(share))"
    case .overtaken: return release + "over, everybody has a release as new"
    case .withdrawn: return release + "withdrawn"
    case .halted: return release + "halted at \(share), this device does not take it"
    case .rejected: return release + "it was rejected on this device"
    case .outside:
      let later = next.map { "; \($0.share) from \(rollout.start.advanced(bySeconds: $0.after))" } ?? ""
      return release + "this device is outside (\(place), share \(share)\(later))"
    case .unknown: return release + "the bucket of this device cannot be computed"
    }
  }
}
