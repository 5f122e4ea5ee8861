internal import OTAFeed
public import OTAManifest

extension Publisher {
  /// What a roll back would do; nothing is written.
  public func planRollback(_ request: RollbackRequest) async throws(Problem) -> RollbackPlan {
    let state = try await readState()
    if let live = interrupted(request, state)?.manifest {
      return RollbackPlan(
        live: live.parentVersion ?? live.version, target: live.content, next: live.version,
        withdrawn: live.withdrawn)
    }
    let builder = RollbackBuilder(request: request, state: state, lookup: lookup)
    let choice = try builder.choose()
    var plan = choice.plan
    plan.cautions = try await builder.cautions(about: choice, at: moments(of: request))
    return plan
  }

  /// Publishes older content under the next version, and calls the releases in between withdrawn.
  ///
  /// Nothing but the new manifest is written: the content is on the feed already, and it is verified first.
  /// - Throws: `rollback-again` or `rollback-drops-sources` when `to` must name the release, `withdrawn-content` when it
  ///   names one that was withdrawn.
  public func rollback(_ request: RollbackRequest) async throws(Problem) -> PublishReport {
    let state = try await readState()
    do throws(Problem) {
      try ReleaseNotes.check(request.reason)
      let isClockAllowed =
        try await request.dryRun
        ? requireClock(state, date: request.date) : requireClock(asking: state, date: request.date)
      let signing = try signing(request.signers, request.date, state, isDryRun: request.dryRun)
      if !request.dryRun, let finished = try await finishRollback(request, state, signing) {
        return finished
      }
      let builder = RollbackBuilder(request: request, state: state, lookup: lookup)
      let choice = try builder.choose()
      if let caution = try await builder.cautions(about: choice, at: moments(of: request)).first {
        throw Problem(
          caution.code, caution.message,
          advice:
            "if that is meant, name the release: parser-ota rollback --feed \(place) --to \(choice.plan.target)"
        )
      }
      let draft = try await builder.build(choice, released: request.date ?? now())
      return try await finish(
        draft.recording(isClockAllowed ? ClockCheck.allowance : nil), on: state, signing,
        news: ReleaseNews(draft.diff, nil, nil), dryRun: request.dryRun)
    } catch {
      throw error.keeping(state.kept(request.channel))
    }
  }

  /// The clock, and the date that a roll back is to carry: a fixed date makes no roll back an old one.
  private func moments(of request: RollbackRequest) -> [Timestamp] {
    [now(), request.date].compactMap(\.self)
  }

  /// A roll back that was interrupted when it was live already, but not yet for old clients or not tidied up.
  ///
  /// Who names the release to go back to asks for the same again. Who does not might as well mean one step further, so
  /// that counts as the same only while old clients wait for it.
  private func interrupted(_ request: RollbackRequest, _ state: FeedState) -> VerifiedManifest? {
    guard let live = state.live[request.channel], state.pending?.manifest == live.digest,
      live.manifest.content != live.manifest.version
    else { return nil }
    if let target = request.to {
      let named = state.releases.first { $0.manifest.version == target }
      guard named?.manifest.pair == live.manifest.pair else { return nil }
    } else {
      guard state.laggingChannels.contains(request.channel) else { return nil }
    }
    return live
  }

  /// Finishes what was interrupted; `nil` when there is nothing of that kind.
  private func finishRollback(
    _ request: RollbackRequest, _ state: FeedState, _ signing: FeedSigning?
  ) async throws(Problem) -> PublishReport? {
    guard let live = interrupted(request, state) else { return nil }
    let done = try await commit(signing).finishInterrupted()
    return PublishReport(
      outcome: .published, manifest: live.manifest, manifestDigest: live.digest,
      previous: live.manifest.parentVersion, diff: nil,
      warnings: (signing?.warnings ?? []) + done.warnings, writtenFiles: done.written,
      removedReleases: done.removed)
  }
}
