/// Follows one request to a site, through redirects, and keeps the whole last answer under its limit.
struct SiteStream: AnswerReading {
  private enum State {
    case readingHead
    case reading
    case redirected
  }

  private(set) var request: SiteRequest
  let sitePolicy: SitePolicy
  let cookies: CookieJar
  private(set) var url: FetchURL
  var head: ResponseHead
  private var state = State.readingHead
  var headerBytes = 0
  private var body: [UInt8] = []
  private var droppedBytes = 0
  private var redirects: [String] = []
  private var connection: ConnectionFacts?

  init(_ request: SiteRequest, url: FetchURL, policy: SitePolicy, cookies: CookieJar) {
    self.request = request
    self.url = url
    self.cookies = cookies
    sitePolicy = policy
    head = ResponseHead(alsoKeeping: policy.keptFields.union(["location"]))
  }

  var policy: TransferPolicy { sitePolicy.transfer }
  var timeLimit: Duration? { sitePolicy.timeout }
  var isReadingHead: Bool { if case .readingHead = state { true } else { false } }
  /// Nothing is refused for what a head says, but for its announced size, which throws at once.
  var refusal: TransferError? { nil }

  mutating func take(body bytes: RawSpan) throws(TransferError) {
    switch state {
    case .readingHead: throw error(.protocolViolation, "a body came before its head")
    case .reading:
      guard bytes.byteCount <= sitePolicy.maxBodyBytes - body.count else { throw tooLarge() }
      unsafe bytes.withUnsafeBytes { unsafe body.append(contentsOf: $0) }
    case .redirected:
      droppedBytes += bytes.byteCount
      guard droppedBytes <= sitePolicy.maxBodyBytes else { throw tooLarge() }
    }
  }

  mutating func take(_ facts: @autoclosure () -> ConnectionFacts) {
    if sitePolicy.wantsFacts { connection = facts() }
  }

  func end() -> AnswerEnd<SiteResponse> {
    switch state {
    case .redirected: .redirected
    case .readingHead: .failed(error(.truncated, "the server closed the connection without an answer"))
    case .reading:
      .finished(response)
    }
  }

  private var response: SiteResponse {
    var response = SiteResponse(
      status: head.status, finalURL: url.text, redirects: redirects, fields: keptFields, body: body)
    response.connection = connection
    return response
  }

  func handedOver(_ location: String?) throws(TransferError) -> SiteResponse? {
    guard !sitePolicy.followsRedirects else { return nil }
    var response = SiteResponse(status: head.status, finalURL: url.text, fields: keptFields)
    response.next = request.redirected(by: head.status, to: try target(location), from: url)
    return response
  }

  /// Gets ready for the next URL, with the method and fields that it is to be asked with.
  mutating func follow(_ location: String?) throws(TransferError) {
    guard redirects.count < policy.maxRedirects else {
      throw error(.tooManyRedirects, "more than \(policy.maxRedirects) redirects")
    }
    let target = try target(location)
    request = request.redirected(by: head.status, to: target, from: url)
    redirects.append(url.text)
    url = target
    head = ResponseHead(alsoKeeping: sitePolicy.keptFields.union(["location"]))
    state = .readingHead
    droppedBytes = 0
  }

  /// Where a redirect leads.
  private func target(_ location: String?) throws(TransferError) -> FetchURL {
    guard let location else { throw error(.protocolViolation, "a redirect does not say where to go") }
    do {
      return try FetchURL(site: location, allowsLoopback: sitePolicy.allowsLoopback)
    } catch {
      let detail = "redirected from \(TransferError.redacted(url.text)), but \(error.detail)"
      throw TransferError(.refusedURL, url: location, status: head.status, detail: detail)
    }
  }

  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError {
    TransferError(kind, url: url.text, status: hasAnswer ? head.status : nil, detail: detail)
  }

  mutating func settle() throws(TransferError) {
    let isRedirect = [301, 302, 303, 307, 308].contains(head.status) && head["location"]?.isEmpty == false
    switch head.status {
    case 100...199: return
    case _ where isRedirect: state = .redirected
    default:
      state = .reading
      // A length counts the bytes before decoding, so that it can only be too small.
      if request.method != .head, let length = head.contentLength, length > sitePolicy.maxBodyBytes {
        throw tooLarge()
      }
    }
  }

  private var keptFields: [String: String] {
    var fields: [String: String] = [:]
    for name in sitePolicy.keptFields.union(["content-type"]) { fields[name] = head[name] }
    return fields
  }

  private func tooLarge() -> TransferError {
    error(.tooLarge, "the page has more than \(sitePolicy.maxBodyBytes) bytes")
  }
}
