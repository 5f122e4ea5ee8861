internal import OTAFeed
internal import OTAManifest

/// Writes a release to a feed: content first, the pointer last, each step safe to repeat after an interruption.
struct ReleaseCommit {
  /// What was written and removed.
  struct Outcome {
    var written: [String] = []
    var removed: [ReleaseVersion] = []
    var warnings: [String] = []
  }

  let host: any FeedHost
  let place: String

  private static let lockWait = Duration.seconds(10)

  /// Makes `draft` live unless the feed has changed since `state` was read.
  func run(_ draft: ReleaseDraft, basedOn state: FeedState) async throws(Problem) -> Outcome {
    let lock = try await host.lock(wait: Self.lockWait)
    defer { lock.release() }
    let channel = draft.manifest.channel
    let fresh = try await FeedState.read(from: host, place: place)
    guard fresh.head?.digest == state.head?.digest, fresh.live[channel]?.digest == state.live[channel]?.digest
    else { throw Self.overtaken(by: fresh) }
    var outcome = Outcome()
    do {
      try await announce(draft, fresh)
      try await writeImmutableFiles(draft, fresh, &outcome)
      try await movePointer(draft, fresh, &outcome)
    } catch {
      throw error.keeping(fresh.kept(channel))
    }
    await tidy(&outcome)
    return outcome
  }

  /// Finishes what a publisher left that was interrupted after its pointer was written.
  func finishInterrupted() async throws(Problem) -> Outcome {
    let lock = try await host.lock(wait: Self.lockWait)
    defer { lock.release() }
    var outcome = Outcome()
    await tidy(&outcome)
    return outcome
  }

  private static func overtaken(by state: FeedState) -> Problem {
    let release = state.head.map { "release \($0.manifest.version)" } ?? "a release"
    return Problem(
      .conflict, "\(release) was published by somebody else meanwhile",
      kept: "that release is live; nothing of this one was written",
      advice: "run publish again, on top of it")
  }

  /// Names the release before anything of it exists; what an interrupted one left under another name goes first.
  private func announce(_ draft: ReleaseDraft, _ state: FeedState) async throws(Problem) {
    let pending = ReleaseName(version: draft.manifest.version, manifest: draft.digest)
    guard state.pending != pending else { return }
    if let old = state.pending, !state.isLive(old.manifest) { try await host.remove(old.path) }
    try await host.replacePointer(FeedLayout.pending, with: pending.encoded())
  }

  private func writeImmutableFiles(
    _ draft: ReleaseDraft, _ state: FeedState, _ outcome: inout Outcome
  ) async throws(Problem) {
    // Feeds from before this layout have no lasting copy of their live manifests, which are about to be replaced.
    for live in state.live.values.sorted(by: { $0.manifest.version < $1.manifest.version }) {
      try await put(FeedLayout.manifest(live.digest, of: live.manifest.version), live.bytes, &outcome)
    }
    for content in draft.contents { try await put(content.path, content.bytes, &outcome) }
    try await put(FeedLayout.manifest(draft.digest, of: draft.manifest.version), draft.bytes, &outcome)
  }

  /// Writes where needed, then reads back: what clients will get is what was hashed.
  private func put(_ path: String, _ bytes: [UInt8], _ outcome: inout Outcome) async throws(Problem) {
    guard try await host.putImmutable(path, bytes) else { return }
    guard try await host.read(path, maxBytes: bytes.count) == bytes else {
      throw Problem(
        .digestMismatch, "\(path) does not have the bytes that were written to it",
        advice: "check the disk and whatever else writes to the feed, then run the same command again")
    }
    outcome.written.append(path)
  }

  private func movePointer(
    _ draft: ReleaseDraft, _ state: FeedState, _ outcome: inout Outcome
  ) async throws(Problem) {
    let channel = draft.manifest.channel
    let path = channel.manifestPath
    let current = try await host.read(path, maxBytes: Limits.standard.maxManifestBytes)
    guard current == state.live[channel]?.bytes else {
      throw Problem(
        .conflict, "\(path) was changed by somebody else meanwhile", advice: "run publish again, on top of it"
      )
    }
    try await host.replacePointer(path, with: draft.bytes)
    outcome.written.append(path)
  }

  /// The release is live by now, so trouble here is a warning, and the next publish tries again.
  private func tidy(_ outcome: inout Outcome) async {
    do {
      let state = try await FeedState.read(from: host, place: place)
      outcome.removed = try await Retention(state: state).apply(to: host)
      try await host.remove(FeedLayout.pending)
    } catch {
      outcome.warnings.append("old releases were not removed: \(error.message)")
    }
  }
}
