internal import CCurl

/// What libcurl knows about a failed transfer, read at once, and what it means to a caller.
struct CurlFailure {
  let code: CURLcode
  /// libcurl's own words.
  let text: String
  /// An `X509_V_ERR_…` number of OpenSSL; 0 when the chain itself was good.
  let certificateProblem: Int
  /// The status with which a proxy answered CONNECT; 0 without one.
  let proxyStatus: Int
  /// The `errno` of a connection that was not made; 0 without one.
  let systemCode: Int
  /// The host that was asked, for names that no network knows.
  let host: String
  let hasAnswer: Bool
  /// The address was one of a local network, so that no connection was made.
  let hasRefusedAddress: Bool
  /// The proxy that the request was meant to pass.
  let proxy: ProxySetting?
  /// HTTP/2 broke, or a connection that spoke it.
  let isOfHTTP2: Bool
  let trust: TrustStore

  init(
    _ easy: borrowing EasyHandle, _ code: CURLcode, host: String, hasAnswer: Bool, proxy: ProxySetting?,
    trust: TrustStore
  ) {
    self.host = host
    systemCode = easy.number(CURLINFO_OS_ERRNO)
    self.proxy = proxy
    let spokeHTTP2 = easy.number(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0)
    isOfHTTP2 =
      switch code {
      case CURLE_HTTP2, CURLE_HTTP2_STREAM: true
      case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: spokeHTTP2
      default: false
      }
    self.code = code
    text = easy.failureText(code)
    certificateProblem = easy.number(CURLINFO_SSL_VERIFYRESULT)
    proxyStatus = easy.number(CURLINFO_HTTP_CONNECTCODE)
    self.hasAnswer = hasAnswer
    hasRefusedAddress = easy.hasRefusedAddress
    self.trust = trust
  }

  /// Code 100, `CURLE_TOO_LARGE`, is younger than some headers.
  var kindAndDetail: (TransferError.Kind, String) {
    if let atProxy { return atProxy }
    if hasRefusedAddress, code == CURLE_COULDNT_CONNECT {
      return (.refusedURL, "the name leads to an address of this machine or of a local network")
    }
    return switch code {
    case CURLE_PROXY: (.proxy, "\(proxyName) does not let the request through: \(text)")
    case CURLE_COULDNT_RESOLVE_HOST:
      NetworkState.explainsLookup(of: host)
        ? (.offline, "this machine has no network: \(text)") : (.unknownHost, text)
    case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: unconnected
    case CURLE_OPERATION_TIMEDOUT: (.timedOut, "no connection in time: \(text)")
    case CURLE_PARTIAL_FILE: (.truncated, "the connection closed before the end: \(text)")
    case CURLE_GOT_NOTHING: (.truncated, "the server closed the connection without an answer")
    case CURLE_BAD_CONTENT_ENCODING: (.unexpectedEncoding, "the body cannot be decoded: \(text)")
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM: broken
    case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
      (.headTooLarge, "the head has a line that is too long: \(text)")
    case CURLE_URL_MALFORMAT: (.refusedURL, "the URL is malformed: \(text)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: certificate
    case CURLE_SSL_CACERT_BADFILE: (.tls, "the certificate authorities cannot be read: \(text)")
    case CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS:
      (.tls, "no secure connection: \(text)")
    default: (.protocolViolation, "the server did not answer as HTTP demands: \(text)")
    }
  }

  private var proxyName: String { "the proxy" + (proxy.map { " \($0)" } ?? "") }

  /// What is the fault of the proxy, as far as libcurl shows it; `nil` for everything else.
  private var atProxy: (TransferError.Kind, String)? {
    if proxyStatus == 407 { return (.proxy, "\(proxyName) asks for a user name and password (HTTP 407)") }
    if proxyStatus != 0, proxyStatus / 100 != 2 {
      return (.proxy, "\(proxyName) refused (HTTP \(proxyStatus))")
    }
    if code == CURLE_COULDNT_RESOLVE_PROXY { return (.proxy, "\(proxyName) has no address: \(text)") }
    guard let proxy, !hasAnswer else { return nil }
    switch code {
    // The text names whom the connection was for: a host that goes past the proxy is not it.
    case CURLE_COULDNT_CONNECT where text.contains(proxy.host):
      return (.proxy, "\(proxyName) does not answer: \(text)")
    case CURLE_OPERATION_TIMEDOUT: return (.timedOut, "no connection through \(proxyName) in time: \(text)")
    default: return nil
    }
  }

  private var unconnected: (TransferError.Kind, String) {
    switch NetworkState.Obstacle(systemCode: systemCode) {
    case .refused: (.refused, "nothing listens there: \(text)")
    case .noRoute: (.offline, "there is no way to the host: \(text)")
    case .tooSlow: (.timedOut, "no connection in time: \(text)")
    case .other: (.unreachable, text)
    }
  }

  private var broken: (TransferError.Kind, String) {
    hasAnswer
      ? (.truncated, "the connection broke before the end: \(text)")
      : (.unreachable, "the connection broke before an answer came: \(text)")
  }

  private var certificate: (TransferError.Kind, String) {
    let trusted = trust.tried.joined(separator: ", ")
    let certificate = "the certificate of the server"
    return switch certificateProblem {
    case 9: (.tlsNotYetValid, "\(certificate) is not valid yet; is the clock of this machine right?")
    case 10: (.tlsExpired, "\(certificate) has expired, or the clock of this machine is wrong")
    case 18:
      (.tlsUnknownAuthority, "\(certificate) is self-signed and not among those trusted (\(trusted))")
    case 19, 20, 21:
      (.tlsUnknownAuthority, "\(certificate) comes from an unknown authority (trusted: \(trusted))")
    case 62, 64: (.tlsWrongHost, "\(certificate) is for another host: \(text)")
    // libcurl compares names itself before it asks for the result, which then still has its first value.
    case 0...1 where text.contains("match"): (.tlsWrongHost, "\(certificate) is for another host: \(text)")
    default: (.tls, "\(certificate) is not accepted: \(text)")
    }
  }
}
