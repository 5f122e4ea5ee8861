import Synchronization

/// Asks sites with libcurl; the requests of one fetcher share their connections and their cookies.
///
/// Nothing is loaded and no thread runs before the first request. Cookies live in memory and end with the fetcher.
public final class CurlSiteFetcher: SiteFetcher {
  private let policy: SitePolicy
  private let client: CurlClient
  private let cookies = Mutex<CookieJar?>(nil)

  /// A fetcher with fixed limits and no cookies yet.
  public init(policy: SitePolicy = SitePolicy()) {
    self.policy = policy
    client = CurlClient(policy: policy.transfer)
  }

  /// Runs one request on the thread of the fetcher; cancelling the task ends it at once.
  public func fetch(_ request: SiteRequest) async throws(TransferError) -> SiteResponse {
    let url = try checkedURL(request)
    try request.check()
    try client.prepare(for: url)
    return try await client.run(SiteStream(request, url: url, policy: policy, cookies: jar(url)))
  }

  private func checkedURL(_ request: SiteRequest) throws(TransferError) -> FetchURL {
    do {
      return try FetchURL(site: request.url, allowsLoopback: policy.allowsLoopback)
    } catch {
      throw TransferError(.refusedURL, url: request.url, detail: error.detail)
    }
  }

  /// The one jar of this fetcher; libcurl must be loaded.
  private func jar(_ url: FetchURL) throws(TransferError) -> CookieJar {
    let jar = cookies.withLock { jar in
      if jar == nil { jar = CookieJar() }
      return jar
    }
    guard let jar else { throw TransferError(.unreachable, url: url.text, detail: "there is no memory") }
    return jar
  }
}
