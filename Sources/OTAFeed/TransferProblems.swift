package import OTAManifest
internal import OTAStorage
package import OTATransfer

extension Problem {
  /// A failed transfer, as something that a person can act on.
  package init(_ error: TransferError) {
    // What stands in for a server may know better what is wrong.
    if [.unreachable, .notFound].contains(error.kind), let problem = error.underlying as? Problem {
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
    case .offline: .offline
    case .unknownHost: .dns
    case .refused: .refused
    case .unreachable: .unreachable
    case .timedOut: .timedOut
    case .stalled: .stalled
    case .portal: .portal
    case .truncated: .truncated
    case .tooLarge, .headTooLarge: .tooLarge
    case .tls: .tls
    case .tlsExpired: .tlsExpired
    case .tlsNotYetValid: .tlsNotYetValid
    case .tlsWrongHost: .tlsWrongHost
    case .tlsUnknownAuthority: .tlsUnknownAuthority
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
    case .notFound: "nothing is published there, or the address is wrong"
    case .forbidden: "the server does not say whether the file exists; check the address and its permissions"
    case .offline: "connect this machine to a network, then try again"
    case .unknownHost: "check the address of the feed and the name servers of this machine"
    case .refused: "check the port of the address; the server may be down, then try again later"
    case .portal: "sign in to the network with a browser, then try again"
    case .tlsExpired: "check the date of this machine, then tell the publisher of the feed"
    case .tlsNotYetValid: "set the clock of this machine, then try again"
    case .tlsWrongHost: "check the address; a network that asks for a login answers with its own certificate"
    case .tlsUnknownAuthority:
      "check the certificate authorities of this machine; SSL_CERT_FILE names others"
    case .tls: "check the certificate of the server and the certificate authorities of this machine"
    case .proxy: "start that proxy, correct the variable that names it, or list the host in no_proxy"
    case .unexpectedEncoding: encodingAdvice
    case .libraryMissing: "install libcurl (libcurl4)"
    case .refusedURL, .tooManyRedirects, .tooLarge, .headTooLarge, .sinkFailed: nil
    case .cancelled: "start it again; what was downloaded so far is used"
    default: "try again later"
    }
  }
}

extension FetchResponse {
  /// The coding that a text file came in; `nil` when there is none, or when the label is wrong and the text is intact.
  ///
  /// Everything on a feed is text. Compressed bytes have control characters within their first few hundred bytes.
  package func trueCoding(of head: some Collection<UInt8>) -> String? {
    guard let claimedCoding else { return nil }
    let isText = head.prefix(512).allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
    return isText ? nil : claimedCoding
  }
}

/// What a server means by `Retry-After`: seconds from now, or a date.
package enum RetryAfter {
  /// Longer pauses are cut: a host that says "next year" by mistake must not end updates.
  package static let longestSeconds: Int64 = 86_400
  /// For a 429 that does not say, or says something that cannot be read.
  package static let usualSeconds: Int64 = 60

  /// The end of the pause; `nil` for text that is neither a number nor a date as HTTP writes it.
  package static func end(_ text: String, now: Timestamp) -> Timestamp? {
    let trimmed = text.drop { $0 == " " }
    if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      let seconds = Int64(trimmed) ?? longestSeconds
      return now.advanced(bySeconds: min(seconds, longestSeconds))
    }
    return date(trimmed).map { min($0, now.advanced(bySeconds: longestSeconds)) }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`; the two older forms are no longer sent by anybody.
  private static func date(_ text: some StringProtocol) -> Timestamp? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let words = String(text).split { $0 == " " }.map(String.init)
    guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp("\(words[3])-\(number)-\(words[1])T\(words[4])Z")
  }
}
