/// What a connection was like that gave an answer.
public struct ConnectionFacts: Sendable, Equatable {
  /// The version of HTTP: `1.0`, `1.1`, `2` or `3`; `nil` when it is not known.
  public let httpVersion: String?
  /// The address of the other end, a proxy's where there is one; `nil` when it is not known.
  public let address: String?
  /// When the certificate of the server ends, as OpenSSL writes it: `Jun  1 12:00:00 2027 GMT`; `nil` without TLS.
  public let certificateEnd: String?

  /// Describes a connection by hand, for fetchers that are not a network.
  public init(httpVersion: String? = nil, address: String? = nil, certificateEnd: String? = nil) {
    self.httpVersion = httpVersion
    self.address = address
    self.certificateEnd = certificateEnd
  }
}
