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
  /// Looks at new files by their public address; `nil` where nobody is to look.
  var publicFiles: PublicFiles?
  /// What the release changes, for the page; `nil` when it is not known.
  var news: ReleaseNews?

  /// Makes `draft` live unless the feed has changed since `state` was read.
  func run(_ draft: ReleaseDraft, basedOn state: FeedState) async throws(Problem) -> Outcome {
    try await host.locked { () async throws(Problem) in
      let fresh = try await settled()
      let channel = draft.manifest.channel
      guard fresh.head?.digest == state.head?.digest,
        fresh.live[channel]?.digest == state.live[channel]?.digest, fresh.documents == state.documents
      else { throw Self.overtaken(by: fresh) }
      guard fresh.metadata?.timestamp.bytes == state.metadata?.timestamp.bytes else {
        throw Self.signedMeanwhile
      }
      var outcome = Outcome()
      let next = try await write(draft, fresh, &outcome)
      if signing == nil { await removeDocuments(of: fresh, notIn: next, &outcome) }
      // Before the mark of an unfinished release goes, so that a page that was interrupted is written again.
      outcome.warnings += await page(next, draft)
      await tidy(next, &outcome)
      outcome.dropped = fresh.lostReleases.map { "release \($0.version) is off the list: \($0.message)" }
      if signing == nil { outcome.dropped = [] }
      outcome.warnings += outcome.dropped
      return outcome
    }
  }

  /// Writes everything in order.
  ///
  /// - Returns: the state of the feed after it.
  private func write(
    _ draft: ReleaseDraft, _ fresh: FeedState, _ outcome: inout Outcome
  ) async throws(Problem) -> FeedState {
    let channel = draft.manifest.channel
    let commit = FeedCommit(host: host, publicFiles: publicFiles, base: fresh.settings.baseURL)
    var plan = WritePlan()
    let metadata: MetadataPlan?
    do {
      plan.add(Self.immutableFiles(draft, fresh))
      metadata = try await self.plan(draft, fresh)
      if let metadata { plan.add(metadata, after: fresh.metadata) }
      if signing == nil { plan.move(try fresh.adding(draft).documents, from: fresh.documents) }
      if draft.rollout == nil {
        plan.move(FeedWrite(path: channel.manifestPath, bytes: draft.bytes), from: fresh.pointers[channel])
      }
      try await announce(draft, fresh)
      try await commit.write(plan, &outcome.written)
      try await commit.move(plan.pointers[0], &outcome.written)
    } catch {
      throw await beaten(error, fresh).keeping(fresh.kept(channel))
    }
    let next = try fresh.adding(draft).pointing().signed(metadata)
    do {
      if let path = try await ExpressUpkeep(host: host).run(for: next) { outcome.written.append(path) }
      for pointer in plan.pointers.dropFirst() { try await commit.move(pointer, &outcome.written) }
    } catch {
      throw error.keeping(
        "release \(draft.manifest.version) is signed and live; clients that read \(channel.manifestPath) alone do not "
          + "see it yet")
    }
    do {
      try await host.settle(.pointers)
    } catch {
      throw await beaten(error, fresh).keeping(fresh.kept(channel))
    }
    return next
  }

  /// A rollout that is over: devices pass over its document from the new pointer on.
  private func removeDocuments(
    of old: FeedState, notIn next: FeedState, _ outcome: inout Outcome
  ) async {
    let gone = old.documents.bytes.keys.filter { next.documents.bytes[$0] == nil }.sorted()
    guard !gone.isEmpty else { return }
    do {
      try await host.remove(gone)
    } catch {
      outcome.warnings.append(Self.untidy(error))
    }
  }

  /// What a loser is told: which release was first, where the host shows one.
  private func beaten(_ problem: Problem, _ before: FeedState) async -> Problem {
    guard problem.code == .conflict else { return problem }
    do throws(Problem) {
      let now = try await FeedState.read(from: host, place: place)
      return now.head?.digest == before.head?.digest ? problem : Self.overtaken(by: now)
    } catch {
      // What the host said is true anyway.
      return problem
    }
  }

  /// Finishes what a publisher left that was interrupted after its pointer was written.
  func finishInterrupted() async throws(Problem) -> Outcome {
    try await host.locked { () async throws(Problem) in
      var outcome = Outcome()
      do throws(Problem) {
        let state = try await FeedState.read(from: host, place: place)
        if let path = try await ExpressUpkeep(host: host).run(for: state) { outcome.written.append(path) }
        outcome.warnings += await page(state, nil)
        await tidy(state, &outcome)
      } catch {
        outcome.warnings.append(Self.untidy(error))
      }
      return outcome
    }
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
    if let old = state.pending, !state.isLive(old.manifest) { try await host.remove([old.path]) }
    try await host.replace(FeedLayout.pending, with: pending.encoded())
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

  /// The state once the names that old clients read show what is signed: a mark of one unfinished release is all there is,
  /// and the next one takes it.
  private func settled() async throws(Problem) -> FeedState {
    let state = try await FeedState.read(from: host, place: place)
    let lagging = state.laggingChannels
    for channel in lagging {
      guard let live = state.live[channel] else { continue }
      try await host.replace(channel.manifestPath, with: live.bytes)
    }
    if !lagging.isEmpty { try await host.settle(.pointers) }
    return state.pointing()
  }

  /// The page for people, written anew; trouble with it is a warning.
  private func page(_ state: FeedState, _ draft: ReleaseDraft?) async -> [String] {
    do {
      let release = draft.flatMap { draft in
        news.map { (release: draft.manifest, digest: draft.digest, news: $0) }
      }
      try await FeedPageWriter(host: host, state: state).write(release)
      return []
    } catch {
      return [FeedPageWriter.unwritten(error)]
    }
  }

  /// The release is live by now, so trouble here is a warning, and the next publish tries again.
  private func tidy(_ state: FeedState, _ outcome: inout Outcome) async {
    do {
      try await tidyUp(state, &outcome)
    } catch {
      outcome.warnings.append(Self.untidy(error))
    }
  }

  private static func untidy(_ error: Problem) -> String { "old releases were not removed: \(error.message)" }

  /// Moves pointers that lag, and removes what nobody needs any more; the caller holds the lock of the feed.
  func tidyUp(_ state: FeedState, _ outcome: inout Outcome) async throws(Problem) {
    for channel in state.laggingChannels {
      guard let live = state.live[channel] else { continue }
      try await host.replace(channel.manifestPath, with: live.bytes)
      outcome.written.append(channel.manifestPath)
    }
    if !state.laggingChannels.isEmpty { try await host.settle(.pointers) }
    outcome.removed = try await Retention(state: state).apply(to: host)
    if let metadata = state.metadata {
      try await MetadataRetention(metadata: metadata).apply(to: host)
    }
    try await FeedPages.writeMissingPage(to: host)
    try await host.remove([FeedLayout.pending])
    try await host.settle(.removal)
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
    guard manifest.content != manifest.version, manifest.channel == .stable, draft.rollout == nil else {
      return
    }
    let pointer = FeedWrite(path: manifest.channel.manifestPath, bytes: draft.bytes)
    try await AddressRehearsal(
      host: host, writes: files + [pointer], settings: state.settings.counting(for: manifest.version),
      root: nil,
      now: manifest.released ?? Timestamp(secondsSinceEpoch: 0)
    ).runOldClients()
  }
}
