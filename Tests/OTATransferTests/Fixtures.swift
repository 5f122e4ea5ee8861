import OTATransfer
import Synchronization
import TestSupport

/// A body whose every byte depends on its place, so that a splice cannot go unnoticed.
func patterned(_ count: Int) -> [UInt8] { Array(pattern.prefix(count)) }

private let pattern: [UInt8] = (0..<1 << 19).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

/// A fetcher for loopback servers with a short stall limit.
func loopbackFetcher(_ change: (inout TransferPolicy) -> Void = { _ in }) -> CurlFetcher {
  var policy = TransferPolicy()
  policy.allowsPlainHTTPOnLoopback = true
  policy.connectTimeout = .seconds(3)
  change(&policy)
  return CurlFetcher(policy: policy)
}

/// Runs a test against a server and stops the server in any case.
func withServer(
  _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReply, _ test: (LoopbackServer) async throws -> Void
) async throws {
  let server = try LoopbackServer(respond)
  defer { server.stop() }
  try await test(server)
}

extension Fetcher {
  /// The error of a fetch that must fail; `nil` when it did not.
  func failure(_ request: FetchRequest, into sink: any FetchSink = MemorySink()) async -> TransferError? {
    do {
      _ = try await fetch(request, into: sink)
      return nil
    } catch {
      return error
    }
  }

  /// Fetches a small file into memory.
  func bytes(_ url: String) async throws -> [UInt8] {
    let sink = MemorySink()
    _ = try await fetch(FetchRequest(url: url, maxBytes: 1 << 20), into: sink)
    return sink.bytes
  }
}

/// Remembers what the fetcher did to it, and throws when told.
final class RecordingSink: FetchSink {
  struct Full: Error, Equatable { let limit: Int }

  private struct Record {
    var begun: [FetchResponse] = []
    var bytes: [UInt8] = []
  }

  private let record: Mutex<Record>
  private let refusesToBegin: Bool
  private let capacity: Int

  /// A sink that holds a partial file already.
  init(holding bytes: [UInt8] = [], refusesToBegin: Bool = false, capacity: Int = .max) {
    record = Mutex(Record(bytes: bytes))
    self.refusesToBegin = refusesToBegin
    self.capacity = capacity
  }

  var begun: [FetchResponse] { record.withLock { $0.begun } }
  var bytes: [UInt8] { record.withLock { $0.bytes } }

  func begin(_ response: FetchResponse) throws {
    if refusesToBegin { throw Full(limit: 0) }
    record.withLock { record in
      record.begun.append(response)
      if response.resumedFrom == 0 { record.bytes.removeAll() }
    }
  }

  func receive(_ chunk: RawSpan) throws {
    let size = record.withLock { record in
      chunk.withUnsafeBytes { record.bytes.append(contentsOf: $0) }
      return record.bytes.count
    }
    if size > capacity { throw Full(limit: capacity) }
  }
}
