public import OTAManifest

extension Publisher {
  /// What a roll back would do; nothing is written.
  public func planRollback(_ request: RollbackRequest) async throws(Problem) -> RollbackPlan {
    try RollbackBuilder(request: request, state: await readState(), lookup: lookup).choose().plan
  }

  /// Publishes older content under the next version, and calls the releases in between withdrawn.
  ///
  /// Nothing but the new manifest is written: the content is on the feed already, and it is verified first.
  public func rollback(_ request: RollbackRequest) async throws(Problem) -> PublishReport {
    let state = try await readState()
    do {
      try checkNotes(request.reason)
      let signing = try signing(request.signers, request.date, state, isDryRun: request.dryRun)
      if !request.dryRun, let finished = try await finishRollback(request.channel, state, signing) {
        return finished
      }
      let builder = RollbackBuilder(request: request, state: state, lookup: lookup)
      let draft = try await builder.build(try builder.choose(), released: request.date ?? now())
      return try await finish(draft, on: state, signing, dryRun: request.dryRun)
    } catch {
      throw error.keeping(state.kept(request.channel))
    }
  }

  /// Finishes a roll back that was interrupted when it was signed already but old clients did not see it yet.
  private func finishRollback(
    _ channel: Channel, _ state: FeedState, _ signing: FeedSigning?
  ) async throws(Problem) -> PublishReport? {
    guard let live = state.live[channel], state.pending?.manifest == live.digest,
      live.manifest.content != live.manifest.version, state.laggingChannels.contains(channel)
    else { return nil }
    let done = try await commit(signing).finishInterrupted()
    return PublishReport(
      outcome: .published, manifest: live.manifest, manifestDigest: live.digest,
      previous: live.manifest.parentVersion, diff: nil,
      warnings: (signing?.warnings ?? []) + done.warnings, writtenFiles: done.written,
      removedReleases: done.removed)
  }
}
