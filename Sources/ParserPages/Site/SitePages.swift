internal import OTATransfer
public import ParserEngine

/// Has the pages of real sites, asked for as apps ask for them.
///
/// One value keeps one jar of cookies, so it stands for one app.
public struct SitePages: PageProvider {
  private let fetcher: any SiteFetcher

  /// Asks with libcurl.
  ///
  /// - Parameters:
  ///   - allowsLoopback: whether a site may be on this machine, for tests; local networks stay out of reach.
  ///   - timeout: the limit on a whole request, redirects included.
  public init(allowsLoopback: Bool = false, timeout: Duration = .seconds(30)) {
    var policy = SitePolicy()
    policy.allowsLoopback = allowsLoopback
    policy.timeout = timeout
    policy.transfer.connectTimeout = min(policy.transfer.connectTimeout, timeout)
    policy.keptFields.insert(CloudflareChallenge.field)
    fetcher = CurlSiteFetcher(policy: policy)
  }

  /// Asks with a fetcher, which must keep the field `cf-mitigated`.
  init(fetcher: any SiteFetcher) { self.fetcher = fetcher }

  /// Asks the site; an error page is a page, a challenge is a fault.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    let url = SiteAddress.sendable(request.url)
    guard let method = SiteRequest.Method(rawValue: request.method.uppercased()) else {
      return .fault(PageFault(.refusedRequest, "the method \(request.method) is not known", url: url))
    }
    let sent = SiteRequest(
      method: method, url: url, fields: AppHeaders.fields(for: request, url: url),
      body: method == .post ? request.body ?? [] : [])
    do throws(TransferError) {
      return Self.answer(try await fetcher.fetch(sent), to: url)
    } catch {
      return .fault(PageFault(error, url: url))
    }
  }

  private static func answer(_ response: SiteResponse, to url: String) -> PageAnswer {
    if CloudflareChallenge.isShown(in: response) {
      return .fault(
        PageFault(
          .challenge, "Cloudflare shows a challenge instead of the page (HTTP \(response.status))", url: url,
          status: response.status))
    }
    return .page(
      Page(
        status: response.status, finalURL: response.finalURL,
        charset: CharsetLabel.label(in: response.fields["content-type"]), body: response.body))
  }
}
