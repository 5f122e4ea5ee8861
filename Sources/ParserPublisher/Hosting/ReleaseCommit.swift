internal import OTAFeed
internal import OTAManifest

/// Writes a release to a feed: content first, the pointer last, each step safe to repeat after an interruption.
struct ReleaseCommit {
  /// What was written and removed.
  struct Outcome {
    var written: [String] = []
    var removed: [ReleaseVersion] = []
    /// Signed releases that went because files of them are lost, each as a sentence.
    var dropped: [String] = []
    var warnings: [String] = []
  }

  let host: any FeedHost
  let place: String
  /// Who signs; `nil` on a feed without signatures.
  let signing: FeedSigning?

  private static let lockWait = Duration.seconds(10)

  /// Makes `draft` live unless the feed has changed since `state` was read.
  func run(_ draft: ReleaseDraft, basedOn state: FeedState) async throws(Problem) -> Outcome {
    let lock = try await host.lock(wait: Self.lockWait)
    defer { lock.release() }
    let channel = draft.manifest.channel
    let fresh = try await settled()
    guard fresh.head?.digest == state.head?.digest, fresh.live[channel]?.digest == state.live[channel]?.digest
    else { throw Self.overtaken(by: fresh) }
    guard fresh.metadata?.timestamp.bytes == state.metadata?.timestamp.bytes else {
      throw Self.signedMeanwhile
    }
    var outcome = Outcome()
    do {
      let plan = try await plan(draft, fresh)
      try await announce(draft, fresh)
      try await write(Self.immutableFiles(draft, fresh), &outcome)
      if let plan { try await commit(plan, fresh, &outcome) }
    } catch {
      throw error.keeping(fresh.kept(channel))
    }
    do {
      try await movePointer(draft, fresh, &outcome)
    } catch {
      let version = draft.manifest.version
      throw error.keeping(
        signing == nil
          ? fresh.kept(channel)
          : "release \(version) is signed and live; clients that read \(channel.manifestPath) alone do not see it yet"
      )
    }
    await tidy(&outcome)
    if signing != nil {
      if outcome.warnings.isEmpty { outcome.removed = try Self.dropped(by: draft, fresh) }
      outcome.dropped = fresh.lostReleases.map { "release \($0.version) is off the list: \($0.message)" }
    }
    outcome.warnings += outcome.dropped
    return outcome
  }

  /// What the signed state without them left behind.
  private static func dropped(
    by draft: ReleaseDraft, _ state: FeedState
  ) throws(Problem) -> [ReleaseVersion] {
    let kept = Set(Retention(state: try state.adding(draft)).kept.map(\.digest))
    return state.releases.filter { !kept.contains($0.digest) }.map(\.manifest.version).sorted()
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
      .conflict, "\(release) was published by another publisher meanwhile",
      kept: "that release is live; nothing of this one was written",
      advice: "run the same command again, on top of it")
  }

  /// Names the release before anything of it exists; what an interrupted one left under another name goes first.
  private func announce(_ draft: ReleaseDraft, _ state: FeedState) async throws(Problem) {
    let pending = ReleaseName(version: draft.manifest.version, manifest: draft.digest)
    guard state.pending != pending else { return }
    if let old = state.pending, !state.isLive(old.manifest) { try await host.remove(old.path) }
    try await host.replacePointer(FeedLayout.pending, with: pending.encoded())
  }

  private static func immutableFiles(_ draft: ReleaseDraft, _ state: FeedState) -> [FeedWrite] {
    // Feeds from before this layout have no lasting copy of their live manifests, which are about to be replaced.
    let live = state.live.values.sorted { $0.manifest.version < $1.manifest.version }
    return live.map { release in
      FeedWrite(
        path: FeedLayout.manifest(release.digest, of: release.manifest.version), bytes: release.bytes)
    } + draft.contents
      + [FeedWrite(path: FeedLayout.manifest(draft.digest, of: draft.manifest.version), bytes: draft.bytes)]
  }

  private func write(_ files: [FeedWrite], _ outcome: inout Outcome) async throws(Problem) {
    for file in files { try await put(file.path, file.bytes, &outcome) }
  }

  /// Writes where needed, then reads back: what clients will get is what was hashed.
  private func put(_ path: String, _ bytes: [UInt8], _ outcome: inout Outcome) async throws(Problem) {
    guard try await host.putImmutable(path, bytes) else { return }
    guard try await host.read(path, maxBytes: bytes.count) == bytes else {
      throw Problem(
        .digestMismatch, "\(path) does not have the bytes that were written to it",
        advice: "check the disk and other programs that write to the feed, then run the same command again")
    }
    outcome.written.append(path)
  }

  private func movePointer(
    _ draft: ReleaseDraft, _ state: FeedState, _ outcome: inout Outcome
  ) async throws(Problem) {
    let channel = draft.manifest.channel
    let path = channel.manifestPath
    let current = try await host.read(path, maxBytes: Limits.standard.maxManifestBytes)
    guard current == state.pointers[channel] else {
      throw Problem(
        .conflict, "\(path) was changed by another publisher meanwhile",
        advice: "run the same command again, on top of it"
      )
    }
    try await host.replacePointer(path, with: draft.bytes)
    outcome.written.append(path)
  }

  /// The state once the names that old clients read show what is signed: a mark of one unfinished release is all there is,
  /// and the next one takes it.
  private func settled() async throws(Problem) -> FeedState {
    let state = try await FeedState.read(from: host, place: place)
    let lagging = state.laggingChannels
    for channel in lagging {
      guard let live = state.live[channel] else { continue }
      try await host.replacePointer(channel.manifestPath, with: live.bytes)
    }
    return lagging.isEmpty ? state : try await FeedState.read(from: host, place: place)
  }

  /// The release is live by now, so trouble here is a warning, and the next publish tries again.
  private func tidy(_ outcome: inout Outcome) async {
    do {
      try await tidyUp(&outcome)
    } catch {
      outcome.warnings.append("old releases were not removed: \(error.message)")
    }
  }

  /// Moves pointers that lag, and removes what nobody needs any more; the caller holds the lock of the feed.
  func tidyUp(_ outcome: inout Outcome) async throws(Problem) {
    let state = try await FeedState.read(from: host, place: place)
    for channel in state.laggingChannels {
      guard let live = state.live[channel] else { continue }
      try await host.replacePointer(channel.manifestPath, with: live.bytes)
      outcome.written.append(channel.manifestPath)
    }
    outcome.removed = try await Retention(state: state).apply(to: host)
    if let metadata = state.metadata {
      try await MetadataRetention(metadata: metadata).apply(to: host)
    }
    try await FeedPages.writeMissingPage(to: host)
    try await host.remove(FeedLayout.pending)
  }
}

// MARK: Signed feeds

extension ReleaseCommit {
  static var signedMeanwhile: Problem {
    Problem(
      .conflict, "\(FeedLayout.timestamp) was renewed by another publisher meanwhile",
      kept: "nothing was written", advice: "run the same command again, on top of it")
  }

  /// Signs the state that there will be, and proves that installed clients take it; `nil` without signatures.
  func plan(_ draft: ReleaseDraft, _ state: FeedState) async throws(Problem) -> MetadataPlan? {
    let files = Self.immutableFiles(draft, state)
    try await rehearseRollback(draft, files, state)
    guard let signing else { return nil }
    return try await signing.plan(for: state.adding(draft), files, host, whole: [draft.manifest.channel])
  }

  /// Older content comes from elsewhere on the feed: proves that old clients get it where the manifest says.
  private func rehearseRollback(
    _ draft: ReleaseDraft, _ files: [FeedWrite], _ state: FeedState
  ) async throws(Problem) {
    let manifest = draft.manifest
    guard manifest.content != manifest.version, manifest.channel == .stable else { return }
    let pointer = FeedWrite(path: manifest.channel.manifestPath, bytes: draft.bytes)
    try await AddressRehearsal(
      host: host, writes: files + [pointer], settings: state.settings.counting(for: manifest.version),
      root: nil,
      now: manifest.released ?? Timestamp(secondsSinceEpoch: 0)
    ).runOldClients()
  }

  private func commit(
    _ plan: MetadataPlan, _ state: FeedState, _ outcome: inout Outcome
  ) async throws(Problem) {
    try await write(plan.versioned, &outcome)
    try await MetadataCommit(host: host).moveTimestamp(plan, from: state.metadata)
    outcome.written.append(plan.timestamp.path)
  }
}
