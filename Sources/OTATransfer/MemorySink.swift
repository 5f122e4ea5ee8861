import Synchronization

/// Keeps a small body in memory; starts again when the answer begins at the first byte.
public final class MemorySink: FetchSink {
  private let content = Mutex<[UInt8]>([])

  /// An empty sink.
  public init() {}

  /// What arrived so far; complete once `fetch` has returned.
  public var bytes: [UInt8] { content.withLock { $0 } }

  /// Drops what is there unless the body continues it.
  public func begin(_ response: FetchResponse) {
    content.withLock { bytes in
      if response.resumedFrom == 0 { bytes.removeAll() }
      bytes.reserveCapacity(min(response.totalBytes ?? 0, 1 << 20))
    }
  }

  /// Appends the bytes.
  public func receive(_ chunk: RawSpan) {
    content.withLock { bytes in
      unsafe chunk.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
  }
}
