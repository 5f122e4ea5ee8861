internal import OTAManifest
internal import OTATransfer

/// Answers as the feed would once some files are written, so that a client can be run before anything goes out.
struct OverlayFetcher: Fetcher {
  /// Stands in front of every address; the rest is a path below the feed.
  static let prefix = "feed:/"

  let host: any FeedHost
  let planned: [String: [UInt8]]
  /// The public address of the feed, when it is asked by that.
  let base: WebAddress?

  init(host: any FeedHost, writes: [FeedWrite], base: WebAddress? = nil) {
    self.host = host
    self.base = base
    var planned: [String: [UInt8]] = [:]
    for write in writes { planned[write.path] = write.bytes }
    self.planned = planned
  }

  func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError) -> FetchResponse {
    let path = try path(of: request.url)
    let bytes = try await bytes(path, request.maxBytes)
    let response = FetchResponse(status: 200, finalURL: request.url, totalBytes: bytes.count)
    do {
      try sink.begin(response)
      if !bytes.isEmpty { try sink.receive(bytes) }
    } catch {
      throw TransferError(.sinkFailed, url: path, detail: "is refused", underlying: error)
    }
    return response
  }

  private func path(of url: String) throws(TransferError) -> String {
    if url.hasPrefix(Self.prefix) { return String(url.dropFirst(Self.prefix.count)) }
    do {
      if let base, let path = try WebAddress(url).path(below: base) { return path }
    } catch {
      throw TransferError(.refusedURL, url: url, detail: error.detail)
    }
    throw TransferError(.notFound, url: url, detail: "is outside of the feed")
  }

  private func bytes(_ path: String, _ maxBytes: Int) async throws(TransferError) -> [UInt8] {
    let found: [UInt8]?
    do {
      found = if let bytes = planned[path] { bytes } else { try await host.read(path, maxBytes: maxBytes) }
    } catch {
      throw TransferError(
        error.code == .tooLarge ? .tooLarge : .unreachable, url: path, detail: error.message,
        underlying: error)
    }
    guard let found else { throw TransferError(.notFound, url: path, detail: "is missing") }
    guard found.count <= maxBytes else {
      throw TransferError(.tooLarge, url: path, detail: "has \(found.count) bytes, more than \(maxBytes)")
    }
    return found
  }
}
