import Foundation
import Glibc
import TestSupport
import Testing

/// Inputs that a checkout, a merge or a shell made something else of.
@Suite(.ownThreads) struct StrayInputTests {
  static let strays = [
    (
      "pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "is a Git LFS pointer",
      "git lfs pull"
    ),
    (
      "conflict", "[\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> theirs\n]\n", "line 2 is a conflict marker",
      "resolve the merge"
    ),
    ("page", "<!doctype html><title>login</title>", "HTML page", "login or error page"),
    ("empty", "", "is empty", "build the file again"),
  ]
  private static let rest = "--source ALPHA --engine engine"

  @Test("N25: an input that is something else is named as what it is, with exit 3", arguments: strays)
  func inputs(name: String, text: String, message: String, advice: String) throws {
    try withPlayground { playground in
      try playground.makeDevice()
      try playground.write(name, text)
      // A script may hold the markers of a merge as text: the gate shows them.
      let isOfScripts = name != "conflict"
      for line in [
        "publish --feed feed --bundle \(name) --sources sources.json",
        "publish --feed feed --bundle bundle-3.js --sources \(name)",
        "run list --bundle \(name) --sources sources.json \(Self.rest)",
        "record --bundle bundle-3.js --sources \(name) --out out \(Self.rest)",
        "source resolve --sources \(name) ALPHA", "device explain --store store --manifest \(name)",
      ] where isOfScripts || !line.contains("--bundle \(name)") {
        let answer = try playground.tool(line)
        #expect(answer.code == 3, "\(answer)")
        #expect(answer.line("error")?.contains(message) == true, "\(answer)")
        #expect(answer.line("hint")?.contains(advice) == true, "\(answer)")
      }
      for files in ["--bundle \(name) --sources sources.json", "--bundle bundle-3.js --sources \(name)"]
      where isOfScripts || !files.contains("--bundle \(name)") {
        let answer = try playground.tool("check \(files)")
        #expect(answer.code == 3, "\(answer)")
        // The finding is one line, and what to do goes on below it.
        let finding = answer.output.split(separator: "\n").first { $0.hasPrefix("input  refused  \(name): ") }
        let words = answer.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(finding?.contains(message) == true && words.contains("to do: "), "\(answer)")
        #expect(words.contains(advice), "\(answer)")
      }
    }
  }

  @Test(
    "N24, N25: a bundle, a catalog and a manifest may come through pipes, and an empty pipe is not waited for"
  )
  func pipes() throws {
    try withPlayground { playground in
      try playground.makeDevice()
      let check = "parser-ota check --allow no-engine"
      for script in [
        "\(check) --bundle <(cat bundle-3.js) --sources sources.json",
        "\(check) --bundle bundle-3.js --sources <(sleep 0.2; cat sources.json)",
        "cat bundle-3.js | \(check) --bundle /dev/stdin --sources sources.json",
        "parser-ota source resolve --sources <(cat sources.json) ALPHA",
        "parser-ota device explain --store store --manifest <(cat feed/manifest.json)",
      ] {
        let result = try playground.tool.shell(script)
        #expect(result.status == .exited(0), "\(script): \(result.output)\(result.errors)")
      }
      let nothing = try playground.tool.shell("\(check) --bundle <(true) --sources sources.json")
      #expect(nothing.status == .exited(2), "\(nothing.output)\(nothing.errors)")
      let endless = try playground.tool.shell("\(check) --bundle bundle-3.js --sources <(yes)")
      #expect(endless.status == .exited(3), "\(endless.output)\(endless.errors)")
    }
  }

  @Test("N25: a link that leads nowhere is said to be one")
  func link() throws {
    try withPlayground { playground in
      symlink("nowhere", playground.path("link.js"))
      for line in [
        "check --bundle link.js --sources sources.json", "source resolve --sources link.js ALPHA",
      ] {
        let answer = try playground.tool(line)
        #expect(
          answer.code == 2 && answer.line("error")?.contains("symbolic link that leads to nothing") == true,
          "\(answer)")
      }
    }
  }
}
