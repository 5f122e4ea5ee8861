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
      let builder = RollbackBuilder(request: request, state: state, lookup: lookup)
      let draft = try await builder.build(try builder.choose(), released: request.date ?? now())
      return try await finish(draft, on: state, dryRun: request.dryRun)
    } catch {
      throw error.keeping(state.kept(request.channel))
    }
  }
}
