internal import OTAFeed
internal import OTAManifest

/// Asks the feed that is live at the base URL for its number, so that no folder restarts below it.
struct LiveFeedQuestion {
  let request: InitRequest
  let settings: FeedSettings

  /// Refuses a folder whose clients are further than it is.
  ///
  /// - Parameter own: the newest stable release of the folder.
  /// - Returns: a note when the live feed could not be asked; `nil` when it answered, or need not be asked.
  func ask(own: ReleaseVersion?) async throws(Problem) -> String? {
    guard let base = settings.baseURL, request.adopt != .web(base), let patience = request.liveFeedPatience
    else { return nil }
    let answer: VerifiedManifest
    do {
      answer = try await Self.newest(at: base, within: patience)
    } catch {
      return "could not ask \(base)manifest.json for its newest release: \(error.message)"
    }
    let live = answer.manifest.version
    if let own, own >= live { return nil }
    let state = own.map { "release \($0)" } ?? "no release"
    throw Problem(
      .liveFeedNewer,
      "\(base) has release \(live) live, and \(request.directory) has \(state): its clients would take nothing below "
        + "\(live)",
      kept: "nothing was written",
      advice: own == nil
        ? "go on from it: parser-ota init --feed \(request.directory) --adopt \(base) with the same options"
        : "copy the live feed into \(request.directory) first, or adopt it into an empty folder with --adopt \(base)"
    )
  }

  private static func newest(
    at base: WebAddress, within patience: Duration
  ) async throws(Problem) -> VerifiedManifest {
    let reader = FeedReader(.web(base), allowsPlainHTTPOnLoopback: base.isLoopback)
    let outcome = await withTaskGroup(of: Result<VerifiedManifest, Problem>?.self) { group in
      group.addTask {
        do throws(Problem) {
          return .success(try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: reader))
        } catch {
          return .failure(error)
        }
      }
      group.addTask {
        // A sleep that is cut short only means that the answer came first.
        try? await Task.sleep(for: patience)
        return nil
      }
      let first = await group.next()
      group.cancelAll()
      return first ?? nil
    }
    guard let outcome else {
      throw Problem(.timedOut, "no answer within \(patience.components.seconds) s")
    }
    return try outcome.get()
  }
}
