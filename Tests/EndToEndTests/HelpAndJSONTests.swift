import Foundation
import TestSupport
import Testing

/// Check 7 of the contract, the part about what is printed: for every verb.
@Suite(.ownThreads) struct HelpAndJSONTests {
  @Test(
    "check 7: the help of a verb names every option, an example and the exit statuses", arguments: VerbRow.all
  )
  func help(row: VerbRow) throws {
    try withPlayground { playground in
      for line in [
        "\(row.words) --help", "\(row.words) -h", "help \(row.words)", "\(row.failureLine) --help",
      ] {
        let answer = try playground.tool(line)
        #expect(answer.code == 0, "\(answer)")
        #expect(answer.errors.isEmpty, "\(answer)")
        #expect(answer.output.hasPrefix("parser-ota \(row.words): "), "\(answer)")
        for part in [
          "usage: parser-ota \(row.words)", "\nexamples:\n  parser-ota ", "\nexit status:\n  0  ", "\n  2  ",
        ] {
          #expect(answer.output.contains(part), "\(part) is missing: \(answer)")
        }
        for option in try #require(try Reference.shared.get().options[row.words]) {
          #expect(answer.output.contains(option.name), "\(option.name) is missing: \(answer)")
        }
        for name in ["--json", "-q, --quiet", "--no-color", "-h, --help"] {
          #expect(answer.output.contains(name))
        }
      }
      #expect(try playground.directory.names().count == 5, "help changed something")
    }
  }

  @Test(
    "check 7: with --json a success is one object on standard output: ok, code, message first",
    arguments: VerbRow.all)
  func success(row: VerbRow) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.makeSignedFeed()
      let answer = try playground.tool.json(SignedScene.filled(row.successLine))
      #expect(answer.ok == true)
      #expect(answer.keys.prefix(5) == ["ok", "code", "message", "format", "exit"])
      #expect(answer.code?.wholeMatch(of: #/[a-z]+(-[a-z]+)*/#) != nil)
      #expect(!answer.message.isEmpty && !answer.message.hasSuffix("."))
      #expect(Set(answer.keys).count == answer.keys.count, "a key stands twice: \(answer.keys)")
    }
  }

  @Test(
    "check 7: with --json a failure is one object on standard output too, with its documented status",
    arguments: VerbRow.all)
  func failure(row: VerbRow) throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      try playground.makeSignedFeed()
      let answer = try playground.tool.json(SignedScene.filled(row.failureLine), status: row.failureStatus)
      #expect(answer.ok == false)
      #expect(answer.keys.prefix(5) == ["ok", "code", "message", "format", "exit"])
      #expect(answer.answer.errors.contains("error: \(answer.message)\n") || row.words == "source resolve")
      let documented = try playground.tool("\(row.words) --help").output.components(
        separatedBy: "exit status:"
      ).last
      #expect(
        documented?.contains("\n  \(row.failureStatus)  ") == true,
        "status \(row.failureStatus) is not in the help")
    }
  }

  @Test(
    "check 7: a usage error with --json is one object too, wherever the option stands", arguments: VerbRow.all
  )
  func usage(row: VerbRow) throws {
    try withPlayground { playground in
      let answer = try playground.tool.json("\(row.words) --bogus", status: 2)
      #expect(answer.keys.prefix(5) == ["ok", "code", "message", "format", "exit"])
      #expect(answer.code == "unknown-option")
      #expect(answer.string("hint") != nil)
      #expect(try JSONAnswer(playground.tool("--json \(row.words) --bogus")).code == "unknown-option")
    }
  }

  @Test(
    "check 7: without --json the answer of a question is on standard output and the news on standard error")
  func streams() throws {
    try withPlayground { playground in
      try playground.makeConfirmedDevice()
      for verb in ["device status", "device history", "device explain"] {
        let answer = try playground.must("\(verb) --store store")
        #expect(!answer.output.isEmpty && answer.errors.isEmpty, "\(answer)")
      }
      for line in [
        "device rollback --store store", "device forget --store store", "device pin --store store",
      ] {
        let answer = try playground.must(line)
        #expect(answer.output.isEmpty && !answer.errors.isEmpty, "\(answer)")
      }
    }
  }
}
