/// A request to a place that a publisher writes to: an object store or a web server.
///
/// Apart from `FetchRequest`, which only ever reads. Credentials stand in fields, never in the URL, and no redirect is
/// followed, so that they reach nobody else.
public struct HostRequest: Sendable, Equatable {
  /// A header field.
  public struct Field: Sendable, Equatable {
    /// The name, in any case.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The method, in capitals.
  public var method: String
  /// An absolute `https:` URL in ASCII, or `http:` to this machine.
  public var url: String
  /// All fields, but those that the transfer itself decides.
  public var fields: [Field]
  /// What is sent; `nil` for a request without a body.
  public var body: [UInt8]?
  /// The longest answer that is taken, in bytes.
  public var maxAnswerBytes: Int

  /// Describes a request.
  public init(
    _ method: String, _ url: String, fields: [Field] = [], body: [UInt8]? = nil,
    maxAnswerBytes: Int = 1 << 20
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.maxAnswerBytes = maxAnswerBytes
  }
}

/// What a host answered, whatever its status.
public struct HostAnswer: Sendable, Equatable {
  /// The status.
  public let status: Int
  /// `ETag` as sent, quotes included.
  public let etag: String?
  /// `Content-Length`; the size of the file also where no body is sent.
  public let length: Int?
  /// `Retry-After` as sent: seconds or a date.
  public let retryAfter: String?
  /// The body.
  public let body: [UInt8]

  /// Builds an answer by hand, for hosts that are no network.
  public init(
    status: Int, etag: String? = nil, length: Int? = nil, retryAfter: String? = nil, body: [UInt8] = []
  ) {
    self.status = status
    self.etag = etag
    self.length = length
    self.retryAfter = retryAfter
    self.body = body
  }
}

/// Sends requests to one host over libcurl; they share their connections.
///
/// Nothing is loaded and no thread runs before the first request. Nothing is retried here.
public final class HostConnection: Sendable {
  private let client: CurlClient

  /// A connection with fixed limits.
  public init(policy: TransferPolicy = TransferPolicy()) {
    client = CurlClient(policy: policy)
  }

  /// Sends one request and returns the answer with its whole body; cancelling the task ends it at once.
  public func send(_ request: HostRequest) async throws(TransferError) -> HostAnswer {
    let url: FetchURL
    do {
      url = try FetchURL(request.url, allowsPlainHTTPOnLoopback: true)
    } catch {
      throw TransferError(.refusedURL, url: request.url, detail: error.detail)
    }
    for field in request.fields
    where !(field.name + field.value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
      throw TransferError(
        .refusedRequest, url: request.url, detail: "the header field \(field.name) has a control character")
    }
    try client.prepare(for: url)
    return try await client.run(HostStream(request, url: url, policy: client.policy))
  }
}

/// Reads the answer to one request of a publisher.
struct HostStream: AnswerReading {
  let request: HostRequest
  let url: FetchURL
  let policy: TransferPolicy
  var head = ResponseHead(alsoKeeping: ["etag"])
  var headerBytes = 0
  private(set) var isReadingHead = true
  private var body: [UInt8] = []

  init(_ request: HostRequest, url: FetchURL, policy: TransferPolicy) {
    self.request = request
    self.url = url
    self.policy = policy
  }

  var refusal: TransferError? { nil }
  var timeLimit: Duration? { policy.total.limit(for: max(request.body?.count ?? 0, request.maxAnswerBytes)) }

  mutating func settle() throws(TransferError) {
    if !(100...199).contains(head.status) { isReadingHead = false }
  }

  mutating func take(body bytes: RawSpan) throws(TransferError) {
    guard bytes.byteCount <= request.maxAnswerBytes - body.count else {
      throw error(.tooLarge, "has more than \(request.maxAnswerBytes) bytes")
    }
    unsafe bytes.withUnsafeBytes { unsafe body.append(contentsOf: $0) }
  }

  func end() -> AnswerEnd<HostAnswer> {
    guard !isReadingHead else {
      return .failed(error(.truncated, "the server closed the connection without an answer"))
    }
    return .finished(
      HostAnswer(
        status: head.status, etag: head["etag"], length: head.contentLength, retryAfter: head["retry-after"],
        body: body))
  }

  mutating func follow(_ location: String?) throws(TransferError) {
    throw error(.protocolViolation, "a redirect is not followed")
  }

  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError {
    TransferError(kind, url: url.text, status: hasAnswer ? head.status : nil, detail: detail)
  }

  func configure(_ easy: inout EasyHandle) { easy.configure(request) }
  func reconfigure(_ easy: inout EasyHandle) {}
}
