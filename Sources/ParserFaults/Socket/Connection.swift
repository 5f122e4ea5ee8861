internal import Glibc

/// Serves the requests of one connection, one after the other.
struct Connection {
  let socket: Int32
  let number: Int
  /// Readable once the server stops.
  let stop: Int32

  /// Against heads and bodies without end.
  private static let maxHeadBytes = 64 << 10
  private static let maxBodyBytes = 1 << 20

  func serve(_ answer: Listener.Answer) {
    var buffer: [UInt8] = []
    var isOpen = true
    while isOpen, let request = next(&buffer) {
      let answer = answer(request, number)
      isOpen = send(answer.head)
      if request.method != "HEAD" {
        for step in answer.steps where isOpen { isOpen = perform(step) }
      }
      isOpen = isOpen && answer.keepsAlive
    }
    finish()
  }

  // MARK: Requests

  private func next(_ buffer: inout [UInt8]) -> FaultRequest? {
    let mark = Array("\r\n\r\n".utf8)
    while true {
      if let end = buffer.firstRange(of: mark)?.upperBound {
        let head = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end)
        return request(head, &buffer)
      }
      guard buffer.count < Self.maxHeadBytes, fill(&buffer) else { return nil }
    }
  }

  private func request(_ head: String, _ buffer: inout [UInt8]) -> FaultRequest? {
    let lines = head.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let length = fields["content-length"].flatMap { Int($0) } ?? 0
    guard (0...Self.maxBodyBytes).contains(length) else { return nil }
    if fields["expect"]?.lowercased() == "100-continue" {
      _ = send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
    while buffer.count < length { guard fill(&buffer) else { return nil } }
    defer { buffer.removeFirst(length) }
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return FaultRequest(
      method: String(words[0]), path: Self.decoded(target[0].drop { $0 == "/" }),
      query: target.count > 1 ? String(target[1]) : "", fields: fields, body: Array(buffer.prefix(length)))
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = String(rest.prefix(2)) ?? ""
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let code = UInt8(digits, radix: 16) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func fill(_ buffer: inout [UInt8]) -> Bool {
    guard Wait.readable(socket, orStop: stop) == .event else { return false }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var count = unsafe recv(socket, &chunk, chunk.count, 0)
    while count < 0, errno == EINTR { count = unsafe recv(socket, &chunk, chunk.count, 0) }
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    return true
  }

  // MARK: Answers

  private func perform(_ step: FaultAnswer.Step) -> Bool {
    switch step {
    case .send(let bytes): return send(bytes)
    case .sendForever(let bytes):
      while send(bytes) {}
      return false
    case .wait(let milliseconds):
      return Wait.on(socket, Wait.clientLeft, orStop: stop, milliseconds: Int32(milliseconds)) == .timeout
    case .hold:
      _ = Wait.on(socket, Wait.clientLeft, orStop: stop)
      return false
    case .reset:
      // Closing without lingering sends a reset in place of a goodbye.
      var linger = linger(l_onoff: 1, l_linger: 0)
      unsafe _ = setsockopt(
        socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
      return false
    }
  }

  /// False when the client left or the server stops.
  private func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      guard Wait.on(socket, Int16(POLLOUT), orStop: stop) == .event else { return false }
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          socket, buffer.baseAddress.map { unsafe $0 + sent }, buffer.count - sent,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Says goodbye so that the client can read everything that was sent, unless a reset was asked for.
  private func finish() {
    var state = linger()
    var length = socklen_t(MemoryLayout<linger>.size)
    unsafe _ = getsockopt(socket, SOL_SOCKET, SO_LINGER, &state, &length)
    if state.l_onoff == 0 {
      shutdown(socket, Int32(SHUT_WR))
      var rest = [UInt8](repeating: 0, count: 4096)
      for _ in 0..<1000 {
        guard Wait.readable(socket, orStop: stop, milliseconds: 200) == .event,
          unsafe recv(socket, &rest, rest.count, 0) > 0
        else { break }
      }
    }
    close(socket)
  }
}
