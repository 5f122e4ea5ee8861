import Foundation
import OTATransfer
import TestSupport
import Testing

/// Asks sites on this machine, with short limits.
func loopbackSites(_ change: (inout SitePolicy) -> Void = { _ in }) -> CurlSiteFetcher {
  var policy = SitePolicy()
  policy.allowsLoopback = true
  policy.transfer.connectTimeout = .seconds(3)
  change(&policy)
  return CurlSiteFetcher(policy: policy)
}

extension SiteFetcher {
  /// The error of a request that must fail; `nil` when it did not.
  fileprivate func failure(_ request: SiteRequest) async -> TransferError? {
    do {
      _ = try await fetch(request)
      return nil
    } catch {
      return error
    }
  }
}

private let text = "a page, a page, a page, and one more page\n"

@Suite("What a site is asked and answers")
struct SiteTests {
  @Test("an error page is an answer, with its status and body and the fields that were asked for")
  func errorPage() async throws {
    try await withServer({ _ in
      .status(
        503, Array("just a moment".utf8),
        ["Content-Type": "text/html; charset=utf-8", "CF-Mitigated": "challenge", "X-Other": "1"])
    }) { server in
      let answer = try await loopbackSites { $0.keptFields = ["cf-mitigated"] }.fetch(
        SiteRequest(url: server.url))
      #expect(answer.status == 503)
      #expect(answer.body == Array("just a moment".utf8))
      #expect(
        answer.fields == ["content-type": "text/html; charset=utf-8", "cf-mitigated": "challenge"])
    }
  }

  @Test("a form is posted with its body, its type and no delay, and the fields of the parser win")
  func form() async throws {
    try await withServer({ _ in .ok([1]) }) { server in
      let fields = [
        SiteRequest.Field("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"),
        .init("X-Empty", ""), .init("User-Agent", "first"), .init("user-agent", "second"),
        .init("Host", "elsewhere.example"), .init("Content-Length", "3"),
      ]
      let body = Array("action=chapters&name=\u{3042}".utf8)
      _ = try await loopbackSites().fetch(
        SiteRequest(method: .post, url: server.url, fields: fields, body: body))
      let request = try #require(server.requests.first)
      #expect(request.method == "POST")
      #expect(request.body == body)
      #expect(request.headers["content-type"] == "application/x-www-form-urlencoded; charset=UTF-8")
      #expect(request.headers["content-length"] == "\(body.count)")
      #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
      #expect(request.headers["user-agent"] == "second")
      #expect(request.headers["x-empty"] == "")
      #expect(request.headers["expect"] == nil)
    }
  }

  @Test("HEAD brings a status and no body, and a POST may have an empty one")
  func emptyBodies() async throws {
    try await withServer({ _ in .ok(patterned(1000)) }) { server in
      let fetcher = loopbackSites()
      let head = try await fetcher.fetch(SiteRequest(method: .head, url: server.url))
      #expect(head.status == 200 && head.body.isEmpty)
      let post = try await fetcher.fetch(SiteRequest(method: .post, url: server.url))
      #expect(post.body.count == 1000)
      #expect(server.requests.map(\.method) == ["HEAD", "POST"])
      #expect(server.requests.last?.headers["content-length"] == "0")
    }
  }

  @Test(
    "a compressed body arrives decoded",
    arguments: [
      ("gzip", "H4sIAAAAAAAAA0tUKEhMT9VRSESn81IU8vNSFXLzi1LBQlwAHF0q9ioAAAA="),
      ("deflate", "eJxLVChITE/VUUhEp/NSFPLzUhVy84tSwUJcABySDW4="),
      ("br", "GykA+B2JcSyFN94jlGFvcA1CVuamFUBYzvQgisiij3RAhCY2dqFL5yQ="),
    ])
  func decoded(coding: String, base64: String) async throws {
    let body = try #require(Data(base64Encoded: base64)).map(\.self)
    try await withServer({ _ in .ok(body, headers: ["Content-Encoding": coding]) }) { server in
      let answer = try await loopbackSites().fetch(SiteRequest(url: server.url))
      #expect(String(decoding: answer.body, as: UTF8.self) == text)
      #expect(server.requests.first?.headers["accept-encoding"]?.contains(coding) == true)
    }
  }

  @Test("B18: a small compressed bomb is stopped at the limit of what it decodes to")
  func bomb() async throws {
    let bomb = try run("/bin/sh", ["-c", "head -c 60000000 /dev/zero | gzip -9"]).stdout
    #expect(bomb.count < 100_000)
    try await withServer({ _ in .ok(bomb, headers: ["Content-Encoding": "gzip"]) }) { server in
      let error = await loopbackSites { $0.maxBodyBytes = 1 << 20 }.failure(SiteRequest(url: server.url))
      #expect(error?.kind == .tooLarge)
    }
  }

  @Test("bodies that are too long, announced or endless, and damaged codings are refused")
  func badBodies() async throws {
    let replies: [String: HTTPReply] = [
      "/announced": .ok(patterned(20_000)), "/endless": .endless(patterned(9000)),
      "/damaged": .ok(Array("no gzip at all".utf8), headers: ["Content-Encoding": "gzip"]),
      "/unknown": .ok([1, 2, 3], headers: ["Content-Encoding": "sdch"]),
      "/cut": .dropped(patterned(5000), after: 100),
    ]
    try await withServer({ replies[$0.path] ?? .notFound }) { server in
      let fetcher = loopbackSites { $0.maxBodyBytes = 10_000 }
      let expected: [String: TransferError.Kind] = [
        "announced": .tooLarge, "endless": .tooLarge, "damaged": .unexpectedEncoding,
        "unknown": .unexpectedEncoding, "cut": .truncated,
      ]
      for (path, kind) in expected {
        #expect(await fetcher.failure(SiteRequest(url: server.url + path))?.kind == kind, "\(path)")
      }
    }
  }

  @Test("a cookie that a page sets goes with the next request, and not to another fetcher or path")
  func cookies() async throws {
    try await withServer({ request in
      switch request.path {
      case "/": .ok([1], headers: ["Set-Cookie": "pass=abc; Path=/inside; HttpOnly"])
      case "/end": .ok([1], headers: ["Set-Cookie": "pass=; Path=/inside; Max-Age=0"])
      default: request.headers["cookie"]?.contains("pass=abc") == true ? .ok([2]) : .status(403)
      }
    }) { server in
      let fetcher = loopbackSites()
      func status(_ path: String, of fetcher: CurlSiteFetcher) async throws -> Int {
        try await fetcher.fetch(SiteRequest(url: server.url + path)).status
      }
      #expect(try await status("inside/page", of: fetcher) == 403)
      _ = try await fetcher.fetch(SiteRequest(url: server.url))
      #expect(try await status("inside/page", of: fetcher) == 200)
      #expect(try await status("outside", of: fetcher) == 403)
      #expect(try await status("inside/page", of: loopbackSites()) == 403)
      _ = try await fetcher.fetch(SiteRequest(url: server.url + "end"))
      #expect(try await status("inside/page", of: fetcher) == 403)
    }
  }

  @Test("cookies of the parser itself join those of the jar in one field")
  func ownCookies() async throws {
    try await withServer({ _ in .ok([1], headers: ["Set-Cookie": "jar=1"]) }) { server in
      let fetcher = loopbackSites()
      _ = try await fetcher.fetch(SiteRequest(url: server.url))
      _ = try await fetcher.fetch(SiteRequest(url: server.url, fields: [.init("Cookie", "own=2")]))
      #expect(server.requests.last?.headers["cookie"] == "jar=1; own=2")
    }
  }

  @Test("a slow page is waited for up to the limit on the whole request, which silence passes")
  func time() async throws {
    try await withServer({ request in
      request.path == "/late"
        ? HTTPReply(
          head: [], steps: [.pause(milliseconds: 300), .send(HTTPReply.ok([7]).head + [7])],
          keepsAlive: false) : .silent
    }) { server in
      let fetcher = loopbackSites { $0.timeout = .seconds(1) }
      let late = try await fetcher.fetch(SiteRequest(url: server.url + "late"))
      #expect(late.body == [7])
      let start = ContinuousClock.now
      #expect(await fetcher.failure(SiteRequest(url: server.url + "never"))?.kind == .timedOut)
      #expect(ContinuousClock.now - start < .seconds(4))
    }
  }
}

@Suite("Where a site may lead")
struct SiteRedirectTests {
  @Test(
    "a redirect turns a POST into a GET, or keeps it, as browsers do",
    arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
  func methods(code: Int, method: String) async throws {
    try await withServer({ $0.path == "/" ? .redirect(to: "/there?a=b", code: code) : .ok([1]) }) { server in
      let request = SiteRequest(
        method: .post, url: server.url, fields: [.init("Content-Type", "text/plain"), .init("X-Kept", "1")],
        body: [65])
      let answer = try await loopbackSites().fetch(request)
      #expect(answer.finalURL == server.url + "there?a=b")
      #expect(answer.redirects == [server.url])
      let last = try #require(server.requests.last)
      #expect(last.method == method)
      #expect(last.body == (method == "POST" ? [65] : []))
      #expect(last.headers["content-type"] == (method == "POST" ? "text/plain" : nil))
      #expect(last.headers["x-kept"] == "1")
    }
  }

  @Test("passwords and cookies of the parser do not go to another host")
  func secretsStay() async throws {
    try await withServer({ request in
      request.headers["host"]?.hasPrefix("127") == true
        ? .redirect(to: "http://localhost:\(request.headers["host"]?.split(separator: ":").last ?? "")/")
        : .ok([1])
    }) { server in
      let fields = [
        SiteRequest.Field("Authorization", "Basic x"), .init("Cookie", "a=b"), .init("X-Kept", "1"),
      ]
      let answer = try await loopbackSites().fetch(SiteRequest(url: server.url, fields: fields))
      #expect(answer.finalURL == "http://localhost:\(server.port)/")
      let (first, last) = (server.requests[0].headers, server.requests[1].headers)
      #expect(first["authorization"] == "Basic x" && first["cookie"] == "a=b")
      #expect(last["authorization"] == nil && last["cookie"] == nil && last["x-kept"] == "1")
    }
  }

  @Test("a redirect without a target is the answer itself; a loop is given up")
  func oddRedirects() async throws {
    try await withServer({ $0.path == "/" ? .status(302, [1]) : .redirect(to: "/again") }) { server in
      let answer = try await loopbackSites().fetch(SiteRequest(url: server.url))
      #expect(answer.status == 302)
      #expect(
        await loopbackSites().failure(SiteRequest(url: server.url + "loop"))?.kind == .tooManyRedirects)
    }
  }

  @Test(
    "B38: other schemes are refused, first and as the target of a redirect",
    arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "data:text/plain,x"])
  func schemes(url: String) async throws {
    #expect(await loopbackSites().failure(SiteRequest(url: url))?.kind == .refusedURL)
    try await withServer({ _ in .redirect(to: url) }) { server in
      #expect(await loopbackSites().failure(SiteRequest(url: server.url))?.kind == .refusedURL)
    }
  }

  @Test("this machine is no site unless that is allowed, however it is spelled")
  func localAddresses() async throws {
    try await withServer({ _ in .ok([1]) }) { server in
      let hosts = [
        "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "[::ffff:127.0.0.1]",
      ]
      for host in hosts {
        let error = await CurlSiteFetcher().failure(SiteRequest(url: "http://\(host):\(server.port)/"))
        #expect(error?.kind == .refusedURL, "\(host): \(String(describing: error))")
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    "addresses of local networks are refused even where loopback is allowed",
    arguments: [
      "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
      "[fe80::1]", "[fd00::1]", "[64:ff9b::a00:1]", "[::ffff:10.0.0.1]",
    ])
  func localNetworks(host: String) async throws {
    let error = await loopbackSites().failure(SiteRequest(url: "http://\(host):9/"))
    #expect(error?.kind == .refusedURL, "\(String(describing: error))")
  }

  @Test(
    "a field that would begin another one, or that HTTP has no name for, is not sent",
    arguments: [("X", "a\r\nHost: b"), ("X\r\nY", "a"), ("", "a"), ("X Y", "a"), ("X", "a\u{0}")])
  func badFields(name: String, value: String) async throws {
    try await withServer({ _ in .ok([1]) }) { server in
      let request = SiteRequest(url: server.url, fields: [.init(name, value)])
      #expect(await loopbackSites().failure(request)?.kind == .refusedRequest)
      #expect(server.requests.isEmpty)
    }
  }

  @Test("a name without an address is told apart from a host that does not answer")
  func unknownHost() async throws {
    let server = try LoopbackServer { _ in .notFound }
    server.stop()
    #expect(await loopbackSites().failure(SiteRequest(url: server.url))?.kind == .refused)
    #expect(
      await loopbackSites().failure(SiteRequest(url: "http://no-such-host.invalid/"))?.kind == .unknownHost)
  }

  @Test("certificates are checked for sites too")
  func certificates() async throws {
    let tls = try TLSServer.shared.get()
    let fetcher = loopbackSites { $0.transfer.certificateFile = tls.authorityFile }
    #expect(try await fetcher.fetch(SiteRequest(url: tls.url(.good))).body == TLSServer.body)
    #expect(await fetcher.failure(SiteRequest(url: tls.url(.expired)))?.kind == .tlsExpired)
  }
}
