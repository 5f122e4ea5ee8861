/// Fetches one resource at a time over HTTP; the only door of the product to the network.
public protocol Fetcher: Sendable {
  /// Streams the body of one resource into `sink` and returns the head of the final answer.
  ///
  /// Never delivers a byte of a redirect or of an error page, and retries once at most, where HTTP/2 itself broke. An answer that is shorter
  /// than it announced throws `truncated`; one without an announced length cannot be judged here, so the caller
  /// compares sizes. Ends at once with `cancelled` when the task is cancelled.
  func fetch(_ request: FetchRequest, into sink: any FetchSink) async throws(TransferError) -> FetchResponse
}

/// Takes the bytes of one transfer as they arrive; called by one thread at a time.
public protocol FetchSink: AnyObject, Sendable {
  /// Prepares for the body of the final answer, also when the body is empty.
  ///
  /// Called a second time, with a `resumedFrom` of 0, when the transfer starts over.
  /// A sink that holds a partial file starts again from nothing when `resumedFrom` is 0. Throwing ends the transfer
  /// with `sinkFailed`, which carries the thrown error as `underlying`.
  func begin(_ response: FetchResponse) throws

  /// Takes the next bytes in order; the total of all calls never exceeds `maxBytes` of the request.
  ///
  /// The span ends with the call. Throwing ends the transfer with `sinkFailed`.
  func receive(_ chunk: RawSpan) throws

  /// How many bytes are there from which another attempt can go on; `nil` when it has to start over.
  var resumableBytes: Int? { get }
}

extension FetchSink {
  /// A sink starts over unless it says otherwise.
  public var resumableBytes: Int? { nil }
}

extension FetchSink {
  /// Takes the next bytes from an array, for fetchers that are not a network.
  package func receive(_ chunk: [UInt8]) throws { try unsafe receive(chunk.span.bytes) }
}

extension RawSpan {
  /// A copy of the first bytes, at most `count` of them.
  package func firstBytes(_ count: Int) -> [UInt8] {
    (0..<min(count, byteCount)).map { unsafe unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
  }
}
