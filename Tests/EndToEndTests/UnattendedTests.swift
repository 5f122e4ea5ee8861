import Foundation
import Glibc
import TestSupport
import Testing

/// B70: nothing ever waits for somebody who is not there.
@Suite(.ownThreads) struct UnattendedTests {
  private static let rollback = "rollback --feed feed"

  private func withFeed(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try body(playground)
    }
  }

  @Test("B70: at a terminal, --yes asks nothing and --json asks nothing")
  func yes() throws {
    try withFeed { playground in
      let json = try Terminal(tool: playground.tool)("\(Self.rollback) --json")
      #expect(json.code == 2, "\(json)")
      #expect(!json.output.contains("[y/N]"), "\(json)")
      let answer = try Terminal(tool: playground.tool)("\(Self.rollback) --yes")
      #expect(answer.code == 0, "\(answer)")
      #expect(!answer.output.contains("[y/N]"), "\(answer)")
    }
  }

  @Test(
    "B70: at a terminal the question waits for an answer, and only yes is yes",
    arguments: ["y\n", "n\n", "\n", "\u{4}"])
  func question(typed: String) throws {
    try withFeed { playground in
      let answer = try Terminal(tool: playground.tool)(Self.rollback, typing: typed)
      #expect(answer.output.contains("publish release 3 with the content of release 1"), "\(answer)")
      #expect(answer.output.contains("[y/N]"), "\(answer)")
      #expect(answer.code == (typed == "y\n" ? 0 : 1), "\(answer)")
      let live = try playground.tool.json("releases --feed feed").number("releases.0.version")
      #expect(live == (typed == "y\n" ? 3 : 2))
    }
  }

  @Test("B70: in CI a terminal is nobody: the flag to give is named at once")
  func continuousIntegration() throws {
    try withFeed { playground in
      var tool = playground.tool
      tool.environment = ["CI": "1"]
      let answer = try Terminal(tool: tool)(Self.rollback)
      #expect(answer.code == 2, "\(answer)")
      #expect(answer.output.contains("add --yes"), "\(answer)")
    }
  }

  @Test(
    "B70: with standard input closed, empty or not a terminal, it ends at once and names --yes",
    arguments: ["<&-", "</dev/null", "<sources.json", "| cat", "2>&1 | cat", "<&- >&-"])
  func noTerminal(redirection: String) throws {
    try withFeed { playground in
      let before = try playground.snapshot("feed")
      let result = try playground.tool.shell(
        "set -o pipefail; parser-ota \(Self.rollback) \(redirection)",
        shell: ["/usr/bin/timeout", "10", "/bin/bash", "-c"])
      #expect(result.status == .exited(2), "\(result.output)\(result.errors)")
      #expect((result.output + result.errors).contains("add --yes"))
      #expect(try playground.snapshot("feed") == before)
    }
  }

  @Test(
    "B70: every verb that changes something ends by itself at a terminal with nobody", arguments: VerbRow.all)
  func everyVerb(row: VerbRow) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.makeSignedFeed()
      let answer = try Terminal(tool: playground.tool)(SignedScene.filled(row.successLine))
      #expect(answer.code == 0, "\(answer)")
    }
  }

  @Test(
    "B56: a signing key cannot be given as an argument, and credentials in addresses are refused and never shown"
  )
  func secrets() throws {
    try withPlayground { playground in
      try playground.makeApp()
      let address = "https://user:s3cr3t@parsers.example/feed/?token=t0ken"
      let lines = [
        "publish --feed feed --bundle bundle-2.js --sources sources.json --key s3cr3t",
        "publish --feed feed --bundle bundle-2.js --sources sources.json --key=s3cr3t",
        "init --feed other --checksums-only --base-url \(address)",
        "init --feed other --checksums-only --adopt \(address)", "verify --feed \(address)",
        "device init --store store --feed \(address) --checksums-only --embedded app",
        "device init --store store --feed http://user:s3cr3t@127.0.0.1:1/ --allow-http-loopback --checksums-only --embedded app",
      ]
      for line in lines {
        let plain = try playground.tool(line)
        let json = try playground.tool.json(line, status: 2).answer
        for secret in ["s3cr3t", "t0ken"] {
          for answer in [plain, json] {
            #expect(!(answer.output + answer.errors).contains(secret), "\(answer)")
          }
        }
        #expect(plain.code == 2, "\(plain)")
      }
      #expect(access(playground.path("other"), F_OK) != 0)
      #expect(access(playground.path("store"), F_OK) != 0)
    }
  }

  @Test("B56: the password of a proxy and the query of a redirect are not shown")
  func secretsOfOthers() throws {
    try withPlayground { playground in
      try playground.makeApp()
      let server = try LoopbackServer { _ in
        .redirect(to: "http://user:s3cr3t@parsers.example/x?token=s3cr3t")
      }
      defer { server.stop() }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      let redirected = try playground.tool("device update --store store")
      #expect(redirected.code != 0)
      #expect(!redirected.errors.contains("s3cr3t"), "\(redirected)")
      try playground.initDevice(feed: "https://parsers.example/")
      var tool = playground.tool
      tool.environment = ["https_proxy": "http://user:s3cr3t@127.0.0.1:1"]
      let answer = try tool("device update --store store")
      #expect(answer.code == 4, "\(answer)")
      #expect(!answer.errors.contains("s3cr3t"), "\(answer)")
      #expect(!(try tool("device status --store store").output.contains("s3cr3t")))
    }
  }
}
