import Glibc

/// Reads the requests of one connection, one after the other.
struct RequestReader {
  private let connection: Int32
  private let number: Int
  private var buffer: [UInt8] = []

  init(connection: Int32, number: Int) {
    self.connection = connection
    self.number = number
  }

  /// The next request with its body; `nil` when the client closed or sent nonsense.
  mutating func next() -> HTTPRequest? {
    guard let end = headEnd() else { return nil }
    let lines = String(decoding: buffer[..<end], as: UTF8.self).split(separator: "\r\n")
    buffer.removeFirst(end)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      headers[line[..<colon].lowercased()] = String(value)
    }
    guard let body = body(headers) else { return nil }
    return HTTPRequest(
      method: String(words[0]), target: String(words[1]), headers: headers, body: body, connection: number)
  }

  private mutating func body(_ headers: [String: String]) -> [UInt8]? {
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    if headers["expect"]?.lowercased() == "100-continue" {
      let go = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      _ = Glibc.send(connection, go, go.count, Int32(MSG_NOSIGNAL))
    }
    while buffer.count < length {
      guard fill() else { return nil }
    }
    defer { buffer.removeFirst(length) }
    return Array(buffer.prefix(length))
  }

  /// The index after the empty line that ends the head.
  private mutating func headEnd() -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    while true {
      if let end = buffer.firstRange(of: mark)?.upperBound { return end }
      guard buffer.count < 1 << 20, fill() else { return nil }
    }
  }

  private mutating func fill() -> Bool {
    var chunk: [UInt8] = Array(repeating: 0, count: 65536)
    var count = recv(connection, &chunk, chunk.count, 0)
    while count < 0, errno == EINTR { count = recv(connection, &chunk, chunk.count, 0) }
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    return true
  }
}
