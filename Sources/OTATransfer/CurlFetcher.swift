import Synchronization

/// Fetches with libcurl; transfers of one fetcher share their connections.
///
/// Nothing is loaded and no thread runs before the first fetch. The thread ends when the fetcher is released.
public final class CurlFetcher: Fetcher {
  private let policy: TransferPolicy
  private let engine = Mutex<CurlEngine?>(nil)

  /// A fetcher with fixed limits.
  public init(policy: TransferPolicy = TransferPolicy()) {
    self.policy = policy
  }

  deinit {
    engine.withLock { $0?.stop() }
  }

  /// Runs one transfer on the thread of the fetcher; cancelling the task ends it at once.
  public func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError)
    -> FetchResponse
  {
    let url = try checkedURL(request)
    let engine = try runningEngine(for: url)
    let stream = AnswerStream(request, url: url, policy: policy, sink: sink)
    let transfer = CurlTransfer(id: engine.newID(), stream: stream, trust: engine.trust)
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        engine.start(transfer) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      engine.cancel(transfer)
    }
    return try answer.get()
  }

  private func checkedURL(_ request: FetchRequest) throws(TransferError) -> FetchURL {
    do {
      return try FetchURL(request.url, allowsPlainHTTPOnLoopback: policy.allowsPlainHTTPOnLoopback)
    } catch {
      throw TransferError(.refusedURL, url: request.url, detail: error.detail)
    }
  }

  private func runningEngine(for url: FetchURL) throws(TransferError) -> CurlEngine {
    let started = engine.withLock { engine in
      Result { () throws(TransferError) in
        if let engine { return engine }
        let new = try CurlEngine(policy: policy)
        engine = new
        return new
      }
    }
    let engine: CurlEngine
    do { engine = try started.get() } catch {
      throw TransferError(error.kind, url: url.text, detail: error.detail)
    }
    guard url.isPlainHTTP || !engine.trust.isEmpty else {
      let tried = engine.trust.tried.joined(separator: ", ")
      let detail =
        "no certificate authorities found (tried \(tried)); install ca-certificates or set SSL_CERT_FILE"
      throw TransferError(.tls, url: url.text, detail: detail)
    }
    return engine
  }
}
