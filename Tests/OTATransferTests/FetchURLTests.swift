import TestSupport
import Testing

@testable import OTATransfer

@Suite("Which URLs may be fetched")
struct FetchURLTests {
  @Test(
    "B38: https in any case, with a port, a query or an address",
    arguments: [
      "https://example.org", "HTTPS://example.org/x", "https://example.org:8443/a?b=c#d",
      "https://[2001:db8::1]/x",
      "https://192.0.2.1/x", "https://a-b_c.example.org/x@y", "https://example.org?x=a@b",
    ])
  func accepted(url: String) throws {
    #expect(try FetchURL(url, allowsPlainHTTPOnLoopback: false).isPlainHTTP == false)
  }

  @Test(
    "plain http to this machine, where that is allowed",
    arguments: [
      "http://127.0.0.1/", "http://127.0.0.1:80", "HTTP://LOCALHOST:8080/x", "http://[::1]:9/x",
      "http://127.255.0.9/",
    ])
  func loopback(url: String) throws {
    #expect(try FetchURL(url, allowsPlainHTTPOnLoopback: true).isPlainHTTP)
    #expect(throws: FetchURL.Refusal.plainHTTP) { try FetchURL(url, allowsPlainHTTPOnLoopback: false) }
  }

  @Test(
    "plain http to anything that only looks like this machine is refused",
    arguments: [
      "http://example.org/", "http://127.0.0.1.example.org/", "http://localhost.example.org/",
      "http://127.1/",
      "http://128.0.0.1/", "http://0127.0.0.1/", "http://127.0.0.256/", "http://[::2]/", "http://2130706433/",
      "http://127.0.0/", "http://127.0.0.1./", "http://127.0.0.01/", "http://0.0.0.0/",
      "http://[::ffff:127.0.0.1]/",
    ])
  func almostLoopback(url: String) {
    #expect(throws: FetchURL.Refusal.plainHTTP) { try FetchURL(url, allowsPlainHTTPOnLoopback: true) }
  }

  @Test(
    "B38: what hides another host, or is no URL at all, is refused",
    arguments: [
      "http://127.0.0.1:8080@127.0.0.2/", "https://user:word@example.org/", "https://@example.org/",
      "https://h\\@evil.example/", "https://exa mple.org/", "https://example.org/\r\nX: y",
      "https://example.org/\u{0}",
      "https://ex\u{e4}mple.org/", "https://", "https:///x", "https:example.org", "https:/example.org",
      "//example.org/x",
      "example.org", "", "https://example.org:/", "https://example.org:0/", "https://example.org:65536/",
      "https://example.org:80:80/", "https://[::1/", "https://[::1]x/", "https://[::g]/",
      "https://%31.example.org/",
      "file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "javascript:x",
      "ht tps://example.org/",
      "https://" + String(repeating: "a", count: 9000),
    ])
  func refused(url: String) {
    #expect(throws: FetchURL.Refusal.self) { try FetchURL(url, allowsPlainHTTPOnLoopback: true) }
  }

  @Test("B38: from https a redirect to http is refused, even to this machine")
  func downgrade() throws {
    let secure = try FetchURL("https://example.org/", allowsPlainHTTPOnLoopback: true)
    #expect(throws: FetchURL.Refusal.downgrade) {
      try secure.redirect(to: "http://127.0.0.1/", allowsPlainHTTPOnLoopback: true)
    }
    let plain = try FetchURL("http://127.0.0.1/", allowsPlainHTTPOnLoopback: true)
    #expect(
      try plain.redirect(to: "https://example.org/", allowsPlainHTTPOnLoopback: true).isPlainHTTP == false)
    #expect(try plain.redirect(to: "http://[::1]/", allowsPlainHTTPOnLoopback: true).isPlainHTTP)
  }

  @Test("plain http is refused by a fetcher with the default policy, before any connection")
  func defaultPolicy() async throws {
    try await withServer({ _ in .ok([1]) }) { server in
      let error = await CurlFetcher().failure(FetchRequest(url: server.url, maxBytes: 10))
      #expect(error?.kind == .refusedURL)
      #expect(server.requests.isEmpty)
    }
  }

  @Test("an upper-case scheme passes the check and reaches the network")
  func upperCaseScheme() async throws {
    let server = try LoopbackServer { _ in .notFound }
    server.stop()
    let error = await CurlFetcher().failure(
      FetchRequest(url: "HTTPS://127.0.0.1:\(server.port)/", maxBytes: 10))
    #expect(error?.kind == .refused)
  }

  @Test(
    "a printed URL has no credentials, query or control characters",
    arguments: [
      ("https://user:word@example.org/a?token=1", "https://example.org/a"),
      ("https://a@b@example.org/x#y", "https://example.org/x"),
      ("https://example.org/a@b", "https://example.org/a@b"),
      ("user:word@example.org", "example.org"),
      ("https://example.org/\u{1B}[31m", "https://example.org/?[31m"),
    ])
  func redaction(url: String, printed: String) {
    #expect(TransferError(.refusedURL, url: url, detail: "").url == printed)
  }
}
