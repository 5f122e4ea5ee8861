public import OTAManifest

extension Publisher {
  /// Makes a folder a feed, or changes the settings of one; running it again changes nothing.
  ///
  /// A `manifest.json` that is in the folder already is kept, and counted on from.
  public static func initialise(_ request: InitRequest) async throws(Problem) -> InitReport {
    try await FeedInitialisation(request: request).run()
  }
}
