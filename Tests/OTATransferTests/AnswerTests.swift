import OTATransfer
import Synchronization
import TestSupport
import Testing

@Suite("What the fetcher makes of an answer")
struct AnswerTests {
  @Test("a body arrives whole, with what the head said about it")
  func wholeBody() async throws {
    let body = patterned(300_000)
    try await withServer({ request in
      request.path == "/bundle.js"
        ? .ok(body, headers: ["ETag": "\"v1\"", "Last-Modified": "yesterday"]) : .notFound
    }) { server in
      let sink = RecordingSink()
      let url = server.url + "bundle.js"
      let response = try await loopbackFetcher().fetch(FetchRequest(url: url, maxBytes: 300_000), into: sink)
      #expect(sink.bytes == body)
      #expect(sink.begun == [response])
      #expect(
        response
          == FetchResponse(
            status: 200, finalURL: url, totalBytes: 300_000, entityTag: "\"v1\"", lastModified: "yesterday",
            contentType: "application/octet-stream"))
      let headers = try #require(server.requests.first?.headers)
      #expect(headers["accept-encoding"] == "identity")
      #expect(headers["user-agent"] == "parser-ota")
      #expect(headers["cookie"] == nil && headers["authorization"] == nil && headers["range"] == nil)
    }
  }

  @Test("an empty file begins and ends without a byte")
  func emptyBody() async throws {
    try await withServer({ _ in .ok([]) }) { server in
      let sink = RecordingSink(holding: [1, 2, 3])
      let response = try await loopbackFetcher().fetch(
        FetchRequest(url: server.url, maxBytes: 10), into: sink)
      #expect(response.totalBytes == 0)
      #expect(sink.begun.count == 1 && sink.bytes.isEmpty)
    }
  }

  @Test(
    "B17: the right bytes are accepted under a wrong or missing Content-Type",
    arguments: [
      "text/plain", "application/xml", "text/html", nil,
    ])
  func wrongContentType(type: String?) async throws {
    try await withServer({ _ in .ok(patterned(500), contentType: type) }) { server in
      let arrived = try await loopbackFetcher().bytes(server.url)
      #expect(arrived == patterned(500))
    }
  }

  @Test(
    "a status that is no success has a kind and gives no byte",
    arguments: [
      (404, TransferError.Kind.notFound), (410, .notFound), (401, .forbidden), (403, .forbidden),
      (429, .throttled),
      (500, .server), (503, .server), (400, .httpStatus), (416, .httpStatus), (204, .httpStatus),
      (304, .httpStatus),
      (206, .protocolViolation), (407, .proxy), (300, .httpStatus),
    ])
  func failureStatus(status: Int, kind: TransferError.Kind) async throws {
    let page = status == 204 || status == 304 ? [] : Array("<html>error</html>".utf8)
    try await withServer({ _ in .status(status, page, ["Retry-After": "120"]) }) { server in
      let sink = RecordingSink()
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100), into: sink)
      #expect(error?.kind == kind)
      #expect(error?.status == status)
      #expect(error?.retryAfter == "120")
      #expect(sink.begun.isEmpty && sink.bytes.isEmpty)
    }
  }

  @Test("an error page without an end does not keep anybody waiting, and the status still counts")
  func endlessErrorPage() async throws {
    try await withServer({ _ in
      HTTPReply(
        head: HTTPReply.head(404, [:]), steps: [.sendForever(patterned(10_000))], keepsAlive: false)
    }) { server in
      #expect(
        await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100))?.kind == .notFound)
    }
  }

  @Test("a file that did not change is a 304 without a body")
  func notModified() async throws {
    try await withServer({ .ranged(patterned(100), $0, etag: "\"v7\"") }) { server in
      let sink = RecordingSink()
      let request = FetchRequest(url: server.url, maxBytes: 100, ifNoneMatch: "\"v7\"")
      let response = try await loopbackFetcher().fetch(request, into: sink)
      #expect(response.status == 304)
      #expect(response.entityTag == "\"v7\"")
      #expect(sink.begun.isEmpty)
    }
  }

  @Test("an entity tag that would begin another header line is not sent")
  func headerInjection() async throws {
    try await withServer({ .ranged(patterned(100), $0) }) { server in
      let point = ResumePoint(offset: 50, validator: "\"a\"\r\nX-Evil: 2")
      let request = FetchRequest(
        url: server.url, maxBytes: 100, resume: point, ifNoneMatch: "\"a\"\r\nX-Evil: 1")
      let response = try await loopbackFetcher().fetch(request, into: MemorySink())
      #expect(response.resumedFrom == 0)
      let headers = try #require(server.requests.first?.headers)
      #expect(headers["x-evil"] == nil && headers["if-none-match"] == nil && headers["range"] == nil)
    }
  }

  @Test("progress grows to the announced size and never beyond it")
  func progress() async throws {
    let steps = Mutex<[[Int?]]>([])
    try await withServer({ _ in .slow(patterned(5000), bytesPerStep: 1000, every: 5) }) { server in
      let request = FetchRequest(url: server.url, maxBytes: 5000) { received, expected in
        steps.withLock { $0.append([received, expected]) }
      }
      _ = try await loopbackFetcher().fetch(request, into: MemorySink())
      let seen = steps.withLock { $0 }
      #expect(seen.last == [5000, 5000])
      #expect(seen.allSatisfy { ($0[0] ?? .max) <= 5000 && $0[1] == 5000 })
      #expect(seen.map { $0[0] ?? 0 } == seen.map { $0[0] ?? 0 }.sorted())
    }
  }

  @Test("the error of a sink comes back, and the transfer ends")
  func sinkErrors() async throws {
    try await withServer({ _ in .endless(patterned(4000)) }) { server in
      let request = FetchRequest(url: server.url, maxBytes: 1 << 40)
      let full = await loopbackFetcher().failure(request, into: RecordingSink(capacity: 10_000))
      #expect(full?.kind == .sinkFailed)
      #expect(full?.underlying as? RecordingSink.Full == RecordingSink.Full(limit: 10_000))
      let unwilling = await loopbackFetcher().failure(request, into: RecordingSink(refusesToBegin: true))
      #expect(unwilling?.kind == .sinkFailed)
      #expect(unwilling?.underlying is RecordingSink.Full)
    }
  }

  @Test("nobody listens: unreachable, with the address in the message and without its query")
  func refusedConnection() async throws {
    let server = try LoopbackServer { _ in .notFound }
    server.stop()
    let error = try #require(
      await loopbackFetcher().failure(FetchRequest(url: server.url + "m.json?token=secret", maxBytes: 10)))
    #expect(error.kind == .refused)
    #expect(error.message.hasPrefix(server.url + "m.json: "))
    #expect(!error.message.contains("secret"))
  }

  @Test("something that is not HTTP is a violation of the protocol")
  func notHTTP() async throws {
    try await withServer({ _ in .raw(Array("220 mail.example ESMTP\r\n".utf8)) }) { server in
      #expect(
        await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 99))?.kind
          == .protocolViolation)
    }
  }

  @Test("an interim answer is not the answer")
  func interimAnswer() async throws {
    let early = Array("HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\nETag: \"early\"\r\n\r\n".utf8)
    try await withServer({ _ in
      HTTPReply(
        head: early + HTTPReply.head(200, ["Content-Length": "3"]), steps: [.send([7, 8, 9])],
        keepsAlive: true)
    }) { server in
      let sink = RecordingSink()
      let response = try await loopbackFetcher().fetch(FetchRequest(url: server.url, maxBytes: 9), into: sink)
      #expect(sink.bytes == [7, 8, 9])
      #expect(response.entityTag == nil)
    }
  }
}
