import Synchronization

/// Runs transfers on one engine, which is started by the first of them and ends with the client.
final class CurlClient: Sendable {
  let policy: TransferPolicy
  private let engine = Mutex<CurlEngine?>(nil)

  init(policy: TransferPolicy) {
    self.policy = policy
  }

  deinit {
    engine.withLock { $0?.stop() }
  }

  /// Runs one transfer on the engine's thread; cancelling the task ends it at once.
  func run<Stream: AnswerReading>(_ stream: Stream) async throws(TransferError) -> Stream.Response {
    let engine = try runningEngine(for: stream.url)
    let transfer = CurlTransfer(id: engine.newID(), stream: stream, trust: engine.trust)
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        transfer.completion = { continuation.resume(returning: $0) }
        engine.start(transfer)
      }
    } onCancel: {
      engine.cancel(transfer)
    }
    return try answer.get()
  }

  /// Loads libcurl and starts the engine where that has not been done.
  func prepare(for url: FetchURL) throws(TransferError) { _ = try runningEngine(for: url) }

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
