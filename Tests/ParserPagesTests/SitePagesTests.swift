import OTATransfer
import ParserEngine
import TestSupport
import Testing

@testable import ParserPages

private func withSite(
  _ respond: @escaping @Sendable (HTTPRequest) -> HTTPReply, _ test: (LoopbackServer) async throws -> Void
) async throws {
  let server = try LoopbackServer(respond)
  defer { server.stop() }
  try await test(server)
}

extension PageAnswer {
  fileprivate var page: Page? { if case .page(let page) = self { page } else { nil } }
  fileprivate var fault: PageFault? { if case .fault(let fault) = self { fault } else { nil } }
}

@Suite("Pages of sites")
struct SitePagesTests {
  private let pages = SitePages(allowsLoopback: true, timeout: .seconds(2))

  @Test("a GET goes out as apps send it, and the parser's own fields win")
  func appFields() async throws {
    try await withSite({ _ in .ok([1]) }) { server in
      _ = await pages.answer(
        PageRequest(
          method: "GET", url: server.url, headers: [.init("accept", "application/json")],
          domain: "reader.example", source: "A"))
      let fields = try #require(server.requests.first).headers
      #expect(fields["user-agent"]?.contains("Mobile/15E148 Safari") == true)
      #expect(fields["accept"] == "application/json")
      #expect(fields["accept-language"] == "en-US,en;q=0.9")
      #expect(fields["referer"] == "https://reader.example/")
      #expect(fields["origin"] == nil && fields["x-requested-with"] == nil)
    }
  }

  @Test("a POST goes out as the form of a page; without a domain it names the site itself")
  func formFields() async throws {
    try await withSite({ _ in .ok([1]) }) { server in
      let body = Array("action=list".utf8)
      _ = await pages.answer(PageRequest(method: "POST", url: server.url + "ajax", body: body))
      let request = try #require(server.requests.first)
      #expect(request.body == body)
      #expect(request.headers["referer"] == server.url)
      #expect(request.headers["origin"] == String(server.url.dropLast()))
      #expect(request.headers["x-requested-with"] == "XMLHttpRequest")
      #expect(request.headers["content-type"] == "application/x-www-form-urlencoded; charset=UTF-8")
    }
  }

  @Test("bytes, charset, status and the address behind a redirect arrive as they are")
  func wholePage() async throws {
    let bytes: [UInt8] = [0, 255, 0x83, 0x65, 10]
    try await withSite({ request in
      request.path == "/old"
        ? .redirect(to: "/new")
        : .status(404, bytes, ["Content-Type": "text/html; charset=\"Shift_JIS\""])
    }) { server in
      let answer = await pages.answer(PageRequest(method: "GET", url: server.url + "old"))
      #expect(
        answer
          == .page(Page(status: 404, finalURL: server.url + "new", charset: "shift_jis", body: bytes)))
    }
  }

  @Test("a URL is escaped as browsers do before it goes out")
  func escaped() async throws {
    try await withSite({ _ in .ok([1]) }) { server in
      _ = await pages.answer(
        PageRequest(method: "GET", url: " \(server.url)a b/\u{3042}?q=%20|x&s=\u{e9}#top\n"))
      #expect(server.requests.first?.target == "/a%20b/%E3%81%82?q=%20%7Cx&s=%C3%A9")
    }
  }

  @Test("a Cloudflare challenge is named as such, by its field or by status and marker")
  func challenges() async throws {
    let challenges: [HTTPReply] = [
      .status(403, [], ["Cf-Mitigated": "challenge"]),
      .status(503, Array("<title>Just a moment...</title>".utf8)),
      .status(403, Array("<script>window._cf_chl_opt={};a='/cdn-cgi/challenge-platform/x'".utf8)),
      .status(429, Array("<div class=\"cf-turnstile\">".utf8)),
      .status(503, Array("<form id=\"challenge-form\" class=\"cf-browser-verification\">".utf8)),
    ]
    try await withSite({ challenges[Int($0.path.dropFirst()) ?? 0] }) { server in
      for number in challenges.indices {
        let answer = await pages.answer(PageRequest(method: "GET", url: server.url + "\(number)"))
        #expect(answer.fault?.code == "challenge", "\(number)")
        #expect(answer.fault?.status != nil)
      }
    }
  }

  @Test("a page of the site with such words, and an error page without them, are pages")
  func noChallenges() async throws {
    let replies: [HTTPReply] = [
      .status(200, Array("<p>just a moment, turnstile".utf8)), .status(403, Array("forbidden".utf8)),
      .status(404, Array("just a moment".utf8)),
    ]
    try await withSite({ replies[Int($0.path.dropFirst()) ?? 0] }) { server in
      for (number, status) in [200, 403, 404].enumerated() {
        let answer = await pages.answer(PageRequest(method: "GET", url: server.url + "\(number)"))
        #expect(answer.page?.status == status)
      }
    }
  }

  @Test("what is no page has a code of its own")
  func faults() async throws {
    try await withSite({ $0.path == "/silent" ? .silent : .redirect(to: "/again") }) { server in
      let quick = SitePages(allowsLoopback: true, timeout: .milliseconds(300))
      #expect(
        await quick.answer(PageRequest(method: "GET", url: server.url + "silent")).fault?.code == "timed-out")
      let expected = [
        (server.url, "too-many-redirects"), ("file:///etc/passwd", "refused-url"),
        ("/manga/x", "refused-url"),
        ("http://no-such-host.invalid/", "unknown-host"), ("http://10.0.0.1/", "refused-url"),
      ]
      for (url, code) in expected {
        #expect(await pages.answer(PageRequest(method: "GET", url: url)).fault?.code == code, "\(url)")
      }
      let strict = SitePages()
      #expect(
        await strict.answer(PageRequest(method: "GET", url: server.url)).fault?.code == "refused-url")
    }
  }

  @Test("every code has advice, and every kind of transfer error has a code")
  func codes() {
    for code in PageFaultCode.allCases { #expect(!code.advice.isEmpty) }
    let server = PageFault(
      TransferError(.server, url: "https://a/", status: 500, detail: "x"), url: "https://a/")
    #expect(server.code == "http-status" && server.status == 500)
  }

  @Test("a page that nobody put in is not there")
  func stubs() async {
    let page = PageAnswer.page(Page(status: 200, finalURL: "https://a/", body: [1]))
    let stub = StubPages(["https://a/": page])
    #expect(await stub.answer(PageRequest(method: "GET", url: "https://a/")) == page)
    #expect(await stub.answer(PageRequest(method: "GET", url: "https://b/")).fault?.code == "not-recorded")
    #expect(await StubPages(fallback: page).answer(PageRequest(method: "GET", url: "https://b/")) == page)
  }
}
