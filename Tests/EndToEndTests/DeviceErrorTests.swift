import Foundation
import Glibc
import TestSupport
import Testing

/// Check 8 of the contract, the part about devices and servers.
@Suite(.ownThreads) struct DeviceErrorTests {
  typealias Failures = ErrorTextTests.Failures

  @Test("check 8: what a device cannot do is said with what to do instead")
  func device() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let failures = Failures(playground)
      try failures.expect("device fail --store store", 1, "the embedded copy is running")
      try failures.expect("device rollback --store store", 1, "embedded copy")
      try failures.expect("device pin 99 --store store", 1, "release 99")
      try failures.expect("device forget 99 --store store", 1, "release 99")
      try failures.expect("device confirm --store store --release 99", 1, "release 99")
      try failures.expect("device confirm --store store --launch now", 2, "--launch now")
      try failures.expect("device pin next --store store", 2, "VERSION next")
      try failures.expect("device activate --store store --print all", 2, "--print all")
      try failures.expect("device explain --store store --manifest sources.json", 3, "sources.json")
      try playground.write("store/device.json", "{\"format\":1,\"trust\":\"checksums-only\",\"feed\":7}")
      try failures.expect("device status --store store", 5, "device.json", "feed")
      try playground.write("store/device.json", "{\"format\":1,\"trust\":\"hope\",\"feed\":\"feed\"}")
      try failures.expect("device status --store store", 5, "device.json", "trust")
      try playground.write("store/device.json", "")
      try failures.expect("device status --store store", 5, "device.json")
      try failures.expect("source resolve --sources bundle-1.js ALPHA", 3, "bundle-1.js")
      try failures.expect(
        "source resolve --sources sources.json --manifest sources.json ALPHA", 3, "sources.json")
      #expect(failures.texts.count >= 12, "\(failures.texts)")
    }
  }

  @Test("check 8: the settings of a device are refused by option")
  func settings() throws {
    try withPlayground { playground in
      try playground.makeApp()
      let failures = Failures(playground)
      let rest = "device init --store store --checksums-only --embedded app --feed"
      try failures.expect(
        "\(rest) http://parsers.example/", 2, "--feed http://parsers.example/", "plain http")
      try failures.expect("\(rest) http://127.0.0.1:1/", 2, "--feed http://127.0.0.1:1/", "this machine")
      try failures.expect("\(rest) https://parsers.example/?latest", 2, "--feed", "query")
      try failures.expect("\(rest) ftp://parsers.example/", 2, "--feed")
      try failures.expect("\(rest) https://", 2, "--feed")
      try failures.expect("\(rest) file:feed", 2, "--feed")
      try failures.expect("\(rest) feed --channel Beta", 2, "--channel Beta")
      try failures.expect("\(rest) feed --app-version x", 2, "--app-version x")
      try failures.expect("\(rest) feed --contract x", 2, "--contract x")
      try failures.expect("\(rest) feed --unconfirmed-launches 0", 2, "--unconfirmed-launches 0")
      try playground.write("app/parsers.bundle.js", "var NyoraParsers;")
      try failures.expect("\(rest) feed", 3, "--embedded")
      try playground.remove("app/manifest.json")
      try failures.expect("\(rest) feed", 3, "--embedded", "manifest.json")
      #expect(failures.texts.count == 12, "\(failures.texts)")
    }
  }

  /// What a server does, what the device makes of it, and what the text must say.
  struct Server: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let status: Int32
    let code: String
    let reply: HTTPReply
  }

  static let servers = [
    Server(testDescription: "404", status: 4, code: "not-found", reply: .notFound),
    Server(testDescription: "403", status: 8, code: "forbidden", reply: .status(403)),
    Server(
      testDescription: "429", status: 4, code: "throttled", reply: .status(429, [], ["Retry-After": "60"])),
    Server(testDescription: "500", status: 4, code: "server-error", reply: .status(500)),
    Server(
      testDescription: "B17 a page", status: 4, code: "html-instead",
      reply: .ok(Array("<!DOCTYPE html><title>Login</title>".utf8), contentType: "text/html")),
    Server(
      testDescription: "cut off", status: 4, code: "truncated",
      reply: .dropped(Array(repeating: 0x20, count: 500), after: 100)),
    Server(
      testDescription: "too large", status: 3, code: "too-large",
      reply: .ok(Array(repeating: 0x20, count: 70_000))),
    Server(
      testDescription: "redirect to another host", status: 3, code: "forbidden-url",
      reply: .redirect(to: "http://parsers.example/manifest.json")),
  ]

  @Test("check 8: what a server does wrong is named, and what runs is kept", arguments: servers)
  func server(server: Server) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let host = try LoopbackServer { _ in server.reply }
      defer { host.stop() }
      try playground.initDevice(feed: host.url, "--allow-http-loopback")
      for verb in ["check", "update"] {
        let answer = try playground.tool.json("device \(verb) --store store", status: server.status)
        #expect(answer.code == server.code)
        #expect(answer.message.contains("manifest.json"), "\(answer.answer)")
        #expect(answer.string("kept") != nil || answer.string("hint") != nil, "\(answer.answer)")
      }
      let status = try playground.tool.json("device status --store store")
      #expect(status.number("current.version") == 2)
      #expect(status.string("lastProblem.code") == server.code)
      #expect(status.string("lastProblem.date")?.hasSuffix("Z") == true)
    }
  }

  @Test("check 8: a host that is not there is named, and nothing is lost")
  func unreachable() throws {
    try withPlayground { playground in
      try playground.makeApp()
      let host = try LoopbackServer { _ in .notFound }
      let url = host.url
      host.stop()
      try playground.initDevice(feed: url, "--allow-http-loopback")
      let failures = Failures(playground)
      try failures.expect("device update --store store", 4, url)
      try failures.expect("verify --feed \(url) --allow-http-loopback", 4, url)
      try failures.expect("init --feed other --checksums-only --adopt \(url) --allow-http-loopback", 4, url)
    }
  }

  @Test(
    "B17: a page in place of a file is refused, condemns nothing, and the next update works",
    arguments: ["bundle.js", "sources.json"])
  func pageInstead(file: String) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.write("sources.json", Fixtures.smallCatalog(ids: Playground.ids + ["DELTA"]))
      try playground.publish(3)
      let (root, flag) = (playground.path("feed"), playground.path("logged-in"))
      let page = Array("<!DOCTYPE html>\n<title>Please log in</title>".utf8)
      let server = try LoopbackServer { request in
        let isPage = request.path.hasSuffix(file) && access(flag, F_OK) != 0
        return isPage ? .ok(page, contentType: "text/html") : .directory(root, request)
      }
      defer { server.stop() }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      for _ in 0..<3 {
        let answer = try playground.tool("device update --store store")
        #expect([3, 4].contains(answer.code), "\(answer)")
        #expect(answer.line("error")?.contains(file) == true, "\(answer)")
        #expect(answer.line("kept") != nil, "\(answer)")
      }
      let status = try playground.tool.json("device status --store store")
      #expect(status.list("rejected").isEmpty)
      #expect(status.number("current.version") == 2)
      try playground.write("logged-in", "")
      #expect(try playground.tool.json("device update --store store").code == "staged")
    }
  }

  @Test(
    "B17: the type that a server announces decides nothing",
    arguments: ["text/plain", "text/html", "application/xml", nil])
  func contentType(type: String?) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let root = playground.path("feed")
      let server = try LoopbackServer { request in
        FileManager.default.contents(atPath: root + request.path).map { .ok(Array($0), contentType: type) }
          ?? .notFound
      }
      defer { server.stop() }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      #expect(try playground.tool.json("device update --store store").code == "staged")
    }
  }
}
