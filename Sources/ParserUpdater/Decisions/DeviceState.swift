internal import OTAFeed
internal import OTAManifest

/// Everything that a device remembers; the file that holds it is the one commit point of the store.
struct DeviceState: Equatable, Sendable {
  /// The channel that the device follows.
  var channel = Channel.stable
  /// The places of that channel.
  var slots = ChannelSlots()
  /// The places of the channels that were followed before, the one left last at the end.
  var parked: [ParkedChannel] = []
  /// What a person fixed by hand.
  var pin: Pin?
  /// Content that failed here, newest last.
  var rejected: [Rejection] = []
  /// The newest release that was accepted from each channel: the floor for offers.
  var seen: [Channel: SeenRelease] = [:]
  /// The newest manifest of each channel that was verified, whether or not its release could be had: the floor for
  /// what is withdrawn.
  var heard: [Channel: ReleaseVersion] = [:]
  /// The feed that everything here came from; `nil` in a store that nothing says it of.
  var lineage: Lineage?
  /// Dates that this device wrote down up to this one prove nothing: the feed showed something new that is older.
  var overruledDate: Timestamp?
  /// The last failed check or update, until one succeeds.
  var lastProblem: RecordedProblem?
  /// Since when the feed is out of date, until it can be refreshed again.
  var stale: Staleness?
  /// Events that the history did not take, until it takes some again.
  var historyLoss: HistoryLoss?
  /// The name by which the device finds its buckets; `nil` until a rollout asks for it.
  var install: InstallID?
  /// The channel that a person chose in place of the app's; `nil` for the app's.
  var chosenChannel: Channel?
  /// The channels that the feed answers with in place of others: of a channel that ended, or a line for older apps.
  var standIns: [Channel: Channel] = [:]
  /// What the host of the feed asked for, and what is odd about it.
  var host: HostMemory?

  /// A use of a release that nobody has confirmed yet.
  struct Trial: Equatable, Sendable {
    /// The launches in order, each until it is confirmed, failed or closed cleanly.
    var launches: [LaunchID]
  }

  /// How far the trial load of a staged release came; a failure is a rejection, so it is none of these.
  struct TrialLoadRecord: Equatable, Sendable {
    enum Stage: String, Sendable, CaseIterable {
      /// It began, and nothing is known of its end.
      case began
      case passed
      /// It ended without an answer.
      case undecided
    }

    let manifest: Digest
    var stage: Stage
  }

  /// A release fixed by hand.
  enum Pin: Equatable, Sendable {
    case embedded
    case release(ReleaseReference)
  }

  /// A pair of files that is not used again, under any version, until somebody says forget.
  struct Rejection: Equatable, Sendable {
    let pair: ContentPair
    let version: ReleaseVersion
    let reason: String
    let date: Timestamp
    /// The channel that was followed; `nil` in a list from before channels had their own.
    var channel: Channel?
  }

  /// The newest release accepted from one channel.
  struct SeenRelease: Equatable, Sendable {
    let version: ReleaseVersion
    let manifest: Digest
    let pair: ContentPair
  }

  /// A problem with the time at which it came up.
  struct RecordedProblem: Equatable, Sendable {
    let code: String
    let message: String
    let date: Timestamp
  }

  /// Signed metadata that has expired: nothing new is installed, and what runs goes on.
  struct Staleness: Equatable, Sendable {
    let since: Timestamp
    let reason: String
  }

  /// Events that could not be written down.
  struct HistoryLoss: Equatable, Sendable {
    let count: Int64
    let since: Timestamp
    let reason: String

    /// What the history says about them when it can be written again.
    var sentence: String { "\(count) event\(count == 1 ? "" : "s") since \(since) not written: \(reason)" }
  }

  /// Counts events that the history did not take.
  mutating func lose(_ count: Int, _ reason: String, at date: Timestamp) {
    let shown = reason.printable(maxCharacters: Self.maxReasonCharacters)
    let before = historyLoss
    historyLoss = HistoryLoss(
      count: min((before?.count ?? 0) + Int64(count), 1_000_000), since: before?.since ?? date, reason: shown)
  }

  /// How many rejections are remembered; the oldest go first.
  static let maxRejections = 64
  /// The longest reason that is kept, in characters.
  static let maxReasonCharacters = 200

  /// The rejection of a pair of files, when there is one.
  func rejection(of pair: ContentPair) -> Rejection? { rejected.last { $0.pair == pair && heeds($0) } }

  /// Every release that some slot refers to.
  var references: [ReleaseReference] {
    var all = slots.references + parked.flatMap(\.slots.references)
    if case .release(let pinned) = pin { all.append(pinned) }
    return all
  }

  /// Remembers that a release failed here.
  mutating func reject(_ release: ReleaseReference, reason: String, date: Timestamp) {
    let shown = reason.printable(maxCharacters: Self.maxReasonCharacters)
    rejected = rejected.filter { $0.pair != release.pair || !heeds($0) }
    rejected.append(
      Rejection(pair: release.pair, version: release.version, reason: shown, date: date, channel: channel))
    rejected.removeFirst(max(0, rejected.count - Self.maxRejections))
    if pin == .release(release) { pin = nil }
  }

  /// Takes the running release out of its slot; the one before it moves up, confirmed as it was.
  mutating func dropCurrent() { slots.dropCurrent() }
}
