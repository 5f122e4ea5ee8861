internal import CCurl

/// A transfer as the engine sees it, whatever it carries.
protocol LiveTransfer: AnyObject, Sendable {
  var id: UInt64 { get }
  /// Set by the cancelling task before it tells the engine, so that a cancellation ahead of the start is seen too.
  var isCancelled: Bool { get }
  func noteCancellation()

  /// Prepares the handle and hands it to libcurl.
  func start(on multi: borrowing MultiHandle) throws(TransferError)
  /// Takes the end of an answer; false when a redirect put the handle to work again.
  func isOver(with code: CURLcode, on multi: borrowing MultiHandle) -> Bool
  /// Takes the handle from libcurl; no callback comes afterwards.
  func leave(_ multi: borrowing MultiHandle)
  /// Hands the result over, once; an error that is given here wins over what came so far.
  func complete(failing error: TransferError?)
  /// The error of a transfer that has become too slow.
  func stallError(at now: ContinuousClock.Instant) -> TransferError?
  func error(_ kind: TransferError.Kind, _ detail: String) -> TransferError

  /// Takes a line of a head from libcurl, on the engine's thread; false ends the transfer.
  func take(line: UnsafeRawBufferPointer) -> Bool
  /// Takes bytes of a body from libcurl, on the engine's thread; false ends the transfer.
  func take(body: UnsafeRawBufferPointer) -> Bool
}

/// What libcurl is given to call: a C function cannot know which kind of transfer it is for.
final class CurlCallbacks {
  unowned let transfer: any LiveTransfer

  init(_ transfer: any LiveTransfer) { self.transfer = transfer }

  static let header: ccurl_data_callback = { bytes, size, count, context in
    guard let context = unsafe context else { return 0 }
    let callbacks = unsafe Unmanaged<CurlCallbacks>.fromOpaque(context).takeUnretainedValue()
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe callbacks.transfer.take(line: line) ? size * count : 0
  }

  static let body: ccurl_data_callback = { bytes, size, count, context in
    guard let context = unsafe context else { return 0 }
    let callbacks = unsafe Unmanaged<CurlCallbacks>.fromOpaque(context).takeUnretainedValue()
    let body = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe callbacks.transfer.take(body: body) ? size * count : 0
  }
}
