import Glibc
import Synchronization

/// A small scriptable HTTP/1.1 server on 127.0.0.1, with one plain thread for each connection.
///
/// It answers whatever the closure says, wrong or right, and remembers every request. `stop()` ends every thread.
public final class LoopbackServer: Sendable {
  private struct Bookkeeping {
    var requests: [HTTPRequest] = []
    var connections: Set<Int32> = []
    var accepted = 0
    var stopped = false
  }

  /// The port that the system chose.
  public let port: Int

  private let listener: Int32
  /// Both ends of a pipe: a byte in it wakes every thread that waits.
  private let stopReader: Int32
  private let stopWriter: Int32
  private let respond: @Sendable (HTTPRequest) -> HTTPReply
  private let books = Mutex(Bookkeeping())
  private let threads = ThreadGroup()

  private let v6: Bool

  /// Starts listening at once; the closure runs on the thread of the connection and may block.
  ///
  /// - Parameter v6: listens on `::1` instead.
  public init(v6: Bool = false, _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReply) throws {
    self.respond = respond
    self.v6 = v6
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SocketError(call: "pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (stopReader, stopWriter) = (ends[0], ends[1])
    (listener, port) = try v6 ? Self.listenV6() : Self.listen()
    threads.start { [self] in acceptLoop() }
  }

  /// `http://127.0.0.1:PORT/`, or `http://[::1]:PORT/`
  public var url: String { "http://\(v6 ? "[::1]" : "127.0.0.1"):\(port)/" }

  /// Every request so far, in the order in which they were read.
  public var requests: [HTTPRequest] { books.withLock { $0.requests } }

  /// Ends every connection and waits for the threads; safe to call twice.
  public func stop() {
    let first = books.withLock { books in
      defer { books.stopped = true }
      for connection in books.connections { _ = shutdown(connection, Int32(SHUT_RDWR)) }
      return !books.stopped
    }
    guard first else { return }
    var wake: UInt8 = 1
    _ = write(stopWriter, &wake, 1)
    threads.wait()
    close(stopWriter)
    close(listener)
    close(stopReader)
  }

  private static func listen() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError(call: "socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard bound else {
      let error = SocketError(call: "bind")
      close(descriptor)
      throw error
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func listenV6() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SocketError(call: "socket") }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 128) == 0
          && getsockname(descriptor, address, &length) == 0
      }
    }
    guard bound else {
      let error = SocketError(call: "bind")
      close(descriptor)
      throw error
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin6_port)))
  }

  // MARK: Threads

  private func acceptLoop() {
    while waitUntilReadable(listener) {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      var on: Int32 = 1
      setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      let number = books.withLock { books in
        books.connections.insert(connection)
        books.accepted += 1
        if books.stopped { _ = shutdown(connection, Int32(SHUT_RDWR)) }
        return books.accepted
      }
      threads.start { [self] in serve(connection, number: number) }
    }
  }

  private func serve(_ connection: Int32, number: Int) {
    var reader = RequestReader(connection: connection, number: number)
    var open = true
    while open, waitUntilReadable(connection), let request = reader.next() {
      books.withLock { $0.requests.append(request) }
      let reply = respond(request)
      open = send(reply.head, to: connection)
      if request.method != "HEAD" {
        for step in reply.steps where open { open = perform(step, on: connection) }
      }
      open = open && reply.keepsAlive
    }
    finish(connection)
  }

  /// Says goodbye without a reset, so that the client can read everything that was sent.
  private func finish(_ connection: Int32) {
    shutdown(connection, Int32(SHUT_WR))
    var rest: [UInt8] = Array(repeating: 0, count: 4096)
    var rounds = 0
    while rounds < 1000, waitUntilReadable(connection, milliseconds: 200),
      recv(connection, &rest, rest.count, 0) > 0
    {
      rounds += 1
    }
    books.withLock { _ = $0.connections.remove(connection) }
    close(connection)
  }

  private func perform(_ step: HTTPReply.Step, on connection: Int32) -> Bool {
    switch step {
    case .send(let bytes):
      return send(bytes, to: connection)
    case .sendForever(let bytes):
      while send(bytes, to: connection) {}
      return false
    case .pause(let milliseconds):
      return wait(for: connection, events: clientLeft, milliseconds: Int32(milliseconds)) == .timeout
    case .stall:
      _ = wait(for: connection, events: clientLeft, milliseconds: -1)
      return false
    }
  }

  private func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.send(
          connection, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  // MARK: Waiting

  /// `POLLRDHUP`, which the Glibc module does not export: the client closed its side.
  private let clientLeft: Int16 = 0x2000

  private enum Wake { case event, stop, timeout }

  private func waitUntilReadable(_ descriptor: Int32, milliseconds: Int32 = -1) -> Bool {
    wait(for: descriptor, events: Int16(POLLIN), milliseconds: milliseconds) == .event
  }

  private func wait(for descriptor: Int32, events: Int16, milliseconds: Int32) -> Wake {
    var polled = [
      pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: events, revents: 0),
    ]
    while true {
      let count = poll(&polled, 2, milliseconds)
      if count < 0, errno == EINTR { continue }
      if count == 0 { return .timeout }
      return polled[0].revents != 0 ? .stop : .event
    }
  }
}

/// A system call that failed while a test server was set up.
public struct SocketError: Error, CustomStringConvertible {
  /// The call and the text of its error number.
  public let description: String

  init(call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}
