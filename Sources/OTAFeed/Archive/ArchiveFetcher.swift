internal import OTAArchive
internal import OTAManifest
internal import OTATransfer

extension ReleaseArchive {
  /// Refuses an archive whose release belongs to another channel.
  func requireChannel(_ channel: Channel) throws(Problem) {
    guard manifest.channel != channel else { return }
    throw Problem(
      .wrongChannel,
      "\(name.printable(maxCharacters: 200)) holds release \(manifest.version) of channel \(manifest.channel), not of \(channel)",
      advice: "export a release of channel \(channel)")
  }
}

/// Answers for a feed from a release archive, without a network; the archive was read and found whole before.
struct ArchiveFetcher: Fetcher {
  /// Stands in front of every URL that this fetcher understands; the rest is a path below the feed.
  static let prefix = DirectoryFetcher.prefix
  let archive: ReleaseArchive

  func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError) -> FetchResponse {
    let path = String(request.url.dropFirst(Self.prefix.count))
    let shown = "\(archive.name): \(path)"
    if let bytes = archive.small[path] {
      guard bytes.count <= request.maxBytes else { throw Self.tooLarge(bytes.count, request, shown) }
      let response = FetchResponse(status: 200, finalURL: shown, totalBytes: bytes.count)
      try Self.storing(shown) {
        try sink.begin(response)
        if !bytes.isEmpty { try sink.receive(bytes) }
      }
      return response
    }
    guard archive.contents.values.contains(path) else { throw missing(path, shown) }
    do {
      return try stream(path, request, shown, into: sink)
    } catch let error as TransferError {
      throw error
    } catch let error as ArchiveError {
      throw TransferError(
        .unreachable, url: shown, detail: error.detail, underlying: Problem(error, in: archive.name))
    } catch {
      throw TransferError(.protocolViolation, url: shown, detail: "cannot be read")
    }
  }

  /// Unpacks once more, up to the file, so that it is never in memory as a whole.
  private func stream(
    _ path: String, _ request: FetchRequest, _ shown: String, into sink: any FetchSink
  ) throws -> FetchResponse {
    var reader = try ArchiveReader(archive.bytes)
    while let entry = try reader.next() {
      guard entry.name == path else { continue }
      guard entry.bytes <= request.maxBytes else { throw Self.tooLarge(entry.bytes, request, shown) }
      let response = FetchResponse(status: 200, finalURL: shown, totalBytes: entry.bytes)
      try Self.storing(shown) { try sink.begin(response) }
      var received = 0
      while true {
        if Task.isCancelled { throw TransferError(.cancelled, url: shown, detail: "was cancelled") }
        let chunk = try reader.read()
        if chunk.isEmpty { return response }
        try Self.storing(shown) { try sink.receive(chunk) }
        received += chunk.count
        request.progress?(received, entry.bytes)
      }
    }
    throw missing(path, shown)
  }

  /// The end of the roots is asked for, and says nothing; anything else that is missing makes the archive useless here.
  private func missing(_ path: String, _ shown: String) -> TransferError {
    let problem =
      path == ArchiveFile.timestamp.name
      ? Problem(
        .archiveInvalid, "\(archive.name.printable(maxCharacters: 200)) is not signed: it has no \(path)",
        advice: "export the release from its signed feed")
      : Problem(noReleaseIn: archive.name, "does not hold \(path.printable(maxCharacters: 200))")
    return TransferError(.notFound, url: shown, detail: "is not there", underlying: problem)
  }

  private static func tooLarge(_ bytes: Int, _ request: FetchRequest, _ shown: String) -> TransferError {
    TransferError(.tooLarge, url: shown, detail: "has \(bytes) bytes, more than \(request.maxBytes)")
  }

  private static func storing(_ url: String, _ body: () throws -> Void) throws(TransferError) {
    do {
      try body()
    } catch {
      throw TransferError(.sinkFailed, url: url, detail: "could not be stored", underlying: error)
    }
  }
}
