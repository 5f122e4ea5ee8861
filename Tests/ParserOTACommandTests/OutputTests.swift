import Foundation
import Testing

@testable import ParserOTACommand

@Suite struct OutputTests {
  @Test("B79: data goes to standard output, talk to standard error")
  func streams() async {
    let console = RecordingConsole()
    #expect(await Sample.run(["publish", "--feed", "site"], on: console) == .done)
    #expect(console.data == "https://example.org/\n")
    #expect(console.talk == "reading site\nwarning: the feed is unsigned\npublished release 1\n")
  }

  @Test("quiet leaves data and errors, nothing else")
  func quiet() async {
    let console = RecordingConsole()
    #expect(await Sample.run(["publish", "--feed", "site", "-q"], on: console) == .done)
    #expect(console.data == "https://example.org/\n")
    #expect(console.talk == "")
    #expect(await Sample.run(["fail", "--quiet"], on: console) == .untrustedContent)
    #expect(console.talk.hasPrefix("error: "))
  }

  @Test("a failure says what is wrong, what was kept and what to do, and cannot steer the terminal")
  func failure() async {
    let console = RecordingConsole()
    #expect(await Sample.run(["fail"], on: console) == .untrustedContent)
    #expect(console.data == "")
    #expect(
      console.talk == """
        error: manifest.json: \\u{1b}[2Jbundle.sha256\\u{a}hint: differs
        kept: release 37 still runs
        hint: run the command again

        """)
  }

  @Test(
    "B39: with --json there is exactly one object, its ok agrees with the status, its keys have an order",
    arguments: [
      (
        ["publish", "--feed", "x", "--json", "--release", "7"], ExitStatus.done,
        ["ok", "code", "message", "format", "exit", "zebra", "ant", "warnings"]
      ),
      (
        ["--json", "fail"], .untrustedContent,
        ["ok", "code", "message", "format", "exit", "kept", "hint", "field"]
      ),
      (["publish", "--json"], .usage, ["ok", "code", "message", "format", "exit", "hint"]),
      (["publish", "--json", "--bogus"], .usage, ["ok", "code", "message", "format", "exit", "hint"]),
      (["--json"], .usage, ["ok", "code", "message", "format", "exit", "hint"]),
      (["device", "wipe", "--json"], .usage, ["ok", "code", "message", "format", "exit", "hint"]),
      (["--help", "--json"], .done, ["ok", "code", "message", "format", "exit", "help"]),
      (["--version", "--json"], .done, ["ok", "code", "message", "format", "exit", "version"]),
      (["help", "--markdown", "--json"], .done, ["ok", "code", "message", "format", "exit", "markdown"]),
      (["help", "--man", "--json"], .done, ["ok", "code", "message", "format", "exit", "man"]),
      (
        ["help", "--man", "--markdown", "--json"], .usage,
        ["ok", "code", "message", "format", "exit", "hint"]
      ),
      (
        ["completions", "zsh", "--json"], .done,
        ["ok", "code", "message", "format", "exit", "shell", "script"]
      ),
    ])
  func json(line: [String], status: ExitStatus, keys: [String]) async throws {
    let console = RecordingConsole(terminals: [.input, .data, .talk])
    #expect(await Sample.run(line, on: console) == status)
    let text = console.data
    let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["ok"] as? Bool == (status == .done))
    #expect(Set(object.keys) == Set(keys))
    #expect(text.hasSuffix("}\n") && text.filter { $0 == "\n" }.count == 1)
    let positions = keys.compactMap { text.range(of: "\"\($0)\":")?.lowerBound }
    #expect(positions.count == keys.count && positions == positions.sorted())
    #expect((object["hint"] as? String) != "")
  }

  @Test("--json behind -- does not change the output")
  func jsonAsArgument() async {
    let console = RecordingConsole()
    #expect(await Sample.run(["publish", "--feed", "x", "--", "--json"], on: console) == .done)
    #expect(console.data == "https://example.org/\n")
  }

  @Test(
    "help goes to standard output with status 0",
    arguments: [["--help"], ["publish", "-h"], ["help", "publish"]])
  func help(line: [String]) async {
    let console = RecordingConsole()
    #expect(await Sample.run(line, on: console) == .done)
    #expect(console.data.contains("usage: sample"))
    #expect(console.talk == "")
  }

  @Test("help for a verb that does not exist offers the near one")
  func helpUnknown() async {
    let console = RecordingConsole()
    #expect(await Sample.run(["help", "device", "int"], on: console) == .usage)
    #expect(console.talk == "error: unknown verb device int\nhint: did you mean device init\n")
  }

  @Test(
    "colours need a terminal, no NO_COLOR, no dumb terminal and no --no-color",
    arguments: [
      ([ConsoleStream.talk], [String: String](), [String](), true),
      ([.talk], ["NO_COLOR": ""], [], true),
      ([.talk], ["NO_COLOR": "1"], [], false),
      ([.talk], ["TERM": "dumb"], [], false),
      ([.talk], [:], ["--no-color"], false),
      ([.data, .input], [:], [], false),
    ])
  func colors(terminals: [ConsoleStream], environment: [String: String], flags: [String], colored: Bool) async
  {
    let console = RecordingConsole(terminals: Set(terminals))
    _ = await Sample.run(["fail"] + flags, environment: environment, on: console)
    #expect(console.talk.contains("\u{1B}[") == colored)
    #expect(console.talk.contains("error:"))
  }

  @Test(
    "B39: output that nobody received is not a success",
    arguments: [
      (OutputFailure.readerGone, ExitStatus.notAchieved, ""),
      (
        .refused(reason: "No space left on device"), .localDisk,
        "error: standard output could not be written: No space left on device\n"
      ),
    ])
  func lostOutput(failure: OutputFailure, status: ExitStatus, talk: String) async {
    let console = RecordingConsole()
    console.failData(failure)
    #expect(await Sample.run(["version"], on: console) == status)
    #expect(console.talk == talk)
    #expect(await Sample.run(["fail"], on: console) == .untrustedContent, "the first reason stays")
  }

  @Test("each status has its own number and explanation")
  func statuses() {
    #expect(ExitStatus.allCases.map(\.rawValue) == Array(0...8))
    #expect(Set(ExitStatus.allCases.map(\.explanation)).count == 9)
  }
}
