internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Which releases of a feed stay signed when others are discarded, and what is live then.
///
/// A thief of a release key leaves releases that no later one can follow, such as the largest number there is. In a new
/// epoch devices forget their numbers, so these releases can go. The content of the newest one left is live again, under a
/// number that nobody has seen.
struct ReleaseDiscard {
  /// What is no longer signed, in order.
  let versions: [ReleaseVersion]
  /// The feed without it, and with what is published in its place.
  private(set) var state: FeedState
  /// The releases that are published in its place.
  private(set) var drafts: [ReleaseDraft] = []
  /// The channels whose newest release changes.
  let changed: [Channel]

  /// Takes releases out of what is signed.
  ///
  /// - Parameter isRepeated: whether an earlier run of the same command may have discarded them already.
  /// - Throws: `noSuchRelease` for a release that is not signed.
  init(_ versions: Set<ReleaseVersion>, from state: FeedState, isRepeated: Bool) throws(Problem) {
    let signed = Set(state.releases.map(\.manifest.version) + state.lostReleases.map(\.version))
    self.versions = versions.intersection(signed).sorted()
    if !isRepeated, let unknown = versions.subtracting(signed).min() {
      let shown = state.releases.prefix(10).map { "\($0.manifest.version)" }.joined(separator: ", ")
      throw Problem(
        .noSuchRelease, "release \(unknown) is not signed on this feed. Signed are \(shown)",
        advice: "parser-ota releases --feed DIR lists all of them")
    }
    let rest = state.releases.filter { !versions.contains($0.manifest.version) }
    var live: [Channel: VerifiedManifest] = [:]
    for channel in state.live.keys {
      live[channel] = rest.filter { $0.manifest.channel == channel }.max {
        $0.manifest.version < $1.manifest.version
      }
    }
    changed = state.live.keys.filter { live[$0]?.digest != state.live[$0]?.digest }
      .sorted { $0.name < $1.name }
    var documents = state.documents
    for (channel, rollout) in documents.rollouts where versions.contains(rollout.version) {
      documents.set(nil as Rollout?, of: channel)
    }
    self.state = FeedState(
      settings: state.settings, live: live, releases: rest, pending: nil, pointers: state.pointers,
      metadata: state.metadata, lost: state.lost.filter { !versions.contains($0.version) },
      documents: documents)
  }

  /// Publishes the newest whole release that is left of each channel whose newest one goes.
  mutating func republish(from lookup: ContentLookup, released: Timestamp) async throws(Problem) {
    guard !changed.isEmpty else { return }
    drafts = try await Republication(
      state: state, discarded: versions, lookup: lookup, released: released
    ).drafts(for: changed)
    for draft in drafts { state = try state.adding(draft) }
  }

  /// The manifests of what is published.
  var files: [FeedWrite] {
    drafts.map { draft in
      FeedWrite(path: FeedLayout.manifest(draft.digest, of: draft.manifest.version), bytes: draft.bytes)
    }
  }

  /// Everything that is signed of what is left.
  func targets() throws(Problem) -> [String: FileEntry] {
    try TargetsInventory.files(
      live: state.live, kept: Retention(state: state).kept, documents: state.documents)
  }

  /// Shows the new state to clients that read no signatures, and removes the files that nobody needs; once it is signed.
  func finish(on host: any FeedHost) async throws(Problem) -> [String] {
    var written: [String] = []
    for channel in changed {
      if let release = state.live[channel] {
        try await host.replace(channel.manifestPath, with: release.bytes)
        written.append(channel.manifestPath)
      } else {
        try await host.remove([channel.manifestPath])
      }
    }
    try await host.settle(.pointers)
    try await Self.tidy(state, on: host)
    return written
  }

  /// Names what is published before anything of it is written, so that half of it is not taken for damage.
  func announce(on host: any FeedHost) async throws(Problem) {
    guard let draft = drafts.first else { return }
    let name = ReleaseName(version: draft.manifest.version, manifest: draft.digest)
    try await host.replace(FeedLayout.pending, with: name.encoded())
  }

  /// Removes the files that nothing signed needs any more, and the mark of the interrupted ceremony.
  static func tidy(_ state: FeedState, on host: any FeedHost) async throws(Problem) {
    _ = try await Retention(state: state).apply(to: host)
    try await host.remove([FeedLayout.pending])
  }

  /// What discarding means for people, each a sentence.
  var sentences: [String] {
    versions.map { "release \($0) is discarded: it is no longer signed" }
      + changed.map { channel in
        let live = state.live[channel].map(\.manifest).map { manifest in
          manifest.content == manifest.version
            ? "release \(manifest.version) is live in \(channel) again"
            : "release \(manifest.version) is live in \(channel), with the content of release \(manifest.content)"
        }
        return live ?? "channel \(channel) has no release left: publish one"
      }
  }
}
