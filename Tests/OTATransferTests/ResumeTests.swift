import OTATransfer
import TestSupport
import Testing

@Suite("Going on where an earlier transfer ended")
struct ResumeTests {
  private let body = patterned(5000)

  @Test("the rest arrives, and the size is that of the whole file")
  func resumes() async throws {
    try await withServer({ [body] in .ranged(body, $0, etag: "\"v1\"") }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      let response = try await loopbackFetcher().fetch(resuming(server.url), into: sink)
      #expect(response.status == 206 && response.resumedFrom == 2000 && response.totalBytes == 5000)
      #expect(sink.bytes == body)
      let headers = try #require(server.requests.first?.headers)
      #expect(headers["range"] == "bytes=2000-")
      #expect(headers["if-range"] == "\"v1\"")
    }
  }

  @Test("B19: a server that ignores the range makes the sink start again")
  func ignoredRange() async throws {
    try await withServer({ [body] _ in .ok(body) }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      let response = try await loopbackFetcher().fetch(resuming(server.url), into: sink)
      #expect(response.status == 200 && response.resumedFrom == 0)
      #expect(sink.bytes == body)
    }
  }

  @Test(
    "B20: 416 is an error with or without Content-Range, and its page never arrives",
    arguments: [true, false])
  func rangeNotSatisfiable(withRange: Bool) async throws {
    let headers = withRange ? ["Content-Range": "bytes */1500"] : [:]
    try await withServer({ _ in .status(416, Array("no such range".utf8), headers) }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      let error = await loopbackFetcher().failure(resuming(server.url), into: sink)
      #expect(error?.kind == .httpStatus)
      #expect(error?.status == 416)
      #expect(sink.bytes == Array(body.prefix(2000)))
    }
  }

  @Test("B21: a file that changed is sent whole, because the validator no longer holds")
  func changedFile() async throws {
    let new = patterned(6000)
    try await withServer({ .ranged(new, $0, etag: "\"v2\"") }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      let response = try await loopbackFetcher().fetch(resuming(server.url), into: sink)
      #expect(response.resumedFrom == 0)
      #expect(sink.bytes == new)
    }
  }

  @Test("B21: a host that ignores If-Range is caught by the entity tag")
  func ignoredIfRange() async throws {
    let new = patterned(6000)
    try await withServer({ request in
      .status(206, Array(new[2000...]), ["Content-Range": "bytes 2000-5999/6000", "ETag": "\"v2\""])
    }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      #expect(await loopbackFetcher().failure(resuming(server.url), into: sink)?.kind == .protocolViolation)
      #expect(sink.begun.isEmpty)
    }
  }

  @Test(
    "B21: a part that does not begin where it was asked for is refused",
    arguments: [
      "bytes 0-4999/5000", "bytes 1999-4999/5000", "bytes 2001-4999/5000", "bytes 2000-4999/100",
      "bytes 2000-1999/5000",
      "bytes +2000-4999/5000", "bytes 2000/5000", "lines 2000-4999/5000", "bytes */5000", "", nil,
    ])
  func otherRange(range: String?) async throws {
    let headers = range.map { ["Content-Range": $0] } ?? ["Content-Type": "multipart/byteranges; boundary=x"]
    try await withServer({ [body] _ in .status(206, Array(body[2000...]), headers) }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      let error = await loopbackFetcher().failure(resuming(server.url), into: sink)
      #expect(error?.kind == .protocolViolation)
      #expect(sink.begun.isEmpty && sink.bytes.count == 2000)
    }
  }

  @Test("the limit is on the whole file, the part that is there included")
  func limitCountsThePartThatIsThere() async throws {
    try await withServer({ [body] in .ranged(body, $0, etag: "\"v1\"") }) { server in
      let error = await loopbackFetcher().failure(resuming(server.url, maxBytes: 4999))
      #expect(error?.kind == .tooLarge)
    }
    try await withServer({ [body] _ in
      var reply = HTTPReply.endless(body)
      reply.head = HTTPReply.head(
        206, ["Content-Range": "bytes 2000-2999/*", "Transfer-Encoding": "chunked"])
      return reply
    }) { server in
      let sink = RecordingSink(holding: Array(body.prefix(2000)))
      let error = await loopbackFetcher().failure(resuming(server.url, maxBytes: 9000), into: sink)
      #expect(error?.kind == .tooLarge)
      #expect(sink.bytes.count <= 9000)
    }
  }

  @Test("a part that ends before the file does, or goes on after it, is no success")
  func partOfTheRest() async throws {
    for (last, count, kind) in [
      (2999, 1000, TransferError.Kind.truncated), (4999, 2000, .truncated), (4999, 3500, .protocolViolation),
    ] {
      try await withServer({ _ in
        .status(206, patterned(count), ["Content-Range": "bytes 2000-\(last)/5000", "ETag": "\"v1\""])
      }) { server in
        let error = await loopbackFetcher().failure(resuming(server.url))
        #expect(error?.kind == kind)
      }
    }
  }

  @Test("an offset at the end of all numbers is refused without harm")
  func hugeOffset() async throws {
    try await withServer({ _ in .status(206, [1, 2], ["Content-Range": "bytes \(Int.max)-\(Int.max)/*"]) }) {
      server in
      let point = ResumePoint(offset: .max, validator: nil)
      let request = FetchRequest(url: server.url, maxBytes: .max, resume: point)
      #expect(await loopbackFetcher().failure(request)?.kind == .tooLarge)
    }
  }

  @Test("a weak entity tag is not sent as a validator")
  func weakTag() async throws {
    try await withServer({ [body] in .ranged(body, $0, etag: "W/\"v1\"") }) { server in
      let request = FetchRequest(
        url: server.url, maxBytes: 5000, resume: ResumePoint(offset: 2000, validator: "W/\"v1\""))
      let response = try await loopbackFetcher().fetch(request, into: MemorySink())
      #expect(response.resumedFrom == 2000)
      #expect(server.requests.first?.headers["if-range"] == nil)
    }
  }

  private func resuming(_ url: String, maxBytes: Int = 10_000) -> FetchRequest {
    FetchRequest(url: url, maxBytes: maxBytes, resume: ResumePoint(offset: 2000, validator: "\"v1\""))
  }
}
