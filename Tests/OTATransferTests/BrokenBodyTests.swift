import OTATransfer
import TestSupport
import Testing

@Suite("Bodies that are cut, endless or encoded")
struct BrokenBodyTests {
  private let body = patterned(50_000)

  @Test("B16: Content-Length larger than the body is truncated")
  func longerLength() async throws {
    try await withServer({ [body] _ in .dropped(body, after: 30_000) }) { server in
      let sink = RecordingSink()
      let error = await loopbackFetcher().failure(
        FetchRequest(url: server.url, maxBytes: 1 << 20), into: sink)
      #expect(error?.kind == .truncated)
      #expect(sink.bytes == Array(body.prefix(30_000)))
    }
  }

  @Test("B16: chunked without the last chunk is truncated")
  func missingLastChunk() async throws {
    try await withServer({ [body] _ in .chunked([body], ends: false) }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 1 << 20))
      #expect(error?.kind == .truncated)
    }
  }

  @Test("B16: a body without a length ends with the connection, and its size is not known")
  func withoutLength() async throws {
    try await withServer({ [body] _ in .withoutLength(Array(body.prefix(30_000))) }) { server in
      let sink = RecordingSink()
      let response = try await loopbackFetcher().fetch(
        FetchRequest(url: server.url, maxBytes: 1 << 20), into: sink)
      #expect(response.totalBytes == nil)
      #expect(sink.bytes.count == 30_000)
    }
  }

  @Test("a connection that closes without any answer is truncated")
  func noAnswer() async throws {
    try await withServer({ _ in .raw([]) }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100))
      #expect(error?.kind == .truncated)
    }
  }

  @Test("a complete chunked body arrives, and its trailers decide nothing")
  func trailers() async throws {
    let tail = Array("0\r\nContent-Encoding: gzip\r\nHTTP/x: y\r\n\r\n".utf8)
    try await withServer({ _ in
      var reply = HTTPReply.chunked([[1, 2], [3]], ends: false)
      reply.steps.append(.send(tail))
      return reply
    }) { server in
      let arrived = try await loopbackFetcher().bytes(server.url)
      #expect(arrived == [1, 2, 3])
    }
  }

  @Test("B18: an endless body stops at our own count, chunked or without a length")
  func endless() async throws {
    for reply in [
      HTTPReply.endless(patterned(7000)),
      HTTPReply(
        head: HTTPReply.head(200, [:], version: "1.0"), steps: [.sendForever(patterned(7000))],
        keepsAlive: false),
    ] {
      try await withServer({ _ in reply }) { server in
        let sink = RecordingSink()
        let error = await loopbackFetcher().failure(
          FetchRequest(url: server.url, maxBytes: 100_000), into: sink)
        #expect(error?.kind == .tooLarge)
        #expect(sink.bytes.count <= 100_000)
      }
    }
  }

  @Test("B18: an announced length above the limit is refused before the first byte")
  func announcedTooLarge() async throws {
    try await withServer({ [body] _ in .ok(body) }) { server in
      let sink = RecordingSink()
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 49_999), into: sink)
      #expect(error?.kind == .tooLarge)
      #expect(sink.begun.isEmpty)
      let fits = try await loopbackFetcher().fetch(
        FetchRequest(url: server.url, maxBytes: 50_000), into: MemorySink())
      #expect(fits.totalBytes == 50_000)
    }
  }

  @Test("B18: ten megabytes of header lines stop at our own count")
  func endlessHead() async throws {
    let line = Array("X-Filler: \(String(repeating: "a", count: 990))\r\n".utf8)
    try await withServer({ _ in
      let lines = (0..<10_000).flatMap { _ in line }
      return HTTPReply(head: Array("HTTP/1.1 200 OK\r\n".utf8), steps: [.send(lines)], keepsAlive: false)
    }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 1 << 30))
      #expect(error?.kind == .headTooLarge)
    }
  }

  @Test("B18: one header line of ten megabytes is refused")
  func endlessHeaderLine() async throws {
    try await withServer({ _ in
      let head = Array("HTTP/1.1 200 OK\r\nX-Filler: ".utf8)
      return HTTPReply(
        head: head, steps: [.send(Array(repeating: UInt8(ascii: "a"), count: 10 << 20))], keepsAlive: false)
    }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 1 << 30))
      #expect(error?.kind == .headTooLarge)
    }
  }

  @Test("B18, B23: a transfer coding that would be unpacked on the way is refused too")
  func transferCoding() async throws {
    try await withServer({ _ in .endless(patterned(5000), headers: ["Transfer-Encoding": "gzip, chunked"]) })
    { server in
      let sink = RecordingSink()
      let error = await loopbackFetcher().failure(
        FetchRequest(url: server.url, maxBytes: 1 << 20), into: sink)
      #expect(error?.kind == .unexpectedEncoding)
      #expect(sink.bytes.isEmpty)
    }
  }
}
