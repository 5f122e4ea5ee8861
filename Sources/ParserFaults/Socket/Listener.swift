internal import Dispatch
internal import Glibc
internal import OTAManifest
internal import Synchronization

/// Takes connections on a loopback address, each with a thread of its own, until it is stopped.
final class Listener: Sendable {
  /// How many connections are served at a time; others wait.
  private static let maxConnections = 64

  typealias Answer = @Sendable (_ request: FaultRequest, _ connection: Int) -> FaultAnswer

  let port: Int
  private let isV6: Bool
  private let socket: Int32
  /// A byte in this pipe wakes every thread that waits.
  private let stopReader: Int32
  private let stopWriter: Int32
  private let isStopped = Mutex(false)
  private let threads = DispatchGroup()
  private let places = DispatchSemaphore(value: maxConnections)

  /// Binds the port; connections are taken from `start` on.
  init(port: Int, isV6: Bool) throws(Problem) {
    self.isV6 = isV6
    (socket, self.port) = try isV6 ? Self.listenV6(port) : Self.listenV4(port)
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      close(socket)
      throw Self.failure("pipe", port)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (stopReader, stopWriter) = (ends[0], ends[1])
  }

  /// The address as it stands in a URL.
  var host: String { isV6 ? "[::1]" : "127.0.0.1" }

  func start(_ answer: @escaping Answer) {
    run { [self] in acceptLoop(answer) }
  }

  /// Ends every connection and waits for all threads.
  func stop() {
    wake()
    threads.wait()
  }

  /// Ends every connection; the threads, which hold this object, end soon.
  func wake() {
    isStopped.withLock { $0 = true }
    var byte: UInt8 = 1
    unsafe _ = write(stopWriter, &byte, 1)
  }

  deinit { for end in [stopWriter, socket, stopReader] { close(end) } }

  // MARK: Sockets

  private static func failure(_ call: String, _ port: Int) -> Problem {
    let reason = unsafe String(cString: strerror(errno))
    return Problem(
      .storageFailed, "cannot listen on port \(port): \(call): \(reason)",
      advice: "use port 0, and the system chooses a free one")
  }

  private static func listenV4(_ port: Int) throws(Problem) -> (Int32, Int) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = try open(AF_INET, port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    return try checked(descriptor, isBound, port, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func listenV6(_ port: Int) throws(Problem) -> (Int32, Int) {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(port).bigEndian
    address.sin6_addr = in6addr_loopback
    let descriptor = try open(AF_INET6, port)
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(descriptor, address, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    return try checked(descriptor, isBound, port, Int(UInt16(bigEndian: address.sin6_port)))
  }

  private static func open(_ family: Int32, _ port: Int) throws(Problem) -> Int32 {
    let descriptor = Glibc.socket(
      family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("socket", port) }
    var on: Int32 = 1
    unsafe _ = setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  private static func checked(
    _ descriptor: Int32, _ isBound: Bool, _ asked: Int, _ port: Int
  ) throws(Problem) -> (Int32, Int) {
    guard isBound else {
      let failure = failure("bind", asked)
      close(descriptor)
      throw failure
    }
    return (descriptor, port)
  }

  // MARK: Threads

  private func acceptLoop(_ answer: @escaping Answer) {
    var number = 0
    while Wait.readable(socket, orStop: stopReader) == .event {
      let connection = accept(socket, nil, nil)
      guard connection >= 0 else { continue }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      var on: Int32 = 1
      unsafe _ = setsockopt(
        connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      number += 1
      takePlace()
      let (isLast, own) = (isStopped.withLock { $0 }, number)
      if isLast { close(connection) } else { serve(connection, own, answer) }
    }
  }

  /// Waits for one of the connections to end where all places are taken.
  private func takePlace() {
    while places.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
      if isStopped.withLock({ $0 }) { return }
    }
  }

  private func serve(_ connection: Int32, _ number: Int, _ answer: @escaping Answer) {
    run { [self] in
      Connection(socket: connection, number: number, stop: stopReader).serve(answer)
      places.signal()
    }
  }

  private func run(_ body: @escaping @Sendable () -> Void) {
    threads.enter()
    let isStarted = Worker.start { [threads] in
      body()
      threads.leave()
    }
    if !isStarted { threads.leave() }
  }
}

/// A thread for work that blocks.
enum Worker {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// False when the system gives no thread.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(Body(body))
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    if code == 0 { pthread_detach(thread) } else { unsafe context.release() }
    return code == 0
  }
}

/// Waits on a socket, and for the end of the server.
enum Wait {
  case event, stop, timeout

  /// `POLLRDHUP`, which the Glibc module does not export: the client closed its side.
  static let clientLeft: Int16 = 0x2000

  static func readable(_ socket: Int32, orStop stop: Int32, milliseconds: Int32 = -1) -> Wait {
    on(socket, Int16(POLLIN), orStop: stop, milliseconds: milliseconds)
  }

  static func on(
    _ socket: Int32, _ events: Int16, orStop stop: Int32, milliseconds: Int32 = -1
  ) -> Wait {
    var polled = [
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: events, revents: 0),
    ]
    while true {
      let count = unsafe poll(&polled, 2, milliseconds)
      if count < 0, errno == EINTR { continue }
      if count == 0 { return .timeout }
      return count < 0 || polled[0].revents != 0 ? .stop : .event
    }
  }
}
