#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Hands SIGINT and SIGTERM to a function on a thread of its own, where it may do anything; one watch at a time.
struct SignalWatch {
  private typealias Handler = @convention(c) (Int32) -> Void

  private let thread: pthread_t?
  private let previous: [(number: Int32, handler: Handler?)]

  /// Watches from now on; a signal that the process was told to ignore stays ignored.
  ///
  /// Without a free descriptor or thread nothing is watched, and a signal ends the process as it does by default.
  init(_ receive: @escaping @Sendable (Int32) -> Void) {
    guard signalPipe.reader >= 0, let thread = Self.listen(receive) else {
      (thread, previous) = (nil, [])
      return
    }
    self.thread = thread
    previous = [SIGINT, SIGTERM].compactMap { number in
      // The one thing that is allowed here and enough: a byte that the thread will find.
      let before = signal(number) { signalPipe.send($0) }
      if !Self.isIgnore(before) { return (number, before) }
      _ = signal(number, before)
      return nil
    }
  }

  /// Restores what the signals did before.
  func end() {
    for (number, handler) in previous { _ = signal(number, handler) }
    guard let thread else { return }
    signalPipe.send(Self.endOfWatch)
    pthread_join(thread, nil)
  }

  /// No signal has this number.
  private static let endOfWatch: Int32 = 0

  private static func listen(_ receive: @escaping @Sendable (Int32) -> Void) -> pthread_t? {
    let listener = Listener(receive)
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Listener>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(listener).toOpaque())
    if code == 0 { return thread }
    unsafe Unmanaged.passUnretained(listener).release()
    return nil
  }

  /// What the thread runs.
  private final class Listener: Sendable {
    private let receive: @Sendable (Int32) -> Void

    init(_ receive: @escaping @Sendable (Int32) -> Void) { self.receive = receive }

    func run() {
      while true {
        guard StandardStreams.wait(for: POLLIN, on: signalPipe.reader, milliseconds: -1) else { continue }
        guard let byte = StandardStreams.readByte(from: signalPipe.reader) else { continue }
        if Int32(byte) == SignalWatch.endOfWatch { return }
        receive(Int32(byte))
      }
    }
  }

  private static func isIgnore(_ handler: Handler?) -> Bool {
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

/// The way out of a signal handler. A handler has no context, so this must be global; it is made before the first handler
/// is set, never changes, and lives as long as the process.
private let signalPipe = SignalPipe()

private struct SignalPipe {
  let reader: Int32
  let writer: Int32

  /// Without free descriptors both are -1.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe(&ends)
    for descriptor in ends {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
    (reader, writer) = (ends[0], ends[1])
  }

  /// Safe in a signal handler: one system call, `errno` left as it was.
  func send(_ number: Int32) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(writer, &byte, 1)
    errno = before
  }
}
