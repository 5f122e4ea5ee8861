import Foundation
import TestSupport
import Testing

/// How a download of some length looks at a terminal, in a log, and with `--quiet`.
@Suite(.ownThreads) struct ProgressTests {
  /// A device whose feed gives a bundle of 2 MB in some tenths of a second.
  private func withSlowFeed(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.write("large.js", Fixtures.bundle(marker: "large", bytes: 2_000_000))
      // A bundle that grows a thousandfold is meant here.
      try playground.must("publish --feed feed --bundle large.js --sources sources.json --allow size")
      let root = playground.path("feed")
      let server = try LoopbackServer { request in
        // The plain file takes long enough to be looked at.
        guard !request.path.hasSuffix(".zst") else { return .notFound }
        guard request.path.hasSuffix("bundle.js"),
          let body = FileManager.default.contents(atPath: root + request.path)
        else { return .directory(root, request) }
        return .slow(Array(body), bytesPerStep: 200_000, every: 40)
      }
      defer { server.stop() }
      try playground.initDevice(feed: server.url, "--allow-http-loopback")
      try body(playground)
    }
  }

  private static let update = "device update --store store"

  @Test("at a terminal one line changes: a bar, percents, bytes; it is gone at the end")
  func bar() throws {
    try withSlowFeed { playground in
      let answer = try Terminal(tool: playground.tool)(Self.update)
      #expect(answer.code == 0, "\(answer)")
      let drawings = answer.output.components(separatedBy: "\r\u{1B}[K").dropFirst()
      #expect(drawings.count > 3, "\(answer)")
      let bars = drawings.filter {
        $0.contains("downloading  [") && $0.contains(" of 2.0 MB")
      }
      #expect(bars.count > 2, "\(answer)")
      #expect(bars.allSatisfy { ($0.split(separator: "\r").first ?? "").count < 80 }, "\(answer)")
      let percents = bars.compactMap { $0.firstMatch(of: #/([0-9]+) %/#).flatMap { Int($0.output.1) } }
      #expect(percents == percents.sorted(), "\(percents)")
      #expect(Set(percents).count > 2, "\(percents)")
      #expect(
        answer.output.hasSuffix("release 2 is verified and staged for the next launch\r\n"), "\(answer)")
    }
  }

  @Test("in a log there are plain lines and nothing that moves a cursor")
  func lines() throws {
    try withSlowFeed { playground in
      let answer = try playground.must(Self.update)
      #expect(answer.output.isEmpty, "\(answer)")
      #expect(!answer.errors.contains("\u{1B}") && !answer.errors.contains("\r"), "\(answer)")
      let lines = answer.errors.split(separator: "\n")
      #expect(lines.contains("downloading: 0 % of 2.0 MB"), "\(answer)")
      #expect(lines.contains("downloading: 100 % of 2.0 MB"), "\(answer)")
      #expect(lines.last == "release 2 is verified and staged for the next launch", "\(answer)")
      #expect(lines.count <= 5, "\(answer)")
    }
  }

  @Test("--quiet says nothing, at a terminal and in a log, and errors all the same")
  func quiet() throws {
    try withSlowFeed { playground in
      let answer = try Terminal(tool: playground.tool)("\(Self.update) --quiet")
      #expect(answer.code == 0 && answer.output.isEmpty, "\(answer)")
      try playground.must("device activate --store store --quiet")
      let again = try playground.must("\(Self.update) -q")
      #expect(again.output.isEmpty && again.errors.isEmpty, "\(again)")
      #expect(try playground.tool("device pin 99 --store store -q").errors.hasPrefix("error: "))
    }
  }

  @Test(
    "colours are for terminals that want them",
    arguments: [
      ([:], "", true), (["NO_COLOR": "1"], "", false), (["NO_COLOR": ""], "", true),
      (["TERM": "dumb"], "", false),
      ([:], " --no-color", false),
    ] as [([String: String], String, Bool)])
  func colors(environment: [String: String], option: String, isColored: Bool) throws {
    try withPlayground { playground in
      var tool = playground.tool
      tool.environment = environment
      let answer = try Terminal(tool: tool)("releases --feed nowhere" + option)
      #expect(answer.code == 2, "\(answer)")
      #expect(answer.output.contains("\u{1B}[1;31merror:\u{1B}[0m") == isColored, "\(answer)")
      #expect(answer.output.contains("\u{1B}") == isColored, "\(answer)")
      #expect(!(try tool("releases --feed nowhere").errors.contains("\u{1B}")))
    }
  }
}
