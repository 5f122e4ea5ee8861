internal import CCurl

/// The libcurl handle that runs transfers side by side and keeps their connections.
///
/// Sendable because other threads call `wakeUp` alone, which libcurl allows; the rest belongs to the engine's thread.
@safe struct MultiHandle: ~Copyable, @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer

  /// `nil` when there is no memory. libcurl must be loaded.
  init?(connectionsPerHost: Int) {
    guard let pointer = unsafe ccurl_multi_init() else { return nil }
    unsafe self.pointer = unsafe pointer
    // One that does not know the option opens more connections, and nothing else.
    unsafe _ = ccurl_multi_limit_connections(pointer, connectionsPerHost)
  }

  deinit { unsafe _ = ccurl_multi_cleanup(pointer) }

  func wakeUp() { unsafe _ = ccurl_multi_wakeup(pointer) }

  /// False when libcurl did not take the transfer.
  func add(_ easy: borrowing EasyHandle) -> Bool {
    unsafe ccurl_multi_add_handle(pointer, easy.pointer) == CURLM_OK
  }

  func remove(_ easy: borrowing EasyHandle) { unsafe _ = ccurl_multi_remove_handle(pointer, easy.pointer) }

  /// Does what can be done without waiting; false when the handle is broken.
  func perform() -> Bool { unsafe ccurl_multi_perform(pointer) == CURLM_OK }

  /// Waits for a socket, a timer or `wakeUp`.
  func wait(milliseconds: Int32) { unsafe _ = ccurl_multi_poll(pointer, milliseconds) }

  /// The id and the result of the next transfer that ended.
  func nextDone() -> (id: UInt64, code: CURLcode)? {
    var code = CURLE_OK
    guard let easy = unsafe ccurl_multi_next_done(pointer, &code) else { return nil }
    return unsafe (ccurl_get_id(easy), code)
  }
}
