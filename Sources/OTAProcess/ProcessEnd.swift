internal import Glibc

/// How a child of this process ended.
enum ProcessEnd {
  /// The status as shells count it, once the child has ended; after that the child is unknown.
  static func poll(_ process: pid_t) -> Int32? {
    var raw: Int32 = 0
    guard unsafe waitpid(process, &raw, WNOHANG) == process else { return nil }
    let signal = raw & 0x7F
    return signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
  }

  /// Waits for a child that was killed.
  static func wait(_ process: pid_t) {
    var raw: Int32 = 0
    while unsafe waitpid(process, &raw, 0) < 0 && errno == EINTR {}
  }
}
