internal import CWebKit
internal import Glibc
internal import ParserEngine

/// The socket to the parent: frames in through the main loop, frames out at once.
final class FrameChannel {
  private var buffer = FrameBuffer()
  private var handler: (EngineFrame) -> Void = { _ in }

  /// Hands every frame to `handler`, on the main thread, for as long as the process lives.
  func serve(_ handler: @escaping (EngineFrame) -> Void) {
    self.handler = handler
    unsafe g_unix_fd_add(
      STDIN_FILENO, G_IO_IN,
      { _, _, context in
        guard let context = unsafe context else { return 1 }
        unsafe Unmanaged<FrameChannel>.fromOpaque(context).takeUnretainedValue().receive()
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func receive() {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256 << 10) { buffer, count in
      count = max(0, unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count))
    }
    guard !bytes.isEmpty else { EngineProgram.fail("the parent is gone", status: 1) }
    buffer.append(bytes)
    do {
      while let frame = try buffer.next() { handler(frame) }
    } catch {
      EngineProgram.fail("bytes came that are no frame", status: 1)
    }
  }

  /// Writes a frame; waits while the parent is busy.
  func send(_ frame: EngineFrame?) {
    guard let frame else { return }
    var rest = frame.encoded[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(STDOUT_FILENO, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { exit(1) }
      rest = rest.dropFirst(count)
    }
  }
}
