import OTATransfer
import TestSupport
import Testing

@Suite("Redirects")
struct RedirectTests {
  @Test("ten hops are followed, and only the last body arrives")
  func tenHops() async throws {
    try await withServer({ hop($0, last: 10) }) { server in
      let sink = RecordingSink()
      let request = FetchRequest(url: server.url + "0", maxBytes: 100)
      let response = try await loopbackFetcher().fetch(request, into: sink)
      #expect(response.finalURL == server.url + "10")
      #expect(sink.bytes == Array("arrived".utf8))
      #expect(sink.begun.count == 1)
      #expect(Set(server.requests.map(\.connection)).count == 1)
    }
  }

  @Test("the eleventh hop and a loop are too many")
  func tooMany() async throws {
    try await withServer({ hop($0, last: 11) }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url + "0", maxBytes: 100))
      #expect(error?.kind == .tooManyRedirects)
      #expect(server.requests.count == 11)
    }
    try await withServer({ _ in .redirect(to: "/again") }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100))
      #expect(error?.kind == .tooManyRedirects)
    }
  }

  @Test(
    "B38: a redirect to plain http, to another scheme or with credentials is refused",
    arguments: [
      "http://192.0.2.1/x", "http://127.0.0.1.example.org/", "http://127.0.0.1:8080@127.0.0.2/x",
      "file:///etc/passwd",
      "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "//user@127.0.0.1/x", "http://127.0.0.1\\@192.0.2.1/",
      "data:text/plain,x", "http://[::1/x", "http:///x",
    ])
  func forbiddenTargets(target: String) async throws {
    try await withServer({ _ in .redirect(to: target) }) { server in
      let sink = RecordingSink()
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100), into: sink)
      #expect(error?.kind == .refusedURL)
      #expect(error?.status == 302)
      #expect(sink.begun.isEmpty)
      #expect(server.requests.count == 1)
    }
  }

  @Test("the body of a redirect is not delivered, and an endless one is not read to its end")
  func redirectBody() async throws {
    try await withServer({ request in
      request.path == "/" ? .status(302, Array("moved".utf8), ["Location": "/there"]) : .ok([1])
    }) { server in
      let arrived = try await loopbackFetcher().bytes(server.url)
      #expect(arrived == [1])
    }
    try await withServer({ _ in
      HTTPReply(
        head: HTTPReply.head(302, ["Location": "/there"]), steps: [.sendForever(patterned(9000))],
        keepsAlive: false)
    }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100))
      #expect(error?.kind == .protocolViolation)
    }
  }

  @Test("a redirect without a Location is a violation of the protocol")
  func noLocation() async throws {
    try await withServer({ _ in .status(302) }) { server in
      let error = await loopbackFetcher().failure(FetchRequest(url: server.url, maxBytes: 100))
      #expect(error?.kind == .protocolViolation)
    }
  }

  @Test("what the head of a redirect says does not count for the answer behind it")
  func headsDoNotMix() async throws {
    try await withServer({ request in
      request.path == "/"
        ? .status(302, [], ["Location": "/there", "Content-Encoding": "gzip", "ETag": "\"old\""]) : .ok([1])
    }) { server in
      let response = try await loopbackFetcher().fetch(
        FetchRequest(url: server.url, maxBytes: 9), into: MemorySink())
      #expect(response.entityTag == nil)
    }
  }
}

/// `/0` leads to `/1` and so on; the last one answers.
private func hop(_ request: HTTPRequest, last: Int) -> HTTPReply {
  let number = Int(request.path.dropFirst()) ?? 0
  return number == last ? .ok(Array("arrived".utf8)) : .redirect(to: "/\(number + 1)")
}
