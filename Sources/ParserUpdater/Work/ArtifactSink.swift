internal import OTACrypto
internal import OTAManifest
internal import OTAStorage
internal import OTATransfer
internal import Synchronization

/// Takes the bytes of one file: writes them to disk and hashes them on the way; memory does not grow with the file.
final class ArtifactSink: FetchSink {
  /// What a finished file turned out to be.
  struct Result {
    let bytes: Int
    let digest: Digest
  }

  fileprivate struct State: ~Copyable {
    var file: FileWriter
    var hash: SHA256Stream
    var bytes: Int

    mutating func take(_ chunk: RawSpan) throws {
      try file.write(chunk)
      try hash.update(chunk)
      bytes += chunk.byteCount
    }

    mutating func restart() throws {
      try file.truncate(to: 0)
      hash = try SHA256Stream()
      bytes = 0
    }
  }

  private let state: Mutex<State?>
  private let resumed = Mutex(false)

  /// Starts a new file; the name must be free.
  init(creating name: String, in folder: Directory) throws {
    state = Mutex(State(file: try folder.createFile(name), hash: try SHA256Stream(), bytes: 0))
  }

  /// Continues a file that an earlier run left, or starts one; what is there is read once, for the digest.
  init(continuing name: String, in folder: Directory) throws {
    var state = State(file: try folder.appendFile(name), hash: try SHA256Stream(), bytes: 0)
    if state.file.size > 0 {
      var existing = try folder.openForReading(name)
      while state.bytes < existing.size {
        let chunk = try existing.read()
        if chunk.isEmpty { break }
        try state.hash.update(chunk)
        state.bytes += chunk.count
      }
    }
    self.state = Mutex(state)
  }

  /// Whether an answer went on from what was there.
  var hasResumed: Bool { resumed.withLock { $0 } }

  var resumableBytes: Int? { bytes }

  /// How many bytes the file holds.
  var bytes: Int { state.withLock { $0?.bytes ?? 0 } }

  func begin(_ response: FetchResponse) throws {
    if response.resumedFrom > 0 { resumed.withLock { $0 = true } }
    try state.withLock { state in
      if response.resumedFrom != state?.bytes { try state?.restart() }
    }
  }

  func receive(_ chunk: RawSpan) throws {
    try state.withLock { state in try state?.take(chunk) }
  }

  /// Makes the file durable and says what it is; the sink takes no more bytes afterwards.
  func finish() throws -> Result {
    try state.withLock { state in
      guard let finished = state.take() else {
        throw Problem(.misuse, "a file was finished twice")
      }
      let bytes = finished.bytes
      return Result(bytes: bytes, digest: try finished.close())
    }
  }
}

extension ArtifactSink.State {
  fileprivate consuming func close() throws -> Digest {
    try file.finish()
    return try hash.finish()
  }
}
