import OTATransfer
import TestSupport
import Testing

@Suite("Answers of odd hosts")
struct OddAnswerTests {
  @Test(
    "N33: bytes under a wrong label arrive as they are, and the label is told",
    arguments: [
      ("aws-chunked", "aws-chunked"), ("utf-8", "utf-8"), ("br", "br"), (" GZIP ", "gzip"),
      ("identity, br", "br"), ("identity, identity", nil), ("Identity", nil), ("", nil),
    ] as [(String, String?)])
  func label(field: String, claimed: String?) async throws {
    try await withServer({ _ in .ok(patterned(5000), headers: ["Content-Encoding": field]) }) { server in
      let sink = RecordingSink()
      let request = FetchRequest(url: server.url, maxBytes: 5000)
      let response = try await loopbackFetcher().fetch(request, into: sink)
      #expect(sink.bytes == patterned(5000))
      #expect(response.claimedCoding == claimed)
    }
  }

  @Test("N33: a success with a body is an answer, whatever its number", arguments: [200, 201, 202, 203, 218])
  func otherSuccess(status: Int) async throws {
    try await withServer({ _ in .status(status, patterned(300)) }) { server in
      let arrived = try await loopbackFetcher().bytes(server.url)
      #expect(arrived == patterned(300))
    }
  }

  @Test("a success that has no body by its number is not the file", arguments: [204, 205])
  func withoutBody(status: Int) async throws {
    try await withServer({ _ in .status(status, []) }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 10))
      #expect(error?.kind == .httpStatus && error?.status == status)
    }
  }

  @Test("N32: what is gone is said to be gone")
  func gone() async throws {
    try await withServer({ _ in .status(410) }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 10))
      #expect(error?.kind == .notFound && error?.detail == "the file is gone from the server (HTTP 410)")
    }
  }

  @Test(
    "B95: a reset stream or GOAWAY is tried once more over HTTP/1.1",
    arguments: BrokenHTTP2Server.Fault.allCases)
  func brokenHTTP2(fault: BrokenHTTP2Server.Fault) async throws {
    let tls = try TLSServer.shared.get()
    let server = try BrokenHTTP2Server(fault, certificatesOf: tls)
    let fetcher = loopbackFetcher { $0.certificateFile = tls.authorityFile }
    let sink = RecordingSink()
    let response = try await fetcher.fetch(FetchRequest(url: server.url, maxBytes: 6000), into: sink)
    #expect(response.status == 200)
    #expect(sink.bytes == BrokenHTTP2Server.body)
    #expect(server.requests == ["h2", "http/1.1"])
    // What was there before is not spliced with what a second attempt brings.
    let held = RecordingSink(holding: Array(BrokenHTTP2Server.body.prefix(200)))
    let rest = FetchRequest(
      url: server.url, maxBytes: 6000, resume: ResumePoint(offset: 200, validator: nil))
    _ = try await fetcher.fetch(rest, into: held)
    #expect(held.bytes == BrokenHTTP2Server.body)
  }

  @Test("B95: when HTTP/1.1 breaks as well, that is the end: two requests")
  func brokenTwice() async throws {
    let tls = try TLSServer.shared.get()
    let server = try BrokenHTTP2Server(.reset, breaksHTTP1: true, certificatesOf: tls)
    let fetcher = loopbackFetcher { $0.certificateFile = tls.authorityFile }
    let error = await fetcher.failure(FetchRequest(url: server.url, maxBytes: 6000))
    #expect(error?.kind == .truncated)
    #expect(server.requests == ["h2", "http/1.1"])
  }

  @Test("4a: a drip that never stalls ends with the total limit, which grows with the size")
  func drip() async throws {
    let fetcher = loopbackFetcher {
      $0.stall = .init(bytesPerSecond: 1, seconds: 1)
      $0.total = .init(start: .milliseconds(500), bytesPerSecond: 20_000)
    }
    try await withServer({ _ in .slow(patterned(20_000), bytesPerStep: 200, every: 20) }) { server in
      let start = ContinuousClock.now
      let error = await fetcher.failure(FetchRequest(url: server.url, maxBytes: 20_000))
      #expect(error?.kind == .timedOut && error?.detail == "no whole answer in 1.5 s")
      #expect(start.duration(to: .now) >= .milliseconds(1500))
      // Two seconds of body within a limit for more bytes: the same rate completes.
      let sink = MemorySink()
      _ = try await fetcher.fetch(FetchRequest(url: server.url, maxBytes: 400_000), into: sink)
      #expect(sink.bytes == patterned(20_000))
      // What a transfer shares with others is spent by it, and ends it.
      let budget = TransferBudget(.milliseconds(300))
      let hurried = FetchRequest(url: server.url, maxBytes: 400_000, budget: budget)
      #expect(await fetcher.failure(hurried)?.detail == "no whole answer in 0.3 s")
      #expect(budget.remaining <= .zero)
    }
  }
}
