/// Answers the requests of parsers: from a site, from a recording, or with nothing.
public protocol PageProvider: Sendable {
  /// Answers one request; several may be open at a time. Cancelled when the session ends.
  func answer(_ request: PageRequest) async -> PageAnswer
}

/// A request that a parser made through `__context`.
public struct PageRequest: Equatable, Sendable {
  /// A header field.
  public struct Header: Equatable, Sendable {
    /// The name as the parser wrote it.
    public let name: String
    /// The value as the parser wrote it.
    public let value: String

    /// A field.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// `GET` or `POST`.
  public var method: String
  /// The URL as the parser wrote it; nothing about it is checked yet.
  public var url: String
  /// The fields that the parser asks for, its own under those of the call.
  public var headers: [Header]
  /// The body of a `POST`.
  public var body: [UInt8]?
  /// The domain of the parser that asks; empty when it is not known.
  public var domain: String
  /// The id of the source that asks; `nil` when it is not known.
  public var source: String?

  /// Describes a request.
  public init(
    method: String, url: String, headers: [Header] = [], body: [UInt8]? = nil, domain: String = "",
    source: String? = nil
  ) {
    (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    self.domain = domain
    self.source = source
  }
}

/// What came of a request.
public enum PageAnswer: Equatable, Sendable {
  /// A page, whatever its status.
  case page(Page)
  /// No page.
  case fault(PageFault)
}

/// An answer of a site.
public struct Page: Equatable, Sendable {
  /// The HTTP status of the last answer.
  public var status: Int
  /// Where the last answer came from, after redirects.
  public var finalURL: String
  /// The character encoding that the answer names; `nil` leaves it to the bytes.
  public var charset: String?
  /// The body, decoded from its content coding.
  public var body: [UInt8]
  /// Whether permanent redirects alone led here, to another host; known only where redirects are followed one by one.
  public var isMoved = false

  /// Describes a page.
  public init(status: Int, finalURL: String, charset: String? = nil, body: [UInt8]) {
    (self.status, self.finalURL, self.charset, self.body) = (status, finalURL, charset, body)
  }
}

/// Why a page could not be had. It is never the fault of the parser.
public struct PageFault: Error, Equatable, Sendable {
  /// A stable code, such as `http-status`, `challenge` or `timed-out`.
  public let code: String
  /// One sentence, lower case, no full stop.
  public let message: String
  /// The URL that was asked for.
  public let url: String
  /// The HTTP status, if there was an answer.
  public let status: Int?

  /// Describes a fault.
  public init(code: String, message: String, url: String, status: Int? = nil) {
    (self.code, self.message, self.url, self.status) = (code, message, url, status)
  }
}

/// Has no pages at all: for work that must not need any.
public struct NoPages: PageProvider {
  /// Refuses everything.
  public init() {}

  /// Says that there is no page.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    .fault(
      PageFault(code: "no-network", message: "there is no network here: \(request.url)", url: request.url))
  }
}
