import Foundation
import Glibc
import TestSupport
import Testing

/// B79: what the documentation says is what the tool does.
@Suite(.ownThreads) struct DocumentationTests {
  /// Usage errors that say that a verb or an option does not exist, or not in this way.
  private static let strangers = [
    "unknown-verb", "unknown-option", "option-before-verb", "value-not-allowed", "missing-value",
    "invalid-value",
    "unexpected-argument", "repeated-option", "missing-verb",
  ]

  private static func readme() throws -> String {
    try String(contentsOfFile: BuiltProducts.packageRoot() + "/README.md", encoding: .utf8)
  }

  /// The README and the articles for publishers.
  private static let documents =
    ["README.md"]
    + ["Gate", "Workbench", "Adopting", "Repairing", "Keys"].map {
      "Sources/ParserPublisher/ParserPublisher.docc/\($0).md"
    } + ["Sources/ParserUpdater/ParserUpdater.docc/ProvingRecovery.md"]

  @Test("B79: every command line in the code blocks is one that the tool understands", arguments: documents)
  func commandLines(document: String) throws {
    let text = try String(contentsOfFile: "\(BuiltProducts.packageRoot())/\(document)", encoding: .utf8)
    let blocks = text.replacing("\\\n", with: " ").components(separatedBy: "```")
    let lines = stride(from: 1, to: blocks.count, by: 2).flatMap { blocks[$0].split(separator: "\n") }
      .filter { $0.hasPrefix("parser-ota ") }
    #expect(!lines.isEmpty)
    for line in lines {
      try withPlayground { playground in
        let result = try playground.tool.shell(
          "export https_proxy=http://127.0.0.1:1 PARSER_OTA_VERSION=1 PARSER_OTA_LAUNCH=0123456789abcdef"
            + " PARSER_OTA_KEY_PASSPHRASE=secret URL=http://127.0.0.1:1/; "
            + line.replacing("KEY_ID", with: String(repeating: "0", count: 64))
        )
        // The files of the README are not there, which ends with 2 as well.
        let isUnderstood =
          result.status != .exited(2)
          || [" does not exist\n", " is not a store "].contains { result.errors.contains($0) }
        #expect(isUnderstood, "\(line): \(result.errors)")
      }
    }
  }

  @Test("B79: every command that the README mentions in a sentence exists")
  func mentions() throws {
    let text = try Self.readme()
    let mentions = text.matches(of: #/`parser-ota ([^`]+)`/#).map { String($0.output.1) }
    #expect(mentions.count >= 5)
    for mention in mentions {
      try withPlayground { playground in
        let line = mention.replacing("bash|zsh|fish", with: "bash")
        let answer = try playground.tool(line + " --json")
        let code = try? JSONAnswer(answer).code
        #expect(!Self.strangers.contains(code ?? ""), "\(answer)")
      }
    }
  }

  @Test("B79: the exit statuses of the README are those of the reference")
  func exitStatuses() throws {
    let reference = try run(Tool.path(), ["help", "--markdown"], environment: Tool.bareEnvironment).output
    for status in 0...8 {
      func meaning(_ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("| \(status) | ") }.map(String.init)
      }
      let described = try #require(meaning(try Self.readme()), "status \(status) is not in the README")
      let own = try #require(meaning(reference), "status \(status) is not in the reference")
      #expect(described.contains(own.dropLast(2)), "\(described) \(own)")
    }
  }

  @Test("B79: standard output is data: activate --print gives exactly the bytes, and talks elsewhere")
  func data() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      for (what, file) in [("bundle", "bundle-2.js"), ("sources", "sources.json")] {
        let answer = try playground.must("device activate --store store --print \(what)")
        let isSame = try answer.result.stdout == playground.read(file)
        #expect(isSame, "\(what) has other bytes")
        let json = try playground.tool.json("device activate --store store --print \(what)")
        #expect(try json.string("content") == String(decoding: playground.read(file), as: UTF8.self))
      }
      let piped = try playground.tool.shell(
        "parser-ota device activate --store store --print bundle | cmp - bundle-2.js")
      #expect(piped.status == .exited(0), "\(piped.errors)")
      let published = try playground.must("publish --feed feed --bundle bundle-3.js --sources sources.json")
      #expect(published.output.hasPrefix("release 3\n"))
      #expect(published.errors == "published release 3 on channel stable\n")
    }
  }

  @Test("B79: a digest is 64 hexadecimal digits, and nothing else is taken for one")
  func digest() throws {
    try withPlayground { playground in
      try playground.makeFeed()
      for text in ["parsers.zip", "", String(repeating: "g", count: 64), String(repeating: "0", count: 63)] {
        let answer = try playground.tool([
          "publish", "--feed", "feed", "--bundle", "bundle-1.js", "--sources", "sources.json",
          "--expect-parent=\(text)",
        ])
        #expect(answer.code == 2, "\(answer)")
      }
    }
  }

  @Test(
    "the completion scripts are ones that the shells can read",
    arguments: [("bash", "/usr/bin/bash"), ("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
  func completions(shell: String, path: String) throws {
    try withPlayground { playground in
      let script = try playground.must("completions \(shell)")
      #expect(script.errors.isEmpty)
      for row in VerbRow.all {
        #expect(script.output.contains(row.words.split(separator: " ").last ?? ""), "\(row.words)")
      }
      try playground.write("script", script.result.stdout)
      try #require(access(path, X_OK) == 0, "\(shell) is not installed")
      let check = try run(path, ["-n", playground.path("script")])
      #expect(check.status == .exited(0) && check.errors.isEmpty, "\(check.errors)")
    }
  }

  @Test("the quickstart is a script that bash can read")
  func quickstart() throws {
    let check = try run("/bin/bash", ["-n", BuiltProducts.packageRoot() + "/ci/quickstart"])
    #expect(check.status == .exited(0), "\(check.errors)")
  }
}
