import Foundation
import TestSupport
import Testing

/// Each fault against the tool itself: the code, what is kept, how long it takes, how much memory, and that it heals.
@Suite(.ownThreads) struct FaultVerbTests {
  /// What `device update` says when every file has the fault; `staged` where a client must take it.
  static let codes: [String: String] = [
    "none": "staged", "silent": "timed-out", "reset": "truncated", "slow=50": "timed-out",
    "truncated": "truncated",
    "cut-without-length": "truncated", "no-length": "staged", "http10": "staged", "endless": "too-large",
    "bomb": "unexpected-encoding", "damaged": "trust-malformed", "wrong-type": "staged",
    "wrong-encoding": "staged",
    "huge-headers": "too-large", "false-304": "transfer-failed", "redirect-loop": "forbidden-url",
    "downgrade": "forbidden-url", "html": "html-instead", "portal": "portal", "wrong-range": "truncated",
    "416": "truncated", "416-bare": "truncated", "changed": "truncated", "403": "forbidden",
    "404": "not-found",
    "410": "not-found", "429=3600": "throttled", "429-date=3600": "throttled", "500": "server-error",
    "503": "server-error", "split-pair": "digest-mismatch", "mixed": "trust-mismatch", "replay": "staged",
    "expired": "trust-expired", "wrong-key": "trust-signature",
  ]
  /// The same where the bundle alone has it.
  static let bundleCodes: [String: String] = [
    "truncated": "truncated", "reset": "truncated", "cut-without-length": "truncated",
    "endless": "size-mismatch",
    "bomb": "unexpected-encoding", "damaged": "digest-mismatch", "huge-headers": "too-large",
    "wrong-range": "transfer-failed", "416": "transfer-failed", "416-bare": "transfer-failed",
    "changed": "digest-mismatch", "html": "html-instead", "portal": "portal", "403": "forbidden",
    "410": "not-found",
  ]

  /// A running `parser-ota faults`, and how to talk to it.
  private struct Server {
    let process: ChildProcess
    let feed: String
    let control: URL

    init(_ playground: Playground, _ options: String = "") throws {
      process = try playground.tool.start(
        "faults --feed signed --release-key release.pem --json \(options)")
      let line = try #require(try process.readLine())
      let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let hello: [String: Any] = try #require(parsed as? [String: Any])
      feed = try #require(hello["feed"] as? String)
      let address: String = try #require(hello["control"] as? String)
      control = try #require(URL(string: address))
    }

    @discardableResult
    func send(_ method: String, _ path: String = "", _ body: String = "") throws -> String {
      let answer = try run(
        "/usr/bin/curl", ["-sS", "-X", method, "--data-binary", body, control.absoluteString + path])
      #expect(answer.status == .exited(0), "\(answer.errors)")
      return answer.output
    }

    func stop() throws {
      try send("POST", "/stop")
      #expect(try process.communicate([], within: .seconds(10)).status == .exited(0))
    }
  }

  /// A signed feed whose newest release has a catalog of its own, and release 1 inside the app.
  private func makeFeed(_ playground: Playground) throws {
    try playground.makeSignedFeed()
    try playground.write("more.json", Fixtures.smallCatalog(ids: Playground.ids + ["DELTA"]))
    try playground.must(
      "publish --feed signed --bundle bundle-3.js --sources more.json --release-key release.pem")
    try playground.must("embed --feed signed --out app --version 1")
  }

  private func withServer(
    _ options: String = "", _ body: (Playground, Server) throws -> Void
  ) throws {
    try withPlayground { playground in
      try makeFeed(playground)
      let server = try Server(playground, options)
      try playground.must(
        "device init --store store --feed \(server.feed) --root signed/metadata/1.root.json --embedded app --allow-http-loopback"
      )
      try body(playground, server)
      try server.stop()
    }
  }

  /// The update through a small program that says how much memory it took, in KB.
  private func update(_ playground: Playground) throws -> (answer: JSONAnswer, kilobytes: Int) {
    let script = """
      import resource, subprocess, sys
      done = subprocess.run(sys.argv[1:])
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
      sys.exit(done.returncode)
      """
    let line = "device update --store store --deadline 4 --now --json"
    let arguments = line.split(separator: " ").map(String.init)
    let result = try run(
      "/usr/bin/python3", ["-c", script, try Tool.path()] + arguments, environment: playground.tool.variables,
      directory: playground.directory.path, timeout: .seconds(60))
    let last = result.errors.split(separator: "\n").last.flatMap { Int($0) }
    return (try JSONAnswer(Answer(arguments: arguments, result: result)), last ?? 0)
  }

  private func check(_ fault: String, _ code: String, _ playground: Playground, _ server: Server) throws {
    try server.send("PUT", "", fault)
    let start = ContinuousClock.now
    let (answer, kilobytes) = try update(playground)
    // A changed byte may fall into the text or into a signature; a file of another release may have another size.
    let alternatives = ["trust-malformed": "trust-signature", "digest-mismatch": "size-mismatch"]
    let codes = [code, alternatives[code] ?? code]
    #expect(codes.contains { answer.code == $0 }, "\(fault): \(answer.answer)")
    #expect(ContinuousClock.now - start < .seconds(20), "\(fault)")
    #expect((1...200_000).contains(kilobytes), "\(fault) took \(kilobytes) KB")
    try server.send("DELETE")
    if code == "staged" { return }
    #expect(answer.string("kept") != nil, "\(answer.answer)")
    #expect(try playground.tool.json("device explain --store store").number("candidates.0.version") == 1)
    #expect(try update(playground).answer.code == "staged", "after \(fault)")
  }

  @Test(
    "every fault has its code, keeps what runs, ends in time with flat memory, and heals",
    arguments: codes.keys.sorted())
  func everyFile(fault: String) throws {
    try withServer { playground, server in
      try check(fault, try #require(Self.codes[fault]), playground, server)
    }
  }

  @Test("the same in the bundle alone", arguments: bundleCodes.keys.sorted())
  func bundle(fault: String) throws {
    try withServer { playground, server in
      try check("\(fault):parsers.bundle.js", try #require(Self.bundleCodes[fault]), playground, server)
    }
  }

  @Test("a script plays its steps, and the requests can be looked at")
  func script() throws {
    try withServer { playground, server in
      try server.send("PUT", "", "500:timestamp.json*2\nreset:sources.json*1 # once\n")
      #expect(try update(playground).answer.code == "staged")
      let requests = try server.send("GET", "/requests")
      #expect(requests.components(separatedBy: "\"500:timestamp.json*2\"").count == 3, "\(requests)")
      #expect(requests.components(separatedBy: "\"reset:sources.json*1\"").count == 2, "\(requests)")
      let refused = try server.send("PUT", "", "nonsense")
      #expect(refused.contains("\"ok\":false") && refused.contains("line 1"), "\(refused)")
    }
  }

  @Test("replay shows the state that was remembered: a host that lags, and no error")
  func replay() throws {
    try withServer { playground, server in
      try playground.must(
        "publish --feed signed --bundle bundle-4.js --sources more.json --release-key release.pem")
      #expect(try update(playground).answer.number("version") == 4)
      try server.send("PUT", "", "replay")
      let lagging = try update(playground).answer
      #expect(lagging.code == "up-to-date" && lagging.message.contains("lags"), "\(lagging.answer)")
    }
  }

  @Test("the commands of the article prove a recovery")
  func article() throws {
    let page = try String(
      contentsOfFile: BuiltProducts.packageRoot()
        + "/Sources/ParserUpdater/ParserUpdater.docc/ProvingRecovery.md", encoding: .utf8)
    let script = try #require(page.firstMatch(of: /(?s)```sh\n(.*?)```/)).output.1
    try withPlayground { playground in
      try makeFeed(playground)
      try playground.copy("signed", to: "feed")
      let result = try playground.tool.shell("\(script)\nwait")
      #expect(result.status == .exited(0), "\(result.output)\(result.errors)")
      #expect(result.output.contains("release 1"), "\(result.output)\(result.errors)")
      #expect(result.errors.contains("release 3 is verified and staged"), "\(result.errors)")
    }
  }

  @Test("what cannot be served is refused with what is missing")
  func refusals() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let signed = try playground.tool("faults --feed feed --fault wrong-key")
      #expect(signed.code == 1 && signed.line("error")?.contains("needs a signed feed") == true, "\(signed)")
      let address = try playground.tool("faults --feed feed --listen 0.0.0.0:0")
      #expect(address.code == 2 && address.line("error")?.contains("of this machine") == true, "\(address)")
      let unknown = try playground.tool("faults --feed feed --fault wrong")
      #expect(unknown.code == 2 && unknown.line("error")?.contains("no fault") == true, "\(unknown)")
    }
  }
}
