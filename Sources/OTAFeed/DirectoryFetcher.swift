internal import OTAManifest
internal import OTAStorage
internal import OTATransfer

/// Reads a feed that is a folder of this machine, under the same limits as one behind a server.
struct DirectoryFetcher: Fetcher {
  /// The folder of the feed.
  let root: String

  /// Stands in front of every URL that this fetcher understands; the rest is a path below `root`.
  static let prefix = "feed:/"

  func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError) -> FetchResponse {
    let path = request.url.dropFirst(Self.prefix.count)
    let shown = "\(root)/\(path)"
    do {
      var reader = try open(String(path))
      guard reader.size <= request.maxBytes else {
        throw TransferError(
          .tooLarge, url: shown, detail: "has \(reader.size) bytes, more than \(request.maxBytes)")
      }
      let response = FetchResponse(status: 200, finalURL: shown, totalBytes: reader.size)
      try begin(sink, response, shown)
      var received = 0
      while true {
        if Task.isCancelled { throw TransferError(.cancelled, url: shown, detail: "was cancelled") }
        let chunk = try reader.read()
        if chunk.isEmpty { return response }
        received += chunk.count
        guard received <= request.maxBytes else {
          throw TransferError(.tooLarge, url: shown, detail: "has more than \(request.maxBytes) bytes")
        }
        try receive(chunk, sink, shown)
        request.progress?(received, response.totalBytes)
      }
    } catch let error as TransferError {
      throw error
    } catch let error as StorageError {
      throw TransferError(
        Self.kind(of: error), url: shown, detail: error.message, underlying: Self.cause(error))
    } catch {
      throw TransferError(.protocolViolation, url: shown, detail: "cannot be read")
    }
  }

  private func open(_ path: String) throws(StorageError) -> FileReader {
    var names = path.split(separator: "/").map(String.init)
    let name = names.popLast() ?? ""
    var folder = try Directory.open(root)
    for name in names { folder = try folder.subdirectory(name) }
    return try folder.openForReading(name)
  }

  private func begin(_ sink: any FetchSink, _ response: FetchResponse, _ url: String) throws(TransferError) {
    do {
      try sink.begin(response)
    } catch {
      throw TransferError(.sinkFailed, url: url, detail: "could not be stored", underlying: error)
    }
  }

  private func receive(_ chunk: [UInt8], _ sink: any FetchSink, _ url: String) throws(TransferError) {
    do {
      try sink.receive(chunk)
    } catch {
      throw TransferError(.sinkFailed, url: url, detail: "could not be stored", underlying: error)
    }
  }

  /// What stands in place of a file is a matter of this folder, and never of a network.
  private static func cause(_ error: StorageError) -> any Error {
    guard error.kind == .wrongKind else { return error }
    return Problem(
      .wrongKind, error.message,
      advice: "put the file itself there: a feed holds no links, and no folders in place of files")
  }

  private static func kind(of error: StorageError) -> TransferError.Kind {
    switch error.kind {
    case .missing: .notFound
    // The file may be there and whole: nothing is known about it.
    case .notPermitted, .io: .forbidden
    case .tooLarge: .tooLarge
    default: .unreachable
    }
  }
}
