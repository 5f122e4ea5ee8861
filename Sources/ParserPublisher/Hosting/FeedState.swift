internal import OTAFeed
internal import OTAManifest

/// Everything that a feed says about its releases at one moment; read whole, or not at all.
struct FeedState {
  /// The feed's settings.
  var settings: FeedSettings
  /// The newest manifest of each channel, as clients see it; on a signed feed, what its signed targets say.
  let live: [Channel: VerifiedManifest]
  /// Every release on the feed, the live ones included, newest first.
  let releases: [VerifiedManifest]
  /// A release that somebody began to publish; it is in `releases` only when it is live.
  let pending: ReleaseName?
  /// The pointers as they stand in their files; an interrupted publish leaves one behind what is signed.
  private(set) var pointers: [Channel: [UInt8]]
  /// The signed metadata; `nil` on a feed without.
  private(set) var metadata: MetadataState?
  /// Files of kept releases that are missing or damaged; what does not need them works all the same.
  var lost: [LostFile] = []
  /// The documents beside the pointers.
  var documents = FeedDocuments()

  /// The newest release of any channel: the parent of the next one.
  var head: VerifiedManifest? { releases.first }

  /// The release with this digest as its manifest is live somewhere, or on its way there by a rollout.
  func isLive(_ digest: Digest) -> Bool {
    live.values.contains { $0.digest == digest }
      || documents.rollouts.values.contains { $0.manifest == digest }
  }

  /// The channels whose pointer is not what is signed.
  var laggingChannels: [Channel] {
    live.filter { pointers[$0.key] != $0.value.bytes }.map(\.key).sorted { $0.name < $1.name }
  }

  /// Whether an interrupted publish left something to finish.
  var isUnfinished: Bool { pending != nil || !laggingChannels.isEmpty }

  /// The state in a sentence for problems that change nothing.
  func kept(_ channel: Channel) -> String {
    live[channel].map { "release \($0.manifest.version) is still live" } ?? "nothing was published"
  }

  /// The state once every pointer shows what is live.
  func pointing() -> FeedState {
    var state = self
    for (channel, release) in live { state.pointers[channel] = release.bytes }
    return state
  }

  /// The state once signed metadata is out as planned.
  func signed(_ plan: MetadataPlan?) -> FeedState {
    var state = self
    if let plan, let metadata { state.metadata = plan.state(after: metadata) }
    return state
  }

  /// The state as it will be when a release is live.
  func adding(_ draft: ReleaseDraft) throws(Problem) -> FeedState {
    let release = try VerifiedManifest(unsigned: draft.bytes, name: draft.manifest.channel.manifestPath)
    var (live, documents) = (live, documents)
    documents.set(draft.rollout, of: draft.manifest.channel)
    if draft.rollout == nil { live[draft.manifest.channel] = release }
    let all = ([release] + releases.filter { $0.digest != release.digest }).sorted {
      Self.isNewer($0, $1, live)
    }
    return FeedState(
      settings: settings, live: live, releases: all, pending: nil, pointers: pointers, metadata: metadata,
      lost: lost, documents: documents)
  }
}
