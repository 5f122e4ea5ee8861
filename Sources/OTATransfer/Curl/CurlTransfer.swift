internal import CCurl
import Synchronization

/// One fetch on its way through libcurl.
///
/// Sendable because everything mutable but `isCancelled` is touched by the engine's thread alone once `start` was
/// called, and by nobody before.
final class CurlTransfer: @unchecked Sendable {
  typealias Answer = Result<FetchResponse, TransferError>

  /// What the engine is to do after libcurl reported an end.
  enum Action {
    case again
    case finish(Answer)
  }

  let id: UInt64
  /// Set by the cancelling task before it tells the engine, so that a cancellation ahead of the start is seen too.
  let isCancelled = Atomic(false)
  private let trust: TrustStore
  /// Set by the engine before its thread hears of the transfer.
  var completion: (@Sendable (Answer) -> Void)?
  private var stream: AnswerStream
  private var watch: StallWatch
  private var isConnected = false
  private var easy: EasyHandle?
  /// The first failure inside a callback, which is why libcurl was told to stop.
  private var failure: TransferError?

  init(id: UInt64, stream: AnswerStream, trust: TrustStore) {
    self.id = id
    self.stream = stream
    self.trust = trust
    watch = StallWatch(stream.policy.stall, now: .now)
  }

  // MARK: Called by the engine

  /// Prepares the handle and hands it to libcurl.
  func start(on multi: borrowing MultiHandle) throws(TransferError) {
    guard var handle = EasyHandle(id: id) else {
      throw stream.error(.unreachable, "there is no memory for a transfer")
    }
    handle.configure(stream.policy, trust)
    handle.configure(stream.request)
    handle.set(url: stream.url)
    unsafe handle.set(
      header: headerCallback, body: bodyCallback, context: Unmanaged.passUnretained(self).toOpaque())
    if let code = handle.refusedSetting {
      throw stream.error(.libraryMissing, "libcurl does not take a setting: \(handle.failureText(code))")
    }
    let isAdded = multi.add(handle)
    easy = consume handle
    guard isAdded else { throw stream.error(.unreachable, "libcurl does not take the transfer") }
  }

  /// What the end of an answer means; a redirect puts the same handle to work again.
  func ended(with code: CURLcode, on multi: borrowing MultiHandle) -> Action {
    if let failure { return .finish(.failure(failure)) }
    if let refusal = stream.refusal { return .finish(.failure(refusal)) }
    guard code == CURLE_OK else { return .finish(.failure(error(code))) }
    switch stream.end() {
    case .finished(let response): return .finish(.success(response))
    case .failed(let error): return .finish(.failure(error))
    case .redirected: return redirected(on: multi)
    }
  }

  /// Takes the handle from libcurl; no callback comes afterwards.
  func leave(_ multi: borrowing MultiHandle) {
    guard let handle = easy.take() else { return }
    multi.remove(handle)
  }

  /// Hands the result over, once.
  func complete(_ answer: Answer) { completion.take()?(answer) }

  /// The error of a transfer that has become too slow. The time to connect has a limit of its own.
  func stallError(at now: ContinuousClock.Instant) -> TransferError? {
    if !isConnected {
      guard easy?.isConnected == true else { return nil }
      isConnected = true
      watch.restart(at: now)
    }
    guard watch.isStalled(at: now) else { return nil }
    let limit = stream.policy.stall
    return stream.error(
      .timedOut, "stalled: under \(limit.bytesPerSecond) bytes a second for \(limit.seconds) s")
  }

  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError { stream.error(kind, detail) }

  // MARK: Called by libcurl, on the engine's thread

  fileprivate func take(line: UnsafeRawBufferPointer) -> Bool {
    watch.count(line.count)
    return keepingFailure { () throws(TransferError) in try unsafe stream.take(line: line) }
  }

  fileprivate func take(body: UnsafeRawBufferPointer) -> Bool {
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

  private func redirected(on multi: borrowing MultiHandle) -> Action {
    do throws(TransferError) {
      try stream.follow(easy?.redirectURL)
    } catch {
      return .finish(.failure(error))
    }
    guard var handle = easy.take() else {
      return .finish(.failure(error(.unreachable, "the transfer is gone")))
    }
    multi.remove(handle)
    handle.set(url: stream.url)
    let isAdded = handle.refusedSetting == nil && multi.add(handle)
    easy = consume handle
    isConnected = false
    guard isAdded else { return .finish(.failure(error(.unreachable, "libcurl does not take the redirect"))) }
    return .again
  }

  private func error(_ code: CURLcode) -> TransferError {
    guard let handle = easy.take() else { return error(.unreachable, "the transfer is gone") }
    let (kind, detail) = CurlFailure(handle, code, hasAnswer: stream.hasAnswer, trust: trust).kindAndDetail
    easy = consume handle
    return error(kind, detail)
  }
}

private let headerCallback: ccurl_data_callback = { bytes, size, count, context in
  guard let context = unsafe context else { return 0 }
  let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  return unsafe transfer.take(line: UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : 0
}

private let bodyCallback: ccurl_data_callback = { bytes, size, count, context in
  guard let context = unsafe context else { return 0 }
  let transfer = unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
  return unsafe transfer.take(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
    ? size * count : 0
}
