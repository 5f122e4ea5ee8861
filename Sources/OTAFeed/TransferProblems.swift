package import OTAManifest
internal import OTAStorage
package import OTATransfer

extension Problem {
  /// A failed transfer, as something that a person can act on.
  package init(_ error: TransferError) {
    // What stands in for a server may know better what is wrong.
    if error.kind == .unreachable, let problem = error.underlying as? Problem {
      self = problem
      return
    }
    let kind = error.kind
    if kind == .forbidden, error.underlying is StorageError {
      self.init(.forbidden, error.message, advice: "let this user read the folder of the feed")
      return
    }
    self.init(
      Self.code(of: kind), error.message, advice: Self.advice(for: kind), retryAfter: error.retryAfter)
  }

  private static func code(of kind: TransferError.Kind) -> ProblemCode {
    switch kind {
    case .notFound: .notFound
    case .forbidden: .forbidden
    case .throttled: .throttled
    case .server: .serverError
    case .unreachable, .unknownHost: .unreachable
    case .timedOut: .timedOut
    case .truncated: .truncated
    case .tooLarge: .tooLarge
    case .tls: .tls
    case .refusedURL, .tooManyRedirects: .forbiddenURL
    case .proxy: .proxy
    case .sinkFailed: .storageFailed
    case .cancelled: .cancelled
    case .libraryMissing: .libraryMissing
    case .unexpectedEncoding: .unexpectedEncoding
    case .httpStatus, .refusedRequest, .protocolViolation: .transferFailed
    }
  }

  /// Compression is a property of the upload or of the host: the next check gets the same.
  static let encodingAdvice =
    "tell the publisher: the host stores or sends the file compressed. Upload it without Content-Encoding, and switch compression off for it"

  /// A file that came compressed although that was not asked for.
  package init(_ name: String, compressedAs coding: String) {
    self.init(
      .unexpectedEncoding,
      "\(name.printable()) came encoded as \"\(coding.printable())\", which was not asked for",
      advice: Self.encodingAdvice)
  }

  private static func advice(for kind: TransferError.Kind) -> String? {
    switch kind {
    case .notFound: "nothing is published there, or the address is wrong; the next check tries again"
    case .forbidden: "the server does not say whether the file exists; check the address and its permissions"
    case .tls: "check the certificate of the server and the certificate authorities of this machine"
    case .proxy: "start that proxy, correct the variable that names it, or list the host in no_proxy"
    case .unexpectedEncoding: encodingAdvice
    case .libraryMissing: "install libcurl (libcurl4)"
    case .refusedURL, .tooManyRedirects, .tooLarge, .sinkFailed: nil
    case .cancelled: "start it again; what was downloaded so far is used"
    default: "the next check tries again"
    }
  }
}
