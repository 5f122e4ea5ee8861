/// Asks web sites for pages, as the web view of an app would.
///
/// Apart from `Fetcher`, whose rules for feeds are stricter: here an error page is an answer like any other.
public protocol SiteFetcher: Sendable {
  /// Sends one request and returns the last answer with its whole body, whatever its status.
  ///
  /// Follows redirects and never retries. Ends at once with `cancelled` when the task is cancelled.
  func fetch(_ request: SiteRequest) async throws(TransferError) -> SiteResponse
}
