import Glibc
import OTATransfer
import TestSupport
import Testing

/// Each runs in a process of its own, because the proxy comes from the environment of the process.
@Suite("Proxies of the environment")
struct ProxyTests {
  private static let url = "https://feed.invalid/manifest.json"

  @Test("a proxy that asks for a password, or refuses, is the proxy's fault")
  func refusingProxy() async {
    await #expect(processExitsWith: .success) {
      for status in [407, 403, 502] {
        let proxy = try LoopbackServer { _ in .status(status) }
        setenv("https_proxy", proxy.url, 1)
        let error = await loopbackFetcher().failure(FetchRequest(url: ProxyTests.url, maxBytes: 10))
        #expect(error?.kind == .proxy)
        #expect(error?.detail.contains(" of https_proxy ") == true)
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
        proxy.stop()
      }
    }
  }

  @Test("B24: a proxy that never answers CONNECT is a timeout")
  func silentProxy() async {
    await #expect(processExitsWith: .success) {
      let proxy = try LoopbackServer { _ in .silent }
      setenv("HTTPS_PROXY", proxy.url, 1)
      let fetcher = loopbackFetcher { $0.connectTimeout = .seconds(1) }
      let error = await fetcher.failure(FetchRequest(url: ProxyTests.url, maxBytes: 10))
      #expect(error?.kind == .timedOut)
      #expect(error?.detail.contains(" of HTTPS_PROXY ") == true)
      #expect(proxy.requests.count == 1)
      proxy.stop()
    }
  }

  @Test("a proxy whose name is unknown is the proxy's fault")
  func unknownProxy() async {
    await #expect(processExitsWith: .success) {
      setenv("https_proxy", "http://no-such-proxy.invalid:3128", 1)
      let error = await loopbackFetcher().failure(FetchRequest(url: ProxyTests.url, maxBytes: 10))
      #expect(error?.kind == .proxy)
    }
  }

  @Test(
    "B75: a proxy that is not there is named, with the variable that sets it",
    arguments: [
      "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ])
  func deadProxy(variable: String) async {
    await #expect(processExitsWith: .success) { [variable] in
      setenv(variable, "http://user:secret@127.0.0.1:1", 1)
      let error = await loopbackFetcher().failure(FetchRequest(url: ProxyTests.url, maxBytes: 10))
      #expect(error?.kind == .proxy)
      #expect(
        error?.detail.hasPrefix("the proxy 127.0.0.1:1 of \(variable) does not answer: ") == true,
        "\(error?.detail ?? "")")
      #expect(error?.detail.contains("secret") == false)
    }
  }

  @Test("B75: a host that goes past the proxy is not the proxy's fault")
  func exception() async {
    await #expect(processExitsWith: .success) {
      setenv("https_proxy", "http://127.0.0.1:1", 1)
      setenv("no_proxy", "other.example, .invalid", 1)
      let error = await loopbackFetcher().failure(FetchRequest(url: ProxyTests.url, maxBytes: 10))
      #expect(error?.kind == .unknownHost)
    }
  }

  @Test("plain http to this machine never passes a proxy")
  func loopbackBypass() async {
    await #expect(processExitsWith: .success) {
      let proxy = try LoopbackServer { _ in .notFound }
      let server = try LoopbackServer { _ in .ok([1]) }
      setenv("http_proxy", proxy.url, 1)
      setenv("all_proxy", proxy.url, 1)
      let arrived = try await loopbackFetcher().bytes(server.url)
      #expect(arrived == [1])
      #expect(proxy.requests.isEmpty)
      server.stop()
      proxy.stop()
    }
  }
}
