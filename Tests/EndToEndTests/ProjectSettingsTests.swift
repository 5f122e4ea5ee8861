import Foundation
import TestSupport
import Testing

/// The maintainer's evening: five options less for each command, and no doubt about where a value is from.
@Suite(.ownThreads) struct ProjectSettingsTests {
  private func withProject(_ json: String, _ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try playground.write("parser-ota.json", json)
      try body(playground)
    }
  }

  private static let files = "\"feed\": \"feed\", \"bundle\": \"bundle-1.js\", \"sources\": \"sources.json\""

  @Test(
    "publish, releases, verify and rollback need no option beside the file, and say what they took from it")
  func nothingElse() throws {
    try withProject("{\(Self.files)}") { playground in
      let first = try playground.must("publish")
      #expect(
        first.errors.contains("from parser-ota.json: feed feed, bundle bundle-1.js, sources sources.json"))
      try playground.write("parser-ota.json", "{\(Self.files.replacing("bundle-1", with: "bundle-2"))}")
      try playground.must("publish")
      try playground.must("rollback --yes")
      try playground.must("verify")
      let live = try playground.tool.json("releases").number("releases.0.version")
      #expect(live == 3)
    }
  }

  @Test(
    "an option counts more than a variable, a variable more than the file, the file more than the default")
  func precedence() throws {
    try withProject("{\"channel\": \"of-file\"}") { playground in
      func channel(_ line: String, _ environment: [String: String] = [:]) throws -> [String] {
        var tool = playground.tool
        tool.environment = environment
        let answer = try tool("config --format plain \(line)")
        #expect(answer.code == 0, "\(answer)")
        let row = answer.output.split(separator: "\n").first { $0.hasPrefix("channel\t") } ?? ""
        return row.split(separator: "\t", omittingEmptySubsequences: false).dropFirst().map(String.init)
      }
      let variable = ["PARSER_OTA_CHANNEL": "of-variable"]
      #expect(try channel("--channel of-option", variable) == ["of-option", "option", "the command line"])
      #expect(try channel("", variable) == ["of-variable", "environment", "PARSER_OTA_CHANNEL"])
      #expect(try channel("") == ["of-file", "file", "parser-ota.json"])
      #expect(try channel("", ["PARSER_OTA_CHANNEL": ""]) == ["of-file", "file", "parser-ota.json"])
      try playground.remove("parser-ota.json")
      #expect(try channel("") == ["stable", "default", "default"])
    }
  }

  @Test(
    "a slip in the file is named with its key and the one that was meant, and nothing is done",
    arguments: [
      ("{\"fed\": \"feed\"}", "fed is not a setting, did you mean \"feed\""),
      ("{\"base-url\": \"https://x.example/\"}", "did you mean \"baseURL\""),
      ("{\"feed\": 7}", "feed is a number, not a string"), ("{\"feed\": \"\"}", "feed is empty"),
      ("{\"allow\": [{\"finding\": \"size\", \"reason\": \"x\"}]}", "allow[0].until is missing"),
      ("{\"allow\": [{\"finding\": \"size\", \"reason\": \"x\", \"until\": \"soon\"}]}", "must be a day"),
      (
        "{\"allow\": [{\"finding\": \"sise\", \"reason\": \"x\", \"until\": \"2099-01-01\"}]}",
        "the code of a finding"
      ),
      ("{\"allow\": [{\"fnding\": \"size\"}]}", "did you mean \"finding\""),
      ("{\"notesFromGit\": \"yes\"}", "notesFromGit"), ("{\"feed\": \"a\", \"feed\": \"b\"}", "feed"),
      ("<<<<<<< HEAD\n{}\n", "merge conflict"), ("", "empty"),
      ("{\"releaseKey\": \"-----BEGIN PRIVATE KEY-----\"}", "looks like a key itself"),
    ])
  func slips(json: String, message: String) throws {
    try withProject(json) { playground in
      let before = try playground.snapshot("feed")
      let answer = try playground.tool("publish")
      #expect(answer.code == 2, "\(answer)")
      #expect(answer.errors.contains(message), "\(answer)")
      #expect(!answer.errors.contains("BEGIN PRIVATE"), "\(answer)")
      #expect(try playground.snapshot("feed") == before)
    }
  }

  @Test("paths start at the file; a folder above counts only in the same repository")
  func places() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      try playground.publish(1)
      try playground.write("parser-ota.json", "{\"feed\": \"feed\"}")
      try playground.write("deep/er/x", "")
      let inside = Tool(directory: playground.path("deep/er"))
      // A file above, where no repository says that it belongs here, could be anybody's.
      #expect(try inside("releases").code == 2)
      try playground.write(".git/HEAD", "ref: refs/heads/main\n")
      let found = try inside("releases")
      #expect(found.code == 0, "\(found)")
      #expect(found.errors.contains("\(playground.directory.path)/parser-ota.json"), "\(found)")
      #expect(try inside("releases --config ../../parser-ota.json").code == 0)
      #expect(try inside("releases --config nowhere.json").code == 2)
      #expect(try inside("--config ../../parser-ota.json releases").code == 0)
    }
  }

  @Test("an allowance counts until its last day is over, and is then spoken of with its reason")
  func allowances() throws {
    try withProject("{\(Self.files)}") { playground in
      try playground.must("publish")
      let bundle = String(decoding: try playground.read("bundle-1.js"), as: UTF8.self)
      try playground.write("bundle-1.js", bundle + "\ndebugger;\n")
      func publish(until day: String) throws -> Answer {
        let allow =
          "\"allow\": [{\"finding\": \"leftovers\", \"reason\": \"a tool needs it\", \"until\": \"\(day)\"}]"
        try playground.write("parser-ota.json", "{\(Self.files), \(allow)}")
        return try playground.tool("publish --dry-run")
      }
      let over = try publish(until: "2020-01-31")
      #expect(over.code == 1, "\(over)")
      #expect(over.errors.contains("leftovers (a tool needs it) ended on 2020-01-31"), "\(over)")
      let current = try publish(until: "2099-01-31")
      #expect(current.code == 0, "\(current)")
      #expect(current.output.contains("allowed  leftovers"), "\(current)")
    }
  }

  @Test("a key is named by its file or its variable; the variable of the tool counts more than the file")
  func keys() throws {
    try withPlayground { playground in
      try playground.must("key generate --out root.pem")
      try playground.must("key generate --out release.pem")
      try playground.must("init --feed feed --root-key root.pem --release-key release.pem")
      let pem = String(decoding: try playground.read("release.pem"), as: UTF8.self)
      try playground.write("parser-ota.json", "{\(Self.files), \"releaseKey\": \"env:MY_SECRET\"}")
      var tool = playground.tool
      let missing = try tool("publish")
      #expect(missing.code == 2 && missing.errors.contains("MY_SECRET is not set"), "\(missing)")
      tool.environment = ["MY_SECRET": pem]
      let signed = try tool("publish")
      #expect(signed.code == 0, "\(signed)")
      #expect(!"\(signed)".contains("PRIVATE KEY"))
      let shown = try tool("config --json")
      #expect(shown.output.contains("env:MY_SECRET") && !shown.output.contains("PRIVATE KEY"), "\(shown)")
      tool.environment = ["PARSER_OTA_RELEASE_KEY": pem]
      let again = try tool("publish --bundle bundle-2.js")
      #expect(again.code == 0, "\(again)")
    }
  }

  @Test(
    "config init asks its few questions at a terminal, proposes what is there, and writes what publish needs")
  func questions() throws {
    try withPlayground { playground in
      try playground.write("dist/parsers.bundle.js", Fixtures.bundle(marker: "built", bytes: 2000))
      let asked = try Terminal(tool: playground.tool)("config init", typing: "\n\n\n\nenv:MY_SECRET\n")
      #expect(asked.code == 0, "\(asked)")
      for text in ["folder of the feed [feed]:", "[dist/parsers.bundle.js]:", "public address", "env:NAME"] {
        #expect(asked.output.contains(text), "\(text): \(asked)")
      }
      let written = String(decoding: try playground.read("parser-ota.json"), as: UTF8.self)
      #expect(written.contains("\"bundle\": \"dist/parsers.bundle.js\""), "\(written)")
      #expect(written.contains("env:MY_SECRET"), "\(written)")
      #expect(try playground.tool("config init").code == 1)
      try playground.must("config init --force --bundle bundle-1.js")
    }
  }

  @Test("notes come from the commits since the last release, which the manifest remembers, or from a file")
  func notes() throws {
    try withProject("{\(Self.files), \"notesFromGit\": true}") { playground in
      func git(_ words: String) throws {
        let result = try playground.tool.shell("git -c user.name=a -c user.email=a@b.example \(words)")
        #expect(result.status == .exited(0), "\(result.errors)")
      }
      func live(_ field: String) throws -> String? {
        try playground.tool.json("releases").string("releases.0.\(field)")
      }
      try git("init -q .")
      try git("commit -q --allow-empty -m 'Before all'")
      try git("commit -q --allow-empty -m 'First parsers'")
      try playground.must("publish")
      #expect(try live("notes") == "First parsers")
      try git("commit -q --allow-empty -m 'Asura: dates' -m 'A body that nobody needs'")
      try git("commit -q --allow-empty -m 'Beta: pages'")
      try playground.must("publish --bundle bundle-2.js")
      #expect(try live("notes") == "Beta: pages\nAsura: dates")
      let manifest = String(decoding: try playground.read("feed/manifest.json"), as: UTF8.self)
      let head = try playground.tool.shell("git rev-parse HEAD").output.prefix(40)
      #expect(manifest.contains("\"source\": \"\(head)\""), "\(manifest)")
      try playground.write("notes.txt", "\n  From a file\nin two lines\n\n")
      try playground.must("publish --bundle bundle-3.js --notes-file notes.txt")
      #expect(try live("notes") == "From a file\nin two lines")
      try git("checkout -q --orphan other")
      try git("commit -q --allow-empty -m 'Squashed'")
      let lost = try playground.must("publish --bundle bundle-4.js")
      #expect(try live("notes") == "Squashed", "\(lost)")
    }
  }

  @Test("at a terminal the person's editor is asked, after the checks, and an empty file is no notes")
  func editor() throws {
    try withProject("{\(Self.files)}") { playground in
      try playground.write("editor", "#!/bin/sh\nprintf 'typed by hand\\n# not this\\n' > \"$1\"\n")
      _ = try playground.tool.shell("chmod +x editor")
      var tool = playground.tool
      tool.environment = ["EDITOR": playground.path("editor")]
      let answer = try Terminal(tool: tool)("publish")
      #expect(answer.code == 0, "\(answer)")
      #expect(try playground.tool.json("releases").string("releases.0.notes") == "typed by hand")
      tool.environment = ["EDITOR": "false"]
      let refused = try Terminal(tool: tool)("publish --bundle bundle-2.js")
      #expect(refused.code == 1 && refused.output.contains("the editor false ended with 1"), "\(refused)")
      let unasked = try playground.tool("publish --bundle bundle-2.js")
      #expect(unasked.code == 0, "\(unasked)")
    }
  }
}
