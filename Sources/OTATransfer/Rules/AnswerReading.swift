/// Reads the answers to one request as they arrive, through redirects, and says what they amount to.
protocol AnswerReading: Sendable {
  /// What a complete transfer returns.
  associatedtype Response: Sendable

  /// The URL that is being asked.
  var url: FetchURL { get }
  /// The limits of the transfer.
  var policy: TransferPolicy { get }
  /// The head of the answer that is being read.
  var head: ResponseHead { get set }
  /// The bytes of all heads of the transfer so far, redirects included; against heads without end.
  var headerBytes: Int { get set }
  /// Whether the head of the final answer is still to come.
  var isReadingHead: Bool { get }
  /// The refusal that the head alone decided, whatever happened to the body after it.
  var refusal: TransferError? { get }
  /// The limit on the whole transfer, beside the rule about stalls; `nil` for none.
  var timeLimit: Duration? { get }

  /// Hears once how long the whole transfer took.
  func ended(after duration: Duration)
  /// Hears what the connection of a complete answer was like.
  mutating func take(_ facts: @autoclosure () -> ConnectionFacts)
  /// Decides what a complete head means.
  mutating func settle() throws(TransferError)
  /// Takes the next bytes of a body.
  mutating func take(body: RawSpan) throws(TransferError)
  /// What a complete answer means.
  func end() -> AnswerEnd<Response>
  /// The response of a transfer that leaves a redirect to its caller; `nil` follows it.
  func handedOver(_ location: String?) throws(TransferError) -> Response?
  /// Gets ready for the answer of the next URL.
  mutating func follow(_ location: String?) throws(TransferError)
  /// An error with the URL and status of this moment.
  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError

  /// Sets up the handle for the first request.
  func configure(_ easy: inout EasyHandle)
  /// Sets up the handle again after a redirect was followed.
  func reconfigure(_ easy: inout EasyHandle)
}

extension AnswerReading {
  func ended(after duration: Duration) {}
  mutating func take(_ facts: @autoclosure () -> ConnectionFacts) {}

  func handedOver(_ location: String?) throws(TransferError) -> Response? { nil }

  /// Some part of a final head was read, so that the server is there and speaks HTTP.
  var hasAnswer: Bool { head.status != 0 }

  /// Takes one line of a head, with its end.
  mutating func take(line: some Collection<UInt8>) throws(TransferError) {
    headerBytes += line.count
    guard headerBytes <= policy.maxHeaderBytes else {
      throw error(.headTooLarge, "the head has more than \(policy.maxHeaderBytes) bytes")
    }
    // What comes after the head of the final answer are trailers, which decide nothing.
    guard isReadingHead else { return }
    head.take(line: line)
    if head.isComplete { try settle() }
  }
}

/// What is to be done when libcurl reports the end of an answer.
enum AnswerEnd<Response: Sendable> {
  case finished(Response)
  case redirected
  case failed(TransferError)
}
