internal import OTAFeed
public import OTAManifest

extension Publisher {
  /// Makes a folder a feed, or changes the settings of one; running it again changes nothing.
  ///
  /// A `manifest.json` that is in the folder already is kept, and counted on from.
  public static func initialise(_ request: InitRequest) async throws(Problem) -> InitReport {
    try await requireClock(request)
    return try await FeedInitialisation(request: request).run()
  }

  /// A root of a wrong date ships in apps, so its clock is looked at as well.
  private static func requireClock(_ request: InitRequest) async throws(Problem) {
    guard case .signed = request.trust, let date = request.date else { return }
    var check = ClockCheck(now: request.now ?? date, date: date)
    do {
      let live = try await FeedState.readPointer(
        of: .stable, request.host ?? DirectoryHost(root: request.directory))?
        .manifest
      if let live, let released = live.released {
        check.witnesses.append(.init(moment: released, event: "release \(live.version) was made"))
      }
    } catch {
      // What is wrong with a manifest that is there is said where it is taken on.
    }
    if let base = request.baseURL, let time = await request.hostClock?.time(base) {
      check.host = (base.host, time)
    }
    if let impossible = check.impossible { throw impossible }
    if let doubt = check.doubt, !request.allowsClock { throw doubt }
  }
}
