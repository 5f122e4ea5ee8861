internal import CLinux
internal import Glibc

/// A pipe whose reading end never blocks.
final class Pipe {
  private let reader: Int32
  private(set) var writer: Int32

  init() throws(CommandFault) {
    var ends: (Int32, Int32) = (-1, -1)
    let made = unsafe withUnsafeMutablePointer(to: &ends) { pointer in
      unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe pipe2($0, O_CLOEXEC) }
    }
    guard made == 0 else { throw .failed("pipe2") }
    (reader, writer) = ends
    guard fcntl(reader, F_SETFL, O_NONBLOCK) == 0 else { throw .failed("fcntl") }
  }

  deinit {
    close(reader)
    closeWriter()
  }

  func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  /// What is there now; nothing also at the end, which the end of the command tells.
  func readAvailable() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      // A read that does not block is not interrupted either.
      count = max(0, unsafe read(reader, buffer.baseAddress, buffer.count))
    }
  }
}
