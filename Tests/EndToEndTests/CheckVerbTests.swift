import Foundation
import Glibc
import TestSupport
import Testing

/// `check` as people and build jobs use it: its verdict, and the reports that other programs read.
@Suite(.ownThreads) struct CheckVerbTests {
  /// Reports that a check writes; what is common to files that verbs make does not hold for them: they are replaced.
  static let reports = ["--sarif", "--junit"].map {
    InputFileTests.Place("check --bundle bundle-3.js --sources sources.json \($0)", missing: nil)
  }

  private static let check = "check --bundle bad.js --sources sources.json --against feed"

  /// A feed with a release, and a bundle with an error, a warning and a name that needs escaping.
  private func makeScene(_ playground: Playground) throws {
    try playground.makeFeed()
    try playground.publish(1)
    try playground.write(
      "bad.js", "a;\ndebugger;\n\"http://localhost/x,y:%z\";\n" + String(repeating: "\n", count: 2000))
  }

  @Test("a check tells what it found, where, what to do, what ran and what did not")
  func people() throws {
    try withPlayground { playground in
      try makeScene(playground)
      let answer = try playground.tool(Self.check)
      #expect(answer.code == 1)
      for words in [
        "leftovers  refused  bad.js:2:1: a debugger statement", "to do: remove the statement",
        "if it is meant: --allow leftovers:debugger\n", "leftovers  warning  bad.js:3:1: ", "checked  input",
        "not run  syntax, load, entry-points, catalog-match, ", ": it needs the engine",
      ] {
        #expect(answer.output.replacing(/\n +/, with: " ").contains(words), "\(words): \(answer)")
      }
      #expect(
        answer.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "fits a terminal: \(answer)")
      #expect(answer.errors.contains("not run, for want of an engine: syntax"), "\(answer)")
      #expect(answer.errors.hasSuffix("the release is refused: 1 error, 2 warnings\n"), "\(answer)")
      #expect(!answer.output.contains("the release is refused"), "said on both streams: \(answer)")
      #expect(
        answer.output.split(separator: "\n").count {
          $0.contains("  refused  ") || $0.contains("  warning  ")
        } == 3)
      let allowed = try playground.tool(Self.check + " --allow leftovers:debugger")
      #expect(allowed.code == 0 && allowed.output.contains("allowed by: leftovers:debugger"), "\(allowed)")
      #expect(try playground.tool(Self.check + " --allow leftovers").code == 0)
      #expect(try playground.tool(Self.check + " --allow size").code == 1)
      for code in ["everything", "syntax", "load:A", "entry-points", "input"] {
        #expect(try playground.tool(Self.check + " --allow \(code)").code == 2)
      }
    }
  }

  @Test("the same in JSON, with the same keys whatever was found")
  func json() throws {
    try withPlayground { playground in
      try makeScene(playground)
      let keys = [
        "ok", "code", "message", "format", "exit", "refused", "sources", "comparedWith", "findings", "checks",
        "allowed",
        "unusedAllowances", "milliseconds", "warnings",
      ]
      let refused = try playground.tool.json(Self.check, status: 1)
      #expect(refused.keys == keys && refused.code == "gate-refused" && refused.ok == false)
      #expect(refused.string("findings.0.code") == "leftovers" && refused.number("findings.0.line") == 2)
      #expect(refused.string("findings.0.allow") == "leftovers:debugger")
      #expect(refused.number("sources") == 3 && refused.number("comparedWith") == 1)
      let good = try playground.tool.json("check --bundle bundle-2.js --sources sources.json --allow size")
      #expect(
        good.keys == keys && good.code == "passed" && good.ok == true && good.value("comparedWith") == nil)
      #expect(good.list("unusedAllowances").count == 1)
      let page = try playground.tool.json("check --bundle sources.json --sources bundle-2.js", status: 3)
      #expect(page.keys == keys.filter { $0 != "warnings" } && page.string("findings.0.code") == "input")
    }
  }

  @Test(
    "a wrong feed, a wrong root and a web feed without trust are failures, not a check without comparison")
  func against() throws {
    try withPlayground { playground in
      try makeScene(playground)
      try playground.makeSignedFeed()
      let check = "check --bundle bundle-3.js --sources sources.json"
      for (options, status) in [
        ("--against app", Int32(2)), ("--against https://parsers.example/", 2), ("--checksums-only", 2),
        ("--root sources.json", 2), ("--against feed --root sources.json", 3),
        ("--against signed --checksums-only", 0), ("--against signed", 0),
        ("--against feed --channel beta", 0),
        ("--against http://127.0.0.1:9/ --checksums-only", 3),
      ] {
        let answer = try playground.tool("\(check) \(options)")
        #expect(answer.code == status, "\(answer)")
      }
      let live = try playground.tool.json("\(check) --against signed")
      #expect(live.number("comparedWith") == 2)
      try playground.write("signed/metadata/timestamp.json", "{}")
      #expect(try playground.tool("\(check) --against signed").code == 3)
      let root = playground.path("feed")
      let server = try LoopbackServer { .directory(root, $0) }
      defer { server.stop() }
      let web = try playground.tool.json(
        "\(check) --against \(server.url) --checksums-only --allow-http-loopback")
      #expect(web.number("comparedWith") == 1)
    }
  }

  @Test("SARIF has all that its readers ask for, with lines, levels and what was allowed")
  func sarif() throws {
    try withPlayground { playground in
      try makeScene(playground)
      try playground.copy("bad.js", to: "a b#1.js")
      _ = try playground.tool(
        [
          "check", "--bundle", "a b#1.js", "--sources", "sources.json", "--sarif", "out.sarif", "--allow",
          "leftovers:debugger",
        ])
      let object = try JSONSerialization.jsonObject(with: Data(try playground.read("out.sarif")))
      let log = try #require(object as? [String: Any])
      #expect(
        log["version"] as? String == "2.1.0" && (log["$schema"] as? String)?.contains("sarif-2.1.0") == true)
      let run = try #require((log["runs"] as? [[String: Any]])?.first)
      let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
      let rules = try #require(driver["rules"] as? [[String: Any]]).compactMap { $0["id"] as? String }
      #expect(
        driver["name"] as? String == "parser-ota" && Set(rules).count == rules.count
          && rules.contains("dry-run"))
      let results = try #require(run["results"] as? [[String: Any]])
      #expect(results.count == 3)
      for result in results {
        let index = try #require(result["ruleIndex"] as? Int)
        #expect(rules[index] == result["ruleId"] as? String)
        #expect(["error", "warning", "note"].contains(result["level"] as? String ?? ""))
        #expect((result["message"] as? [String: Any])?["text"] is String)
        #expect(result["partialFingerprints"] is [String: String])
      }
      #expect(
        results.allSatisfy { ($0["locations"] as? [Any])?.count == 1 },
        "code scanning takes no result without one")
      let first = try #require(results.first { ($0["level"] as? String) == "error" })
      let place = try #require(
        ((first["locations"] as? [[String: Any]])?.first?["physicalLocation"]) as? [String: Any])
      #expect((place["artifactLocation"] as? [String: Any])?["uri"] as? String == "a%20b%231.js")
      #expect((place["region"] as? [String: Any])?["startLine"] as? Int == 2)
      let suppression = try #require((first["suppressions"] as? [[String: Any]])?.first)
      #expect(suppression["justification"] as? String == "--allow leftovers:debugger")
      let notes = (run["invocations"] as? [[String: Any]])?.first?["toolExecutionNotifications"] as? [Any]
      #expect((notes?.count ?? 0) > 11, "each check that did not run")
    }
  }

  /// What `junit-10.xsd` of the xunit plugin of Jenkins permits of what a check writes: for each element its attributes,
  /// those that must be there first, and its children.
  private static let junitRules = """
    rules = {
      'testsuites': ([], ['name', 'time', 'tests', 'failures', 'errors'], ['testsuite']),
      'testsuite': (['name', 'tests', 'failures', 'errors'], ['group', 'time', 'skipped', 'timestamp', 'hostname', 'id',
                     'package', 'file', 'log', 'url'], ['testsuite', 'properties', 'testcase', 'system-out', 'system-err']),
      'testcase': (['name'], ['time', 'classname', 'group'],
                   ['skipped', 'error', 'failure', 'system-out', 'system-err']),
      'skipped': ([], ['type', 'message'], []), 'failure': ([], ['type', 'message'], []), 'system-out': ([], [], []),
    }
    def check(element):
        needed, allowed, children = rules[element.tag]
        assert set(needed) <= set(element.keys()) <= set(needed + allowed), (element.tag, element.keys())
        assert not element.get('time') or re.fullmatch(r'[0-9]+\\.[0-9]{3}', element.get('time')), element.get('time')
        for child in element:
            assert child.tag in children, (element.tag, child.tag)
            check(child)
    """

  @Test(
    "JUnit is XML with a test for each check, as Jenkins describes it, and its counts are those of its elements"
  )
  func junit() throws {
    try withPlayground { playground in
      try makeScene(playground)
      _ = try playground.tool(Self.check + " --junit out.xml")
      let program = """
        import re, sys, xml.etree.ElementTree as tree
        \(Self.junitRules)
        suites = tree.parse(sys.argv[1]).getroot()
        assert suites.tag == 'testsuites'
        check(suites)
        suite = suites.find('testsuite')
        cases = suite.findall('testcase')
        for name, count in ('tests', len(cases)), ('failures', len(suite.findall('testcase/failure'))):
            assert suites.get(name) == suite.get(name) == str(count), name
        assert suite.get('skipped') == str(len(suite.findall('testcase/skipped')))
        failed = [case for case in cases if case.find('failure') is not None]
        print([case.get('name') for case in failed], failed[0].find('failure').text)
        print([case.get('name') for case in cases if case.find('system-out') is not None])
        """
      let result = try run("/usr/bin/python3", ["-c", program, playground.path("out.xml")])
      #expect(result.status == .exited(0), "\(result.errors)")
      #expect(
        result.output.hasPrefix("['leftovers'] error: bad.js:2:1: a debugger statement: debugger\n"),
        "\(result.output)")
      #expect(result.output.contains("['leftovers', 'no-engine']"), "\(result.output)")
    }
  }

  @Test("in a workflow of GitHub the findings are annotations, escaped, and the JSON is still one object")
  func annotations() throws {
    try withPlayground { playground in
      try makeScene(playground)
      try playground.copy("bad.js", to: "a,b:c%.js")
      var tool = playground.tool
      tool.environment = ["GITHUB_ACTIONS": "true"]
      let line = Self.check.replacing("bad.js", with: "a,b:c%.js")
      let answer = try tool(line + " --json")
      #expect(
        answer.errors.contains(
          "::error file=a%2Cb%3Ac%25.js,line=2,col=1,title=leftovers::a debugger statement: debugger\n"),
        "\(answer)")
      #expect(
        answer.errors.contains("::warning file=a%2Cb%3Ac%25.js,line=3,col=1,title=leftovers::"), "\(answer)")
      #expect(answer.errors.contains("x,y:%25z"), "\(answer)")
      #expect(try JSONAnswer(answer).code == "gate-refused")
      #expect(try !playground.tool(line).errors.contains("::error"), "only there")
      // Publish says the same.
      let publish = try tool("publish --feed feed --bundle a,b:c%.js --sources sources.json")
      #expect(
        publish.code == 1 && publish.errors.contains("::error file=a%2Cb%3Ac%25.js,line=2"), "\(publish)")
    }
  }

  @Test("a report replaces an older report and nothing else", arguments: reports)
  func files(place: InputFileTests.Place) throws {
    try withPlayground { playground in
      for _ in 0..<2 { try playground.must(place.line(with: "out.txt")) }
      #expect(try !playground.read("out.txt").isEmpty)
      let lost = try playground.tool(place.line(with: "nowhere/out.txt"))
      InputFileTests.expect(lost, 2, names: playground.path("nowhere"))
      #expect(lost.line("error")?.hasPrefix("\(place.option): ") == true, "\(lost)")
      mkfifo(playground.path("pipe"), 0o600)
      let before = try playground.read("sources.json")
      for name in ["sources.json", "pipe", "."] {
        let answer = try playground.tool(place.line(with: name))
        #expect([1, 2].contains(answer.code) && answer.line("hint") != nil, "\(answer)")
      }
      #expect(try playground.read("sources.json") == before)
    }
  }

  @Test(
    "a publish that the gate refuses writes nothing, says why, and a release that was let through says so")
  func publish() throws {
    try withPlayground { playground in
      try makeScene(playground)
      let before = try playground.snapshot("feed")
      let publish = "publish --feed feed --bundle bad.js --sources sources.json"
      let refused = try playground.tool.json(publish, status: 1)
      #expect(refused.code == "gate-refused" && refused.message.contains("bad.js:2:1"), "\(refused.answer)")
      #expect(refused.string("kept") == "release 1 is still live")
      #expect(
        refused.string("gate.findings.0.code") == "leftovers"
          && refused.value("gate.refused") as? Bool == true)
      #expect(try playground.snapshot("feed") == before)
      #expect(
        refused.string("hint") == "remove the statement; if it is meant, add --allow leftovers:debugger",
        "\(refused.answer)")
      let let1 = try playground.tool.json("\(publish) --allow leftovers:debugger --allow no-engine")
      #expect(let1.list("manifest.allowed").map { "\($0)" } == ["leftovers:debugger", "no-engine"])
      #expect(
        let1.list("warnings").contains { "\($0)".hasPrefix("leftovers: bad.js:3:1: ") }, "\(let1.answer)")
      // The device of an app does not mind, and tells who asks.
      try playground.must("embed --feed feed --out app")
      try playground.initDevice()
      #expect(try playground.tool("device activate --store store").code == 0)
    }
  }

  @Test("without an engine publish refuses, and --allow no-engine is the one way past")
  func noEngine() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      let words = ["publish", "--feed", "feed", "--bundle", "bundle-1.js", "--sources", "sources.json"]
      let bare = try run(
        Tool.path(), words + ["--json"], environment: playground.tool.variables,
        directory: playground.directory.path)
      #expect(bare.status == .exited(1) && bare.output.contains("\"code\":\"no-engine\""), "\(bare.output)")
      #expect(bare.output.contains("/nonexistent/parser-ota-engine is not installed"), "\(bare.output)")
      #expect(bare.output.contains("--allow no-engine"))
      try playground.must("publish --feed feed --bundle bundle-1.js --sources sources.json --allow no-engine")
    }
  }

  @Test("with the engine a bundle is run: a good one goes out, and a bad one is refused at its line")
  func withEngine() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      let engine = try BuiltProducts.path(of: "parser-ota-engine")
      let good = try SyntheticRelease(1, bytes: 50_000)
      let bad = try SyntheticRelease(2, .missingMethod, bytes: 50_000)
      for (name, release) in [("good", good), ("bad", bad)] {
        try playground.write("\(name).js", release.bundle)
        try playground.write("\(name).json", release.sources)
      }
      let publish = "publish --feed feed --engine \(engine)"
      let out = try playground.tool.json("\(publish) --bundle good.js --sources good.json")
      #expect(out.code == "published" && out.value("manifest.allowed") == nil, "\(out.answer)")
      let refused = try playground.tool("\(publish) --bundle bad.js --sources bad.json")
      // The call that leads nowhere and what the dry run makes of it are one cause.
      #expect(
        refused.code == 1 && refused.line("error")?.contains("calls this.apiBase()") == true, "\(refused)")
      #expect(refused.line("error")?.contains("bad.js:\(bad.faultLine ?? 0):") == true, "\(refused)")
    }
  }

  @Test("the tool itself loads no web engine: only the program beside it does")
  func linkage() throws {
    let tool = try run("/usr/bin/ldd", [try Tool.path()]).output
    #expect(!tool.contains("webkit") && !tool.contains("javascriptcore") && !tool.contains("gtk"), "\(tool)")
    let engine = try run("/usr/bin/ldd", [try BuiltProducts.path(of: "parser-ota-engine")]).output
    #expect(engine.contains("libwebkit2gtk"), "the probe can fail")
  }
}
