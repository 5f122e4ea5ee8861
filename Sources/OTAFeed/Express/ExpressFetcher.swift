internal import OTAManifest
internal import OTATransfer

/// Answers from an express file where it has the file that is asked for, and passes every other request on.
struct ExpressFetcher: Fetcher {
  /// Who has everything else.
  let base: any Fetcher
  /// The address of the feed's folder, which stands in front of every name.
  let folder: String
  let express: ExpressFile
  /// The root after which there is none; `nil` says of every root that is asked for that there is none.
  let newestRoot: Int64?

  func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError) -> FetchResponse {
    guard request.url.hasPrefix(folder) else { return try await base.fetch(request, into: sink) }
    let path = String(request.url.dropFirst(folder.count))
    if let bytes = express.parts[path] { return try deliver(bytes, request, into: sink) }
    if isEndOfRoots(path) {
      throw TransferError(.notFound, url: request.url, status: 404, detail: "is not there")
    }
    return try await base.fetch(request, into: sink)
  }

  /// A host that hides a root in this way could answer 404 as well.
  private func isEndOfRoots(_ path: String) -> Bool {
    guard let version = ExpressFile.rootVersion(path) else { return false }
    return newestRoot.map { version == $0 + 1 } ?? true
  }

  private func deliver(
    _ bytes: [UInt8], _ request: FetchRequest, into sink: any FetchSink
  ) throws(TransferError) -> FetchResponse {
    guard bytes.count <= request.maxBytes else {
      throw TransferError(
        .tooLarge, url: request.url, detail: "has \(bytes.count) bytes, more than \(request.maxBytes)")
    }
    let response = FetchResponse(status: 200, finalURL: request.url, totalBytes: bytes.count)
    do {
      try sink.begin(response)
      if !bytes.isEmpty { try sink.receive(bytes) }
    } catch {
      throw TransferError(.sinkFailed, url: request.url, detail: "could not be stored", underlying: error)
    }
    return response
  }
}
