import Foundation

/// What the loopback server answers: a head and a list of steps, so that a test can script any misbehaviour.
public struct HTTPReply: Sendable {
  /// One thing to do with the connection.
  public enum Step: Sendable {
    case send([UInt8])
    /// Sends the same bytes until the client leaves or the server is stopped.
    case sendForever([UInt8])
    case pause(milliseconds: Int)
    /// Does nothing until the client leaves or the server is stopped.
    case stall
  }

  /// The status line and the fields with the empty line; sent as it is, so it may be anything.
  public var head: [UInt8]
  /// What follows the head; left out in the answer to HEAD.
  public var steps: [Step]
  /// Whether the connection serves another request afterwards.
  public var keepsAlive: Bool

  /// Puts an answer together from its parts, for what the builders do not offer.
  public init(head: [UInt8], steps: [Step], keepsAlive: Bool) {
    self.head = head
    self.steps = steps
    self.keepsAlive = keepsAlive
  }

  /// A head in HTTP/1.1 form; fields are sent in the order of their names.
  public static func head(_ code: Int, _ headers: [String: String], version: String = "1.1") -> [UInt8] {
    var text = "HTTP/\(version) \(code) \(reason(code))\r\n"
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static func reason(_ code: Int) -> String {
    switch code {
    case 200: "OK"
    case 206: "Partial Content"
    case 304: "Not Modified"
    case 404: "Not Found"
    default: "Status \(code)"
    }
  }
}

// MARK: - Well-behaved answers

extension HTTPReply {
  /// A complete answer with Content-Length on a connection that stays open.
  public static func status(_ code: Int, _ body: [UInt8] = [], _ headers: [String: String] = [:]) -> HTTPReply
  {
    let fields = headers.merging(["Content-Length": "\(body.count)"]) { mine, _ in mine }
    return HTTPReply(head: head(code, fields), steps: [.send(body)], keepsAlive: true)
  }

  /// 200 with a body; a `nil` content type leaves the field out.
  public static func ok(
    _ body: [UInt8], contentType: String? = "application/octet-stream", headers: [String: String] = [:]
  ) -> HTTPReply {
    var fields = headers
    if let contentType { fields["Content-Type"] = contentType }
    return status(200, body, fields)
  }

  /// 404 with a small page.
  public static var notFound: HTTPReply {
    status(404, Array("not here\n".utf8), ["Content-Type": "text/plain"])
  }

  /// A redirect; `location` may be relative.
  public static func redirect(to location: String, code: Int = 302) -> HTTPReply {
    status(code, [], ["Location": location])
  }

  /// Serves one object as a careful host does: entity tag, 304, `Range` with `If-Range`, 416 past the end.
  public static func ranged(_ body: [UInt8], _ request: HTTPRequest, etag: String? = nil) -> HTTPReply {
    var fields = ["Accept-Ranges": "bytes"]
    if let etag { fields["ETag"] = etag }
    if let etag, request.headers["if-none-match"] == etag {
      return HTTPReply(head: head(304, fields), steps: [], keepsAlive: true)
    }
    let condition = request.headers["if-range"]
    guard let start = request.rangeStart, condition == nil || condition == etag else {
      return ok(body, headers: fields)
    }
    guard start < body.count else {
      fields["Content-Range"] = "bytes */\(body.count)"
      return status(416, Array("past the end\n".utf8), fields)
    }
    fields["Content-Range"] = "bytes \(start)-\(body.count - 1)/\(body.count)"
    return status(206, Array(body[start...]), fields)
  }

  /// Serves the file that the request names below a directory, with ranges; 404 for anything else.
  public static func directory(_ root: String, _ request: HTTPRequest) -> HTTPReply {
    let path = request.path.removingPercentEncoding ?? request.path
    guard !path.split(separator: "/").contains(".."),
      let data = FileManager.default.contents(atPath: root + path)
    else { return .notFound }
    return ranged(Array(data), request)
  }
}

// MARK: - Misbehaviour

extension HTTPReply {
  /// Sends these bytes, head included, and closes.
  public static func raw(_ bytes: [UInt8]) -> HTTPReply {
    HTTPReply(head: bytes, steps: [], keepsAlive: false)
  }

  /// Announces the whole body, sends the first `count` bytes and closes.
  public static func dropped(_ body: [UInt8], after count: Int) -> HTTPReply {
    HTTPReply(
      head: head(200, ["Content-Length": "\(body.count)"]), steps: [.send(Array(body.prefix(count)))],
      keepsAlive: false)
  }

  /// Announces the whole body, sends the first `count` bytes and then nothing until the client leaves.
  public static func stalled(_ body: [UInt8], after count: Int) -> HTTPReply {
    HTTPReply(
      head: head(200, ["Content-Length": "\(body.count)"]),
      steps: [.send(Array(body.prefix(count))), .stall], keepsAlive: false)
  }

  /// Accepts the request and never answers.
  public static var silent: HTTPReply { HTTPReply(head: [], steps: [.stall], keepsAlive: false) }

  /// A complete answer at a steady rate: `bytesPerStep` bytes every `milliseconds`.
  public static func slow(_ body: [UInt8], bytesPerStep: Int, every milliseconds: Int) -> HTTPReply {
    var steps: [Step] = []
    for start in stride(from: 0, to: body.count, by: max(1, bytesPerStep)) {
      steps.append(.send(Array(body[start..<min(body.count, start + max(1, bytesPerStep))])))
      steps.append(.pause(milliseconds: milliseconds))
    }
    return HTTPReply(head: head(200, ["Content-Length": "\(body.count)"]), steps: steps, keepsAlive: true)
  }

  /// HTTP/1.0 without a length: the end of the connection is the end of the body.
  public static func withoutLength(_ body: [UInt8]) -> HTTPReply {
    HTTPReply(head: head(200, [:], version: "1.0"), steps: [.send(body)], keepsAlive: false)
  }

  /// A chunked body; without the last chunk it ends by closing the connection.
  public static func chunked(
    _ chunks: [[UInt8]], ends: Bool = true, headers: [String: String] = [:]
  ) -> HTTPReply {
    var steps = chunks.map { Step.send(chunk($0)) }
    if ends { steps.append(.send(Array("0\r\n\r\n".utf8))) }
    let fields = headers.merging(["Transfer-Encoding": "chunked"]) { mine, _ in mine }
    return HTTPReply(head: head(200, fields), steps: steps, keepsAlive: ends)
  }

  /// A chunked body that never ends.
  public static func endless(_ bytes: [UInt8], headers: [String: String] = [:]) -> HTTPReply {
    let fields = headers.merging(["Transfer-Encoding": "chunked"]) { mine, _ in mine }
    return HTTPReply(head: head(200, fields), steps: [.sendForever(chunk(bytes))], keepsAlive: false)
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }
}
