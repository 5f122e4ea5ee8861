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
    case .httpStatus, .refusedRequest, .unexpectedEncoding, .protocolViolation: .transferFailed
    }
  }

  private static func advice(for kind: TransferError.Kind) -> String? {
    switch kind {
    case .notFound: "nothing is published there, or the address is wrong; the next check tries again"
    case .forbidden: "the server does not say whether the file exists; check the address and its permissions"
    case .tls: "check the certificate of the server and the certificate authorities of this machine"
    case .proxy: "check the proxy settings of the environment (https_proxy, no_proxy)"
    case .libraryMissing: "install libcurl (libcurl4)"
    case .refusedURL, .tooManyRedirects, .tooLarge, .sinkFailed: nil
    case .cancelled: "start it again; what was downloaded so far is used"
    default: "the next check tries again"
    }
  }
}
