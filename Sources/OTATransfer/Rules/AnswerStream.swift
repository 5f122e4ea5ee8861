/// Follows one transfer from head to body, through redirects, and lets only the right bytes reach the sink.
struct AnswerStream: AnswerReading {
  private enum State {
    case readingHead
    case delivering(FetchResponse)
    /// The head has decided; a body that follows is dropped.
    case settled(AnswerRules.Verdict)
  }

  /// How much of an error page or redirect is read to keep the connection.
  private static let maxDroppedBytes = 64 << 10

  let request: FetchRequest
  let policy: TransferPolicy
  private let sink: any FetchSink
  private(set) var url: FetchURL
  var head = ResponseHead()
  private var state = State.readingHead
  var headerBytes = 0
  private var receivedBytes = 0
  private var droppedBytes = 0
  private var redirects = 0
  /// The second attempt after HTTP/2 broke.
  let usesHTTP1: Bool

  init(
    _ request: FetchRequest, url: FetchURL, policy: TransferPolicy, sink: any FetchSink,
    usesHTTP1: Bool = false
  ) {
    self.usesHTTP1 = usesHTTP1
    self.request = request
    self.url = url
    self.policy = policy
    self.sink = sink
  }

  /// A slow and steady transfer completes: the limit grows with the size.
  var timeLimit: Duration? {
    let limit = policy.total.limit(for: request.maxBytes)
    return min(limit, request.budget?.remaining ?? limit)
  }

  func ended(after duration: Duration) { request.budget?.spend(duration) }

  var isReadingHead: Bool { if case .readingHead = state { true } else { false } }

  var refusal: TransferError? {
    if case .settled(.refuse(let error)) = state { error } else { nil }
  }

  mutating func take(body: RawSpan) throws(TransferError) {
    switch state {
    case .readingHead: throw error(.protocolViolation, "a body came before its head")
    case .delivering(let response): try deliver(body, response)
    case .settled(let verdict): try drop(body.byteCount, verdict)
    }
  }

  func end() -> AnswerEnd<FetchResponse> {
    switch state {
    case .delivering(let response): delivered(response)
    case .settled(.unchanged(let response)): .finished(response)
    case .settled(.redirect): .redirected
    case .settled(.refuse(let error)): .failed(error)
    default: .failed(error(.truncated, "the server closed the connection without an answer"))
    }
  }

  /// Gets ready for the answer of the next URL; throws `tooManyRedirects` or `refusedURL`.
  mutating func follow(_ location: String?) throws(TransferError) {
    guard let location else { throw error(.protocolViolation, "a redirect does not say where to go") }
    redirects += 1
    guard redirects <= policy.maxRedirects else {
      throw error(.tooManyRedirects, "more than \(policy.maxRedirects) redirects")
    }
    let loopback = policy.allowsPlainHTTPOnLoopback
    do {
      url = try url.redirect(to: location, allowsPlainHTTPOnLoopback: loopback)
    } catch {
      let detail = "redirected from \(TransferError.redacted(url.text)), but \(error.detail)"
      throw TransferError(.refusedURL, url: location, status: head.status, detail: detail)
    }
    head = ResponseHead()
    state = .readingHead
    droppedBytes = 0
  }

  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError {
    error(kind, detail, underlying: nil)
  }

  private func error(
    _ kind: TransferError.Kind, _ detail: String, underlying: (any Error)?
  ) -> TransferError {
    TransferError(
      kind, url: url.text, status: hasAnswer ? head.status : nil, detail: detail, underlying: underlying)
  }

  mutating func settle() throws(TransferError) {
    let verdict = AnswerRules(request: request, url: url.text).verdict(head)
    switch verdict {
    case .interim:
      return
    case .deliver(let response):
      do { try sink.begin(response) } catch { throw sinkError(error) }
      state = .delivering(response)
    case .refuse(let error) where (200...299).contains(head.status):
      state = .settled(verdict)
      throw error
    case .refuse, .redirect, .unchanged:
      state = .settled(verdict)
    }
  }

  private mutating func deliver(_ body: RawSpan, _ response: FetchResponse) throws(TransferError) {
    if receivedBytes == 0, leadsElsewhere, Self.looksLikePage(body) {
      throw error(.portal, "redirected from \(TransferError.redacted(request.url)) to a page of another host")
    }
    receivedBytes += body.byteCount
    // Written so that no offset can overflow.
    guard receivedBytes <= request.maxBytes - response.resumedFrom else {
      throw error(.tooLarge, "more than the limit of \(request.maxBytes) bytes came")
    }
    do { try sink.receive(body) } catch { throw sinkError(error) }
    let size = response.resumedFrom + receivedBytes
    request.progress?(min(size, response.totalBytes ?? size), response.totalBytes)
  }

  /// Whether a redirect led to another host than the one that was asked.
  private var leadsElsewhere: Bool {
    guard redirects > 0, let asked = Self.host(request.url) else { return false }
    return asked != url.host
  }

  private static func host(_ text: String) -> String? {
    do { return try FetchURL(text, allowsPlainHTTPOnLoopback: true).host } catch {
      // It was checked before the transfer began.
      return nil
    }
  }

  /// No file of a feed begins so.
  private static func looksLikePage(_ body: RawSpan) -> Bool {
    body.firstBytes(64).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
  }

  /// A part may end before the file does, or go on after it, without libcurl seeing anything wrong.
  private func delivered(_ response: FetchResponse) -> AnswerEnd<FetchResponse> {
    let size = response.resumedFrom + receivedBytes
    guard let total = response.totalBytes, size != total else { return .finished(response) }
    let detail = "\(size) bytes are there after the transfer, but the file has \(total)"
    return .failed(error(size < total ? .truncated : .protocolViolation, detail))
  }

  private mutating func drop(_ count: Int, _ verdict: AnswerRules.Verdict) throws(TransferError) {
    droppedBytes += count
    guard droppedBytes > Self.maxDroppedBytes else { return }
    if case .refuse(let error) = verdict { throw error }
    throw error(.protocolViolation, "a redirect came with a body of more than \(Self.maxDroppedBytes) bytes")
  }

  private func sinkError(_ cause: any Error) -> TransferError {
    let reason = (cause as? any CustomStringConvertible).map { ": \($0.description)" } ?? ""
    return error(.sinkFailed, "the received bytes could not be stored\(reason)", underlying: cause)
  }
}
