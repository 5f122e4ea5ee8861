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
  ///
  /// Where HTTP/2 broke (a reset stream, GOAWAY), the file is asked for once more, whole, over HTTP/1.1.
  public func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError)
    -> FetchResponse
  {
    let url = try checkedURL(request)
    do {
      return try await client.run(AnswerStream(request, url: url, policy: client.policy, sink: sink))
    } catch  where error.isFaultOfHTTP2 && !Task.isCancelled {
      var again = request
      // The sink may hold more by now than it did when the request was made.
      again.resume = nil
      return try await client.run(
        AnswerStream(again, url: url, policy: client.policy, sink: sink, usesHTTP1: true))
    }
  }

  private func checkedURL(_ request: FetchRequest) throws(TransferError) -> FetchURL {
    do {
      return try FetchURL(request.url, allowsPlainHTTPOnLoopback: client.policy.allowsPlainHTTPOnLoopback)
    } catch {
      throw TransferError(.refusedURL, url: request.url, detail: error.detail)
    }
  }
}
