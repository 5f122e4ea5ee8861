import Foundation
import TestSupport
import Testing

/// What a person reads about hosts and file systems at a shell.
@Suite(.ownThreads) struct HostVerbTests {
  private static let page = Array("<!doctype html><title>App</title>".utf8)

  /// Serves the folder `feed` and a page for everything else.
  private func singlePageHost(_ root: String) throws -> LoopbackServer {
    try LoopbackServer { request in
      FileManager.default.contents(atPath: root + request.path).map { .ok(Array($0)) }
        ?? .ok(Self.page, contentType: "text/html")
    }
  }

  @Test("N31: verify names a host that answers everything as an error of a signed feed, with the settings")
  func verifySigned() throws {
    try withPlayground { playground in
      try playground.makeSignedFeed()
      let host = try singlePageHost(playground.path("signed"))
      defer { host.stop() }
      let line = "verify --feed \(host.url) --root signed/metadata/1.root.json --allow-http-loopback"
      let answer = try playground.tool.json(line, status: 3)
      #expect(answer.code == "host-answers-everything")
      #expect(answer.list("findings").count == 1, "\(answer.answer)")
      for word in ["single-page fallback", "Cloudflare", "Netlify", "Vercel", "nginx: try_files $uri =404"] {
        #expect(answer.message.contains(word), "\(word)")
      }
    }
  }

  @Test("N31: on an unsigned feed it is a warning, and a page is not taken for a root")
  func verifyUnsigned() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let host = try singlePageHost(playground.path("feed"))
      defer { host.stop() }
      let answer = try playground.tool.json("verify --feed \(host.url) --allow-http-loopback")
      #expect(answer.code == "verified")
      #expect(answer.string("findings.0.code") == "host-answers-everything")
      #expect(answer.list("findings").count == 1, "\(answer.answer)")
    }
  }

  @Test("B76: device check and update leave a host alone that asked for a pause, and --now asks")
  func pause() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      let host = try LoopbackServer { _ in .status(429, [], ["Retry-After": "3600"]) }
      defer { host.stop() }
      try playground.initDevice(feed: host.url, "--allow-http-loopback")
      for (verb, requests) in [
        ("update", 1), ("update", 1), ("check", 1), ("update --now", 2), ("check", 2),
      ] {
        let answer = try playground.tool.json("device \(verb) --store store", status: 4)
        #expect(answer.code == "throttled" && host.requests.count == requests, "\(answer.answer)")
      }
      let answer = try playground.tool("device update --store store")
      #expect(answer.line("error")?.hasPrefix("asked too soon, again at 2") == true, "\(answer)")
      #expect(answer.line("hint")?.contains("--now") == true)
      let status = try playground.tool.json("device status --store store")
      #expect(status.string("askedAgainAt")?.hasSuffix("Z") == true)
      #expect(status.string("lastProblem.code") == "throttled")
    }
  }

  @Test(
    "N37: publish and update work on a file system that keeps no modes", arguments: ["EPERM", "EOPNOTSUPP"])
  func noModes(code: String) throws {
    let strace = "/usr/bin/strace"
    guard (try? run(strace, ["-o", "/dev/null", "/bin/true"]).status) == .exited(0) else { return }
    try withPlayground { playground in
      try playground.makeDevice()
      func through(_ line: String) throws -> ChildResult {
        let tool = try Tool.path()
        let inject = ["-f", "-qq", "-o", "/dev/null", "-e", "inject=fchmod:error=\(code)"]
        return try run(
          "/bin/sh",
          ["-c", "umask 022; exec \"$@\"", "sh", strace] + inject + [tool]
            + WithoutEngine.arguments(line.split(separator: " ").map(String.init)),
          environment: playground.tool.variables, directory: playground.directory.path)
      }
      let publish = try through("publish --feed feed --bundle bundle-3.js --sources sources.json")
      #expect(publish.status == .exited(0), "\(publish.errors)")
      let update = try through("device update --store store")
      #expect(update.status == .exited(0), "\(update.errors)")
      #expect(try playground.tool.json("device activate --store store").number("version") == 3)
      try playground.must("verify --feed feed")
      let key = try through("key generate --out usb.pem")
      #expect(key.status == .exited(0), "\(key.errors)")
    }
  }
}
