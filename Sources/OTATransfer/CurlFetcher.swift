/// Fetches with libcurl; transfers of one fetcher share their connections.
///
/// Nothing is loaded and no thread runs before the first fetch. The thread ends when the fetcher is released.
public final class CurlFetcher: Fetcher {
  private let client: CurlClient

  /// A fetcher with fixed limits.
  public init(policy: TransferPolicy = TransferPolicy()) {
    client = CurlClient(policy: policy)
  }

  /// Runs one transfer on the thread of the fetcher; cancelling the task ends it at once.
  public func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError)
    -> FetchResponse
  {
    try await client.run(
      AnswerStream(request, url: checkedURL(request), policy: client.policy, sink: sink))
  }

  private func checkedURL(_ request: FetchRequest) throws(TransferError) -> FetchURL {
    do {
      return try FetchURL(request.url, allowsPlainHTTPOnLoopback: client.policy.allowsPlainHTTPOnLoopback)
    } catch {
      throw TransferError(.refusedURL, url: request.url, detail: error.detail)
    }
  }
}
