import Foundation
import OTAManifest
import ParserEngine
import ParserPages
import ParserPublisher
import ParserWorkbench
import TestSupport
import Testing

/// One run of the tool in a folder of its own.
private struct Answer: CustomStringConvertible {
  let result: ChildResult
  var code: Int32 { if case .exited(let code) = result.status { code } else { -1 } }
  var errors: [String] { result.errors.split(separator: "\n").map(String.init) }
  func json() throws -> JSONValue { try JSONValue(reading: result.output) }
  var description: String { "\(result.output.prefix(2000))\(result.errors)-> \(result.status)" }
}

private struct Desk {
  let folder: TemporaryDirectory
  var variables: [String: String] = [:]

  func tool(_ line: String) throws -> Answer {
    var environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path]
    environment.merge(variables) { $1 }
    return Answer(
      result: try run(
        BuiltProducts.path(of: "parser-ota"), line.split(separator: " ").map(String.init),
        environment: environment, directory: folder.path, timeout: .seconds(120)))
  }
}

@Suite("The verbs that run a parser by hand", .serialized)
struct RunVerbTests {
  private static let inputs = "--bundle reader.js --sources reader.json --allow-http-loopback"

  private func withDesk(
    _ test: (Desk, LoopbackServer) throws -> Void
  ) throws {
    let server = try ScriptedSite.start()
    defer { server.stop() }
    let folder = try TemporaryDirectory()
    try ReaderBundle(ScriptedSite.sources(server)).write("reader", to: folder)
    try withExtendedLifetime(folder) { try test(Desk(folder: folder), server) }
  }

  @Test(
    "run prints the result as JSON and, with --trace, each request, over TLS and by any spelling of the id",
    .enabled(if: NginxServer.program != nil, "nginx is not installed"))
  func list() throws {
    let site = try StaticSite()
    try site.waitUntilUp()
    let folder = try TemporaryDirectory()
    let source = ReaderSource(id: "SJIS", domain: site.domain, overrides: ["listPath": "/sjis/list"])
    try ReaderBundle([source]).write("reader", to: folder)
    let desk = Desk(folder: folder, variables: ["SSL_CERT_FILE": site.tls.authorityFile])
    let answer = try desk.tool("run list \(Self.inputs) --source JS_sjis --page 3 --trace")
    #expect(answer.code == 0, "\(answer)")
    #expect(try answer.json().texts("title") == [StaticSite.japanese])
    let request = "GET \(site.nginx.url)sjis/list?page=3&order=POPULARITY  200  "
    #expect(answer.errors.contains { $0.hasPrefix(request) && $0.hasSuffix("ms  shift_jis") }, "\(answer)")
  }

  @Test("a challenge is named as such, with 4 and not as a fault of the parser")
  func challenge() throws {
    try withDesk { desk, _ in
      let challenge = try desk.tool("run list \(Self.inputs) --source CHALLENGE --json")
      #expect(challenge.code == 4, "\(challenge)")
      let object = try challenge.json()
      #expect(object["code"] == .string("page-unavailable"))
      #expect(object["page"]?["code"] == .string("challenge") && object["page"]?["status"] == .integer(503))
    }
  }

  @Test("what needs no engine is refused without one: another source, another method, no argument")
  func refusals() throws {
    try withDesk { desk, server in
      let stranger = try desk.tool("run list \(Self.inputs) --source REEDER --json")
      #expect(stranger.code == 1)
      #expect(try stranger.json()["hint"] == .string("did you mean READER"))
      for line in ["run", "run lists", "run details", "run list extra", "run search", "run list x --page 0"] {
        let answer = try desk.tool("\(line) \(Self.inputs) --source READER")
        #expect(answer.code == 2, "\(answer)")
      }
      var without = desk
      without.variables["PARSER_OTA_ENGINE"] = "/nowhere/parser-ota-engine"
      let answer = try without.tool("run list \(Self.inputs) --source READER --json")
      #expect(answer.code == 1)
      #expect(try answer.json()["code"] == .string("no-engine"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test("this machine is no site for a parser unless that is allowed")
  func loopback() throws {
    try withDesk { desk, server in
      let answer = try desk.tool("run list --bundle reader.js --sources reader.json --source READER --json")
      #expect(answer.code == 1, "\(answer)")
      #expect(try answer.json()["page"]?["code"] == .string("refused-url"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test("record keeps the pages, run replays them without the site, and a later failure changes nothing")
  func recording() throws {
    try withDesk { desk, server in
      let recorded = try desk.tool("record \(Self.inputs) --source READER --out fixtures --query one")
      #expect(recorded.code == 0, "\(recorded)")
      #expect(
        recorded.result.output == "list: 2 titles\nsearch: 1 titles\ndetails: 2 chapters\npages: 2 pages\n"
          + "details: 2 chapters\npages: 2 pages\n")
      let index = try String(
        contentsOfFile: desk.folder.path("fixtures/READER/fixture.json"), encoding: .utf8)
      #expect(!index.contains("pass=abc"), "a cookie was stored")
      let asked = server.requests.count

      let replayed = try desk.tool("run pages /c/1 \(Self.inputs) --source READER --fixtures fixtures")
      #expect(replayed.code == 0, "\(replayed)")
      #expect(try replayed.json().texts("url").count == 2)
      #expect(server.requests.count == asked)
      let sources = ScriptedSite.sources(server)
      try ReaderBundle(sources, changing: ("'/list'", "'/c/1'")).write("reader", to: desk.folder)
      let failed = try desk.tool("record \(Self.inputs) --source READER --out fixtures")
      #expect(failed.code == 1, "\(failed)")
      #expect(
        failed.result.errors.contains("error: list (READER) returned nothing that a reader needs"),
        "\(failed)")
      #expect(failed.result.errors.contains("kept: every recording as it was"), "\(failed)")
      let after = try String(
        contentsOfFile: desk.folder.path("fixtures/READER/fixture.json"), encoding: .utf8)
      #expect(after == index)
    }
  }

  @Test("record and run hand over the whole item of the list and the whole chapter, as apps do")
  func wholeItems() throws {
    try withDesk { desk, server in
      try ReaderBundle(
        ScriptedSite.sources(server),
        changing: ("title: document.querySelector('h1').textContent.trim()", "title: manga.title.trim()"),
        ("this.document(chapter.url)", "this.document(chapter.title.trim() && chapter.url)")
      ).write("reader", to: desk.folder)
      let recorded = try desk.tool("record \(Self.inputs) --source READER --out fixtures")
      #expect(recorded.code == 0, "\(recorded)")
      let index = try String(
        contentsOfFile: desk.folder.path("fixtures/READER/fixture.json"), encoding: .utf8)
      #expect(index.contains("\"number\": 1"), "the recorded arguments are the whole chapter")

      let bare = try desk.tool("run details /m/1 \(Self.inputs) --source READER --fixtures fixtures")
      #expect(bare.code == 1, "\(bare)")
      #expect(bare.errors.first?.contains("the work has only its address") == true, "\(bare)")
      let whole = try desk.tool(
        #"run details {"url":"/m/1","title":"One"} \#(Self.inputs) --source READER --fixtures fixtures"#)
      #expect(whole.code == 0, "\(whole)")
      #expect(try whole.json()["title"] == .string("One"))
      let nameless = try desk.tool(
        #"run details {"title":"One"} \#(Self.inputs) --source READER --fixtures fixtures"#)
      #expect(nameless.code == 2, "\(nameless)")
      #expect(nameless.result.errors.contains("SUBJECT: url is missing"), "\(nameless)")
    }
  }

  @Test("bisect names the release that broke a source, and says when the fault came and went")
  func bisect() throws {
    try withDesk { desk, server in
      let sources = ScriptedSite.sources(server).filter { $0.id == "READER" }
      let good = ReaderBundle(sources)
      let bad = ReaderBundle(sources, changing: ("const families", "const const families"))
      try recordList(good, desk.folder)
      #expect(try desk.tool("init --feed feed --checksums-only").code == 0)
      var quick = desk
      quick.variables["PARSER_OTA_ENGINE"] = "/nowhere/parser-ota-engine"
      for isGood in [true, false, true, false] {
        try (isGood ? good : bad).write("reader", to: desk.folder)
        let published = try quick.tool(
          "publish --feed feed --bundle reader.js --sources reader.json --allow no-engine")
        #expect(published.code == 0, "\(published)")
      }
      let line = "bisect --feed feed --source READER --fixtures fixtures"
      let answer = try desk.tool(line)
      #expect(answer.code == 0, "\(answer)")
      let rows = answer.result.output.split(separator: "\n")
      #expect(rows.last == "release 4 broke READER; release 3 before it is good", "\(answer)")
      #expect(
        rows.dropLast().map { $0.contains("  good  ") } == [true, false, true, false], "\(answer)")
      #expect(answer.result.errors.contains("came and went"), "\(answer)")
      let other = try desk.tool("bisect --feed feed --source FORM --fixtures fixtures --json")
      #expect(other.code == 1)
      #expect(try other.json()["code"] == .string("not-recorded"))
    }
  }

  @Test(
    "D8: after a roll back bisect names what broke the source and what undid it, each release once, in both trusts"
  )
  func bisectUndone() throws {
    try withDesk { desk, server in
      let sources = ScriptedSite.sources(server).filter { $0.id == "READER" }
      let good = ReaderBundle(sources)
      let bad = ReaderBundle(sources, changing: ("const families", "const const families"))
      try recordList(good, desk.folder)
      var quick = desk
      quick.variables["PARSER_OTA_ENGINE"] = "/nowhere/parser-ota-engine"
      for kind in ["root", "release"] { #expect(try desk.tool("key generate --out \(kind).pem").code == 0) }
      for (feed, keys, trust) in [
        ("unsigned", "", "--checksums-only"),
        ("signed", "--release-key release.pem", "--root-key root.pem --release-key release.pem"),
      ] {
        let made = try desk.tool("init --feed \(feed) \(trust)")
        #expect(made.code == 0, "\(made)")
        for isGood in [true, false] {
          try (isGood ? good : bad).write("reader", to: desk.folder)
          let published = try quick.tool(
            "publish --feed \(feed) --bundle reader.js --sources reader.json --allow no-engine \(keys)")
          #expect(published.code == 0, "\(published)")
        }
        let back = try desk.tool("rollback --feed \(feed) --yes \(keys)")
        #expect(back.code == 0, "\(back)")
        let answer = try desk.tool("bisect --feed \(feed) --source READER --fixtures fixtures")
        #expect(answer.code == 0, "\(answer)")
        let rows = answer.result.output.split(separator: "\n")
        #expect(
          rows.last == "release 2 broke READER; release 1 before it is good; release 3 undid it", "\(answer)")
        #expect(rows.dropLast().map { $0.contains("  good  ") } == [true, false, true], "\(answer)")
        #expect(!answer.result.errors.contains("release "), "each row is printed once: \(answer)")
        #expect(answer.result.errors.contains("not signed") == (feed == "unsigned"), "\(answer)")
        let json = try desk.tool("bisect --feed \(feed) --source READER --fixtures fixtures --json").json()
        #expect(json["broken"] == .integer(2) && json["undone"] == .bool(true))
        #expect(json["undoneBy"] == .integer(3) && json["lastGood"] == .integer(1))
      }
    }
  }

  @Test("B48: publish warns when the bundle announces another number than its release, and check notes it")
  func announcedVersion() throws {
    try withDesk { desk, server in
      let sources = ScriptedSite.sources(server).filter { $0.id == "READER" }
      #expect(try desk.tool("init --feed feed --checksums-only").code == 0)
      func publish(_ announced: String) throws -> Answer {
        try ReaderBundle(sources, changing: ("getAllSources", "version: \(announced), getAllSources")).write(
          "reader", to: desk.folder)
        return try desk.tool("publish --feed feed --bundle reader.js --sources reader.json")
      }
      let other = try publish("'1.4.0'")
      #expect(other.code == 0, "\(other)")
      #expect(
        other.result.errors.contains("the bundle announces version 1.4.0, and the release is 1"), "\(other)")
      let same = try publish("2")
      #expect(same.code == 0 && !same.result.errors.contains("announces"), "\(same)")
      let check = try desk.tool("check --bundle reader.js --sources reader.json --json")
      #expect(check.result.output.contains("the bundle announces version 2"), "\(check)")
    }
  }

  @Test(
    "a parser that returns nothing is refused by its recording; what is allowed or tolerated goes out with its score"
  )
  func gate() throws {
    try withDesk { desk, server in
      let sources = ScriptedSite.sources(server).filter { $0.id == "READER" }
      let good = ReaderBundle(sources)
      try recordList(good, desk.folder)
      #expect(try desk.tool("init --feed feed --checksums-only").code == 0)
      var quick = desk
      quick.variables["PARSER_OTA_ENGINE"] = "/nowhere/parser-ota-engine"
      let publish = "publish --feed feed --bundle reader.js --sources reader.json --fixtures fixtures"
      try good.write("reader", to: desk.folder)
      let first = try quick.tool("\(publish) --allow no-engine")
      #expect(first.code == 0, "\(first)")
      let live = try String(contentsOfFile: desk.folder.path("feed/manifest.json"), encoding: .utf8)
      #expect(!live.contains("fixtures"), "a score without a replay: \(live)")

      try ReaderBundle(sources, changing: ("'a.work'", "'a.wrk'")).write("reader", to: desk.folder)
      let refused = try desk.tool(
        "check --bundle reader.js --sources reader.json --fixtures fixtures --against feed")
      #expect(refused.code == 1, "\(refused)")
      let lines = refused.result.output.split(separator: "\n").map(String.init)
      // A finding goes on in indented lines below it.
      let finding =
        refused.result.output.replacing(/\n +/, with: " ").split(separator: "\n").first {
          $0.hasPrefix("fixtures") && $0.contains("  refused  reader.js: ")
        } ?? ""
      #expect(
        finding.contains("gives less than the live release: list: 1 titles before, now 0 titles"),
        "\(refused)")
      #expect(finding.contains("if it is meant: --allow fixtures:READER"), "\(refused)")
      #expect(lines.contains("READER  worse: list: 1 titles before, now 0 titles"), "\(refused)")
      #expect(lines.contains("1 recorded source: 0 same, 0 changed, 0 better, 1 worse"), "\(refused)")

      let tolerated = try desk.tool("\(publish) --max-worse 1")
      #expect(tolerated.code == 0, "\(tolerated)")
      #expect(tolerated.result.errors.contains("warning: fixtures: "), "\(tolerated)")
      let worse = try String(contentsOfFile: desk.folder.path("feed/manifest.json"), encoding: .utf8)
      #expect(worse.contains("\"fixtures\": {\n    \"sources\": 1,\n    \"same\": 0"), "\(worse)")
      #expect(worse.contains("\"worse\": 1") && !worse.contains("allowed"), "\(worse)")
    }
  }

  @Test("recordings that cannot be read refuse a release, and a folder without any does too")
  func gateWithoutRecordings() throws {
    try withDesk { desk, server in
      try ReaderBundle(ScriptedSite.sources(server).filter { $0.id == "READER" }).write(
        "reader", to: desk.folder)
      try FileManager.default.createDirectory(
        atPath: desk.folder.path("fixtures/READER"), withIntermediateDirectories: true)
      try "{}".write(
        toFile: desk.folder.path("fixtures/READER/fixture.json"), atomically: true, encoding: .utf8)
      let line = "check --bundle reader.js --sources reader.json --fixtures fixtures"
      let damaged = try desk.tool(line)
      #expect(
        damaged.code == 1
          && damaged.result.output.replacing(/\n +/, with: " ").contains("fixture.json: format is missing"),
        "\(damaged)")
      var quick = desk
      quick.variables["PARSER_OTA_ENGINE"] = "/nowhere/parser-ota-engine"
      let without = try quick.tool("\(line) --json")
      #expect(without.code == 0, "\(without)")
      #expect(
        without.result.output.contains(
          "\"code\":\"fixtures\",\"ran\":false,\"reason\":\"it needs the engine\""))
      #expect(try desk.tool("check --bundle reader.js --sources reader.json --max-worse 1").code == 2)
    }
  }

  /// A recording of a list that the site would have given.
  private func recordList(_ bundle: ReaderBundle, _ folder: TemporaryDirectory) throws {
    let reader = try bundle.load(in: folder)
    let entry = try #require(reader.catalog.entries.first)
    let url = "http://\(entry.domain)/list?page=1&order=UPDATED"
    let page = Page(
      status: 200, finalURL: url, charset: "utf-8", body: Array("<a class=work href=/m/1>One</a>".utf8))
    let step = Fixture.Step(
      .list, CallArguments.list(page: 1, order: "UPDATED"), answer: .list([.init(title: "One", url: "/m/1")]))
    try FixtureFolder(folder.path("fixtures")).write(
      Fixture(
        source: entry, recorded: Timestamp(secondsSinceEpoch: 0), bundle: reader.digest, steps: [step],
        exchanges: [Exchange(method: "GET", url: url, answer: .page(page))]))
  }
}
