#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The system calls of the console, in one place.
enum StandardStreams {
  /// Writes all bytes through interruptions and partial writes; returns the `errno` of a failure, else `nil`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe systemWrite(descriptor, buffer.baseAddress, buffer.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        _ = wait(for: POLLOUT, on: descriptor, milliseconds: 1000)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// The next byte of the input; `nil` at its end or after an error.
  static func readByte(from descriptor: Int32) -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(descriptor, &byte, 1)
      if count == 1 { return byte }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Whether the descriptor is ready, closed or failed within the time; an interruption counts as not ready.
  static func wait(for events: Int32, on descriptor: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return unsafe poll(&entry, 1, milliseconds) > 0
  }

  static func isInputReady(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    wait(for: POLLIN, on: descriptor, milliseconds: milliseconds)
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Stops a terminal from showing what is typed; hands back how it was, or `nil` for anything else.
  static func hideTyping(on descriptor: Int32) -> termios? {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return nil }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    guard unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else { return nil }
    return before
  }

  /// Makes a terminal what it was.
  static func showTyping(on descriptor: Int32, _ settings: termios) {
    var settings = settings
    unsafe tcsetattr(descriptor, TCSANOW, &settings)
  }

  /// The columns of a terminal; `nil` for anything else.
  static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    let answer = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// The words of the system for an `errno`.
  static func reason(_ number: Int32) -> String { unsafe String(cString: strerror(number)) }

  static func isBrokenPipe(_ number: Int32) -> Bool { number == EPIPE }

  /// Makes a write to a closed pipe an error instead of a deadly signal.
  static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  /// Fills closed standard descriptors, so that no file of ours becomes the standard output by accident.
  ///
  /// The filling cannot be written to, so that output which nobody can receive is still reported as lost.
  static func occupyClosedDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one, as the lower ones are open; a failure leaves it closed as it was.
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }

  private static func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(descriptor, start, count)
    #else
      unsafe Darwin.write(descriptor, start, count)
    #endif
  }
}
