import OTATransfer
import Synchronization

/// A fetcher that is the whole feed: answers from memory, says 404 to the rest, and remembers what it was asked for.
package final class FeedInMemory: Fetcher {
  /// The base of all URLs.
  package static let base = "https://feed.example/"
  private let state = Mutex(State())

  private struct State {
    var files: [String: [UInt8]] = [:]
    var statuses: [String: Int] = [:]
    var requests: [String] = []
    var fallback: (@Sendable (String) -> [UInt8])?
    var duration = Duration.zero
  }

  package init(_ files: [String: [UInt8]] = [:]) { state.withLock { $0.files = files } }

  /// Adds files, or replaces them.
  package func publish(_ files: [String: [UInt8]]) {
    state.withLock { $0.files.merge(files) { _, new in new } }
  }

  /// Answers one path with a status instead of a body.
  package func answer(_ path: String, with status: Int) { state.withLock { $0.statuses[path] = status } }

  /// Answers files that are not there with 200 and a body of its own, as a host of a single-page app does; `nil` ends that.
  package func answerEverything(_ body: (@Sendable (_ path: String) -> [UInt8])?) {
    state.withLock { $0.fallback = body }
  }

  /// Lets each answer take this long by the budget of the request, and no time at all.
  package func takeTime(_ duration: Duration) { state.withLock { $0.duration = duration } }

  /// The paths of the files whose name ends so.
  package func paths(endingIn end: String) -> [String] {
    state.withLock { $0.files.keys.filter { $0.hasSuffix(end) }.sorted() }
  }

  /// The paths that were asked for since the last call, in order.
  package func takeRequests() -> [String] {
    state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  package func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError)
    -> FetchResponse
  {
    let path = String(request.url.dropFirst(Self.base.count))
    let (bytes, status, duration) = state.withLock { state in
      state.requests.append(path)
      let bytes = state.files[path] ?? state.fallback?(path)
      return (bytes, state.statuses[path] ?? (bytes == nil ? 404 : 200), state.duration)
    }
    request.budget?.spend(duration)
    guard let bytes, status == 200 else {
      let kinds: [Int: TransferError.Kind] = [403: .forbidden, 404: .notFound, 410: .notFound]
      throw TransferError(
        kinds[status] ?? .server, url: request.url, status: status, detail: "HTTP \(status)")
    }
    guard bytes.count <= request.maxBytes else {
      throw TransferError(.tooLarge, url: request.url, status: status, detail: "too large")
    }
    let response = FetchResponse(status: 200, finalURL: request.url, totalBytes: bytes.count)
    do {
      try sink.begin(response)
      for start in stride(from: 0, to: bytes.count, by: 5) {
        try sink.receive(bytes[start..<min(start + 5, bytes.count)].span.bytes)
      }
    } catch {
      throw TransferError(.sinkFailed, url: request.url, detail: "sink", underlying: error)
    }
    return response
  }
}
