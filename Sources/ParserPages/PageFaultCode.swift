internal import OTATransfer
public import ParserEngine

/// The stable codes of faults that are no fault of a parser.
public enum PageFaultCode: String, Sendable, CaseIterable {
  /// The answer had a status outside 200 to 399; told by the engine's bridge.
  case httpStatus = "http-status"
  /// Cloudflare asks for a browser and a person before it shows the page.
  case challenge
  case timedOut = "timed-out"
  case unknownHost = "unknown-host"
  case unreachable
  case tls
  case proxy
  case truncated
  case tooLarge = "too-large"
  case tooManyRedirects = "too-many-redirects"
  /// A URL that no parser may ask for: another scheme, this machine, a local network.
  case refusedURL = "refused-url"
  /// A header field or a body that cannot be sent.
  case refusedRequest = "refused-request"
  /// A body in a coding that cannot be decoded.
  case undecodable
  /// The server does not speak HTTP as it must.
  case protocolViolation = "protocol-violation"
  /// The recording has no answer to this request.
  case notRecorded = "not-recorded"
  /// The run has asked for as many pages as it may.
  case overBudget = "over-budget"
  case libraryMissing = "library-missing"
  case cancelled

  /// Who has to do what about it, as the end of a sentence.
  public var advice: String {
    switch self {
    case .httpStatus:
      "open the URL in a browser; a page that is gone there has moved, and the parser must follow"
    case .challenge:
      "the site asks for a browser and a person; try later or from another network, the parser is not at fault"
    case .timedOut, .unreachable, .truncated: "the site or the network is slow or down; try again later"
    case .unknownHost: "the domain is gone, or name lookup does not work here; check the domain of the source"
    case .tls: "check the certificate of the site in a browser"
    case .proxy: "check the proxy settings of the environment"
    case .tooLarge: "no page of a parser is that large; check the URL that it asks for"
    case .tooManyRedirects: "the site sends the request in circles; check the URL in a browser"
    case .refusedURL: "check the URL that the parser asks for; only public sites over http and https are read"
    case .refusedRequest: "check the header fields that the parser sends"
    case .undecodable, .protocolViolation: "the server answers wrongly; try again later"
    case .notRecorded: "record the source again with this bundle: parser-ota record"
    case .overBudget: "start the same command again: it goes on where it stopped"
    case .libraryMissing: "install libcurl (libcurl4)"
    case .cancelled: "start it again"
    }
  }
}

extension PageFault {
  /// A fault with one of the known codes.
  public init(_ code: PageFaultCode, _ message: String, url: String, status: Int? = nil) {
    self.init(code: code.rawValue, message: message, url: url, status: status)
  }

  /// A failed transfer as a fault of the page.
  init(_ error: TransferError, url: String) {
    self.init(Self.code(of: error.kind), error.message, url: url, status: error.status)
  }

  private static func code(of kind: TransferError.Kind) -> PageFaultCode {
    switch kind {
    case .notFound, .forbidden, .throttled, .server, .httpStatus, .portal: .httpStatus
    case .unknownHost: .unknownHost
    case .unreachable, .offline, .refused: .unreachable
    case .timedOut, .stalled: .timedOut
    case .truncated: .truncated
    case .tooLarge, .headTooLarge: .tooLarge
    case .tls, .tlsExpired, .tlsNotYetValid, .tlsWrongHost, .tlsUnknownAuthority: .tls
    case .refusedURL: .refusedURL
    case .refusedRequest: .refusedRequest
    case .tooManyRedirects: .tooManyRedirects
    case .unexpectedEncoding: .undecodable
    case .proxy: .proxy
    case .cancelled: .cancelled
    case .libraryMissing: .libraryMissing
    case .protocolViolation, .sinkFailed: .protocolViolation
    }
  }
}
