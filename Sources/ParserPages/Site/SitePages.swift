internal import OTATransfer
public import ParserEngine

/// Has the pages of real sites, asked for as apps ask for them.
///
/// One value keeps one jar of cookies, so it stands for one app.
public struct SitePages: PageProvider {
  private let fetcher: any SiteFetcher
  private let turns: (any SiteTurns)?

  /// Asks with libcurl.
  ///
  /// - Parameters:
  ///   - allowsLoopback: whether a site may be on this machine, for tests; local networks stay out of reach.
  ///   - timeout: the limit on a whole request, redirects included; with turns, on each request.
  ///   - turns: decides when each host may be asked; `nil` asks at once.
  public init(
    allowsLoopback: Bool = false, timeout: Duration = .seconds(30), turns: (any SiteTurns)? = nil
  ) {
    var policy = SitePolicy()
    policy.allowsLoopback = allowsLoopback
    policy.timeout = timeout
    policy.transfer.connectTimeout = min(policy.transfer.connectTimeout, timeout)
    policy.keptFields.insert(CloudflareChallenge.field)
    policy.followsRedirects = turns == nil
    fetcher = CurlSiteFetcher(policy: policy)
    self.turns = turns
  }

  /// Asks with a fetcher, which must keep the field `cf-mitigated`.
  init(fetcher: any SiteFetcher) { (self.fetcher, turns) = (fetcher, nil) }

  /// Asks the site; an error page is a page, a challenge is a fault.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    let url = SiteAddress.sendable(request.url)
    guard let method = SiteRequest.Method(rawValue: request.method.uppercased()) else {
      return .fault(PageFault(.refusedRequest, "the method \(request.method) is not known", url: url))
    }
    let sent = SiteRequest(
      method: method, url: url, fields: AppHeaders.fields(for: request, url: url),
      body: method == .post ? request.body ?? [] : [])
    guard let turns else { return await ask(sent, of: url).answer }
    var walk = RedirectWalk(sent)
    while let hop = walk.next {
      let host = SiteAddress.host(of: hop.url)
      if let refusal = await turns.begin(host, hop.url) { return .fault(refusal) }
      let (answer, next) = await ask(hop, of: url)
      await turns.end(host, answer)
      walk.take(answer, next: next)
    }
    return walk.answer
  }

  /// One request with what came of it; a redirect that was not followed comes with the request that it asks for.
  private func ask(_ sent: SiteRequest, of url: String) async -> (answer: PageAnswer, next: SiteRequest?) {
    do throws(TransferError) {
      let response = try await fetcher.fetch(sent)
      return (Self.answer(response, to: url), response.next)
    } catch {
      return (.fault(PageFault(error, url: url)), nil)
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
