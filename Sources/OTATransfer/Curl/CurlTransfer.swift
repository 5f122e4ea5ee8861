internal import CCurl
import Synchronization

/// One fetch on its way through libcurl.
///
/// Sendable because everything mutable but the cancellation is touched by the engine's thread alone once `start` was
/// called, and by nobody before.
final class CurlTransfer<Stream: AnswerReading>: LiveTransfer, @unchecked Sendable {
  typealias Answer = Result<Stream.Response, TransferError>

  let id: UInt64
  private let cancellation = Atomic(false)
  private let trust: TrustStore
  /// Called once with the result; set before the engine hears of the transfer.
  var completion: (@Sendable (Answer) -> Void)?
  private var stream: Stream
  private var watch: StallWatch
  private let begun = ContinuousClock.now
  /// From when the limit on the whole transfer counts: a transfer that waits for the connection of another is not slow.
  private var limited: ContinuousClock.Instant?
  private var isConnected = false
  private var easy: EasyHandle?
  private var callbacks: CurlCallbacks?
  /// What came of the transfer, once libcurl is done with it.
  private var answer: Answer?
  /// The first failure inside a callback, which is why libcurl was told to stop.
  private var failure: TransferError?

  init(id: UInt64, stream: Stream, trust: TrustStore) {
    self.id = id
    self.stream = stream
    self.trust = trust
    watch = StallWatch(stream.policy.stall, now: .now)
  }

  // MARK: Called by the cancelling task

  var isCancelled: Bool { cancellation.load(ordering: .acquiring) }

  func noteCancellation() { cancellation.store(true, ordering: .releasing) }

  // MARK: Called by the engine

  func start(on multi: borrowing MultiHandle) throws(TransferError) {
    guard var handle = EasyHandle(id: id) else {
      throw stream.error(.unreachable, "there is no memory for a transfer")
    }
    let callbacks = CurlCallbacks(self)
    self.callbacks = callbacks
    handle.configure(stream.policy, trust)
    stream.configure(&handle)
    handle.set(url: stream.url)
    unsafe handle.set(
      header: CurlCallbacks.header, body: CurlCallbacks.body,
      context: Unmanaged.passUnretained(callbacks).toOpaque())
    if let code = handle.refusedSetting {
      throw stream.error(.libraryMissing, "libcurl does not take a setting: \(handle.failureText(code))")
    }
    let isAdded = multi.add(handle)
    easy = consume handle
    guard isAdded else { throw stream.error(.unreachable, "libcurl does not take the transfer") }
  }

  func isOver(with code: CURLcode, on multi: borrowing MultiHandle) -> Bool {
    do throws(TransferError) {
      if let error = failure ?? stream.refusal { throw error }
      guard code == CURLE_OK else { throw error(code) }
      if let handle = easy.take() {
        stream.take(handle.facts)
        easy = consume handle
      }
      switch stream.end() {
      case .finished(let response): answer = .success(response)
      case .failed(let error): throw error
      case .redirected:
        if let response = try stream.handedOver(easy?.redirectURL) {
          answer = .success(response)
          return true
        }
        try follow(on: multi)
        return false
      }
    } catch {
      answer = .failure(error)
    }
    return true
  }

  func leave(_ multi: borrowing MultiHandle) {
    guard let handle = easy.take() else { return }
    multi.remove(handle)
  }

  func complete(failing error: TransferError?) {
    let answer = error.map(Answer.failure) ?? answer ?? .failure(self.error(.cancelled, "cancelled"))
    guard let completion = completion.take() else { return }
    stream.ended(after: .now - begun)
    completion(answer)
  }

  /// The time to connect has a limit of its own.
  func stallError(at now: ContinuousClock.Instant) -> TransferError? {
    if let limit = stream.timeLimit, let limited, now - limited >= limit {
      return stream.error(.timedOut, "no whole answer in \(Self.seconds(limit)) s")
    }
    if !isConnected {
      guard easy?.isConnected == true else { return nil }
      isConnected = true
      limited = limited ?? now
      watch.restart(at: now)
    }
    guard watch.isStalled(at: now) else { return nil }
    let limit = stream.policy.stall
    return stream.error(
      .stalled, "stalled: under \(limit.bytesPerSecond) bytes a second for \(limit.seconds) s")
  }

  private static func seconds(_ limit: Duration) -> String {
    let tenths = Int(limit / .milliseconds(100))
    return "\(tenths / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths % 10)")
  }

  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError { stream.error(kind, detail) }

  // MARK: Called by libcurl, on the engine's thread

  func take(line: UnsafeRawBufferPointer) -> Bool {
    watch.count(line.count)
    return keepingFailure { () throws(TransferError) in try unsafe stream.take(line: line) }
  }

  func take(body: UnsafeRawBufferPointer) -> Bool {
    watch.count(body.count)
    return keepingFailure { () throws(TransferError) in try unsafe stream.take(body: body.bytes) }
  }

  private func keepingFailure(_ step: () throws(TransferError) -> Void) -> Bool {
    do {
      try step()
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }

  // MARK: Ends

  private func follow(on multi: borrowing MultiHandle) throws(TransferError) {
    try stream.follow(easy?.redirectURL)
    guard var handle = easy.take() else { throw error(.unreachable, "the transfer is gone") }
    multi.remove(handle)
    stream.reconfigure(&handle)
    handle.set(url: stream.url)
    let isAdded = handle.refusedSetting == nil && multi.add(handle)
    easy = consume handle
    isConnected = false
    guard isAdded else { throw error(.unreachable, "libcurl does not take the redirect") }
  }

  private func error(_ code: CURLcode) -> TransferError {
    guard let handle = easy.take() else { return error(.unreachable, "the transfer is gone") }
    let failure = CurlFailure(
      handle, code, host: stream.url.host, hasAnswer: stream.hasAnswer, proxy: ProxySetting(for: stream.url),
      trust: trust)
    easy = consume handle
    let (kind, detail) = failure.kindAndDetail
    var error = error(kind, detail)
    error.isFaultOfHTTP2 = failure.isOfHTTP2
    return error
  }
}
