/// Why a transfer gave nothing that can be used.
public struct TransferError: Error, Sendable {
  /// What happened, as far as a caller may act on it.
  public enum Kind: Sendable, Hashable {
    /// 404, or 410 for a file that is gone.
    case notFound
    /// 401 or 403.
    case forbidden
    /// 429.
    case throttled
    /// 500 to 599.
    case server
    /// Any other status that carries no body for us, 416 included.
    case httpStatus
    /// This machine has no network.
    case offline
    /// The name of the host has no address.
    case unknownHost
    /// The host is there, and nothing listens on its port.
    case refused
    /// No connection for another reason, or one that broke before an answer came.
    case unreachable
    /// No connection in time, or no whole answer within the limit.
    case timedOut
    /// A transfer that became too slow.
    case stalled
    /// A page of the network came in place of the file: a login.
    case portal
    /// The body ended before its announced end.
    case truncated
    /// More bytes than allowed in the body.
    case tooLarge
    /// More bytes than allowed in the head.
    case headTooLarge
    /// No secure connection, or no authorities to trust.
    case tls
    /// A certificate that has expired, or a clock that is ahead.
    case tlsExpired
    /// A certificate that is not valid yet, or a clock that is behind.
    case tlsNotYetValid
    /// A certificate of another host.
    case tlsWrongHost
    /// A certificate that no trusted authority has issued.
    case tlsUnknownAuthority
    /// A URL, or the target of a redirect, that must not be used.
    case refusedURL
    /// A request that must not be sent as it is: a field or a body that HTTP does not allow or that is too large.
    case refusedRequest
    case tooManyRedirects
    /// A transfer coding that was not asked for, or a body that cannot be decoded.
    case unexpectedEncoding
    /// The proxy of the environment does not help.
    case proxy
    /// The sink threw; see `underlying`.
    case sinkFailed
    /// The task was cancelled.
    case cancelled
    /// libcurl is not there.
    case libraryMissing
    /// An answer that contradicts the request or HTTP, such as another range than the one asked for.
    case protocolViolation
  }

  /// The kind to decide by.
  public let kind: Kind
  /// The URL at fault, without credentials and query.
  public let url: String
  /// The HTTP status, if an answer came.
  public let status: Int?
  /// What happened in words, lower case and without a full stop.
  public let detail: String
  /// `Retry-After` as sent: seconds or a date.
  public let retryAfter: String?
  /// The error that the sink threw; left out of comparisons.
  public let underlying: (any Error)?
  /// HTTP/2 itself broke, so that HTTP/1.1 may work; left out of comparisons.
  var isFaultOfHTTP2 = false

  /// Builds an error; credentials and the query are removed from `url` here.
  public init(
    _ kind: Kind, url: String, status: Int? = nil, detail: String, retryAfter: String? = nil,
    underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.url = Self.redacted(url)
    self.status = status
    self.detail = detail
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// One line for people: the redacted URL and what happened.
  public var message: String { "\(url): \(detail)" }
}

extension TransferError: Equatable {
  /// Compares everything but `underlying`, which need not be comparable.
  public static func == (left: TransferError, right: TransferError) -> Bool {
    left.kind == right.kind && left.url == right.url && left.status == right.status
      && left.detail == right.detail && left.retryAfter == right.retryAfter
  }
}

extension TransferError: CustomStringConvertible {
  /// The same as `message`.
  public var description: String { message }
}

extension TransferError {
  /// A URL that is safe to print, however malformed: no credentials, query, fragment or control characters.
  static func redacted(_ url: String) -> String {
    let longest = 300
    var bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    let colon = Array("://".utf8)
    let authority = bytes.firstRange(of: colon)?.upperBound ?? 0
    let end = bytes[authority...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
    if let at = bytes[authority..<end].lastIndex(of: UInt8(ascii: "@")) {
      bytes.removeSubrange(authority...at)
    }
    let printable = bytes.prefix(longest).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: printable, as: UTF8.self)
  }
}
