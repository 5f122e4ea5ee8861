package import Glibc

/// How a child of this process ended.
package enum ProcessEnd {
  /// The status as shells count it, once the child has ended; after that the child is unknown.
  static func poll(_ process: pid_t) -> Int32? {
    var raw: Int32 = 0
    return unsafe waitpid(process, &raw, WNOHANG) == process ? status(raw) : nil
  }

  /// Waits for the end of a child and returns its status as shells count it; `nil` when it is no child.
  @discardableResult
  package static func wait(_ process: pid_t) -> Int32? {
    var raw: Int32 = 0
    while unsafe waitpid(process, &raw, 0) < 0 { guard errno == EINTR else { return nil } }
    return status(raw)
  }

  private static func status(_ raw: Int32) -> Int32 {
    let signal = raw & 0x7F
    return signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
  }
}
