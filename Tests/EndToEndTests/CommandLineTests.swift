import Foundation
import TestSupport
import Testing

/// Check 7 of the contract, the part about command lines: for every verb and every option.
@Suite(.ownThreads) struct CommandLineTests {
  /// A command line that is refused starts nothing, so these share one folder and look at it again at the end.
  private static let idle = Result { try SharedPlaygrounds.make() }

  private func withIdlePlayground(_ body: (Playground) throws -> Void) throws {
    let playground = try Self.idle.get()
    try body(playground)
    #expect(try playground.directory.names().count == 5, "a refused command line left something")
  }

  private static let globals = ["--json", "--quiet", "--no-color", "--help"]

  @Test("check 7: every verb of the tool has a row in these tests, and every row is a verb")
  func table() throws {
    func verbs(_ words: [String]) throws -> [String] {
      let page = try run(Tool.path(), words + ["--help"], environment: Tool.bareEnvironment).output
      guard let list = page.components(separatedBy: "\nverbs:\n").dropFirst().first else {
        return [words.joined(separator: " ")]
      }
      // A group may be a verb as well, such as config.
      let own = words.isEmpty || page.contains(" VERB ") ? [] : [words.joined(separator: " ")]
      return try own
        + list.components(separatedBy: "\n\n")[0].split(separator: "\n").flatMap { line in
          // Lines that go on with the summary above are indented deeper.
          try line.hasPrefix("   ") ? [] : verbs(words + [String(line.split(separator: " ")[0])])
        }
    }
    let found = try verbs([])
    #expect(found.sorted() == VerbRow.all.map(\.words).sorted())
    #expect(try Set(Reference.shared.get().options.keys) == Set(found))
  }

  @Test(
    "check 7: an unknown option is refused with its name and a hint, and nothing is started",
    arguments: VerbRow.all)
  func unknownOption(row: VerbRow) throws {
    try withIdlePlayground { playground in
      for extra in ["--bogus", "--bogus=1", "-Z"] {
        let answer = try playground.tool("\(row.successLine) \(extra)")
        Self.expectUsage(answer, "unknown option \(extra.prefix { $0 != "=" })")
      }
    }
  }

  @Test(
    "check 7: a value that is missing, empty or given to a flag is refused by name", arguments: VerbRow.all)
  func missingValue(row: VerbRow) throws {
    try withIdlePlayground { playground in
      for option in try Self.options(of: row) {
        if option.valueName == nil {
          Self.expectUsage(
            try playground.tool("\(row.words) \(option.name)=yes"), "\(option.name) takes no value")
          continue
        }
        Self.expectUsage(try playground.tool("\(row.words) \(option.name)"), "\(option.name) needs a value")
        Self.expectUsage(
          try playground.tool("\(row.words) \(option.name) --json"), "\(option.name) needs a value")
        // Texts that scripts fill in may have nothing in them.
        if ["--notes", "--reason"].contains(option.name), row.words != "device fail" { continue }
        Self.expectUsage(
          try playground.tool("\(row.words) \(option.name)="), "\(option.name) has an empty value")
      }
    }
  }

  @Test(
    "check 7: an option given twice is refused by name, unless it may be repeated", arguments: VerbRow.all)
  func repeated(row: VerbRow) throws {
    try withIdlePlayground { playground in
      for option in try Self.options(of: row) {
        let once = option.valueName == nil ? [option.name] : [option.name, option.sample]
        // What may be repeated is stopped by something else, so that nothing is started.
        let end = option.isRepeatable ? ["--bogus"] : []
        let words = row.words.split(separator: " ").map(String.init)
        let answer = try playground.tool(words + once + once + end)
        if option.isRepeatable {
          #expect(!answer.errors.contains("given twice"), "\(answer)")
        } else {
          Self.expectUsage(answer, "\(option.name) is given twice")
        }
      }
      for name in Self.globals where name != "--help" {
        Self.expectUsage(try playground.tool("\(row.words) \(name) \(name)"), "\(name) is given twice")
      }
    }
  }

  @Test("check 7: a required option that is left out is named", arguments: VerbRow.all)
  func required(row: VerbRow) throws {
    try withIdlePlayground { playground in
      let options = try Self.options(of: row).filter(\.isRequired)
      for missing in options {
        let others = options.filter { $0.name != missing.name }
          .flatMap { $0.valueName == nil ? [$0.name] : [$0.name, $0.sample] }
        let answer = try playground.tool(row.wordsAndArguments + others)
        Self.expectUsage(answer, "missing \(missing.name)")
      }
    }
  }

  @Test(
    "check 7: every example in the help of a verb is a command line that is understood",
    arguments: VerbRow.all)
  func examples(row: VerbRow) throws {
    let examples = try #require(try Reference.shared.get().examples[row.words])
    #expect(!examples.isEmpty, "\(row.words) shows no example")
    for example in examples {
      try withPlayground { playground in
        // Nothing that an example names is there, so most fail; none may fail for how it is written.
        var tool = playground.tool
        tool.environment = [
          "https_proxy": "http://127.0.0.1:1", "PARSER_OTA_KEY_PASSPHRASE": "of an example",
        ]
        let line = example.replacing("KEY_ID", with: String(repeating: "0", count: 64))
        let result = try tool.shell(
          "cd \(playground.path("")) && touch references.txt; HOME=$PWD; \(line)")
        let names = ["/bin/bash: ", " does not exist\n", "is not a store", "is not a feed"]
        let isOfFiles = names.contains { result.errors.contains($0) }
        #expect(result.status != .exited(2) || isOfFiles, "\(example): \(result.errors)")
      }
    }
  }

  private static func options(of row: VerbRow) throws -> [ReferenceOption] {
    try #require(try Reference.shared.get().options[row.words])
  }

  private static func expectUsage(
    _ answer: Answer, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(answer.code == 2, "\(answer)", sourceLocation: sourceLocation)
    #expect(
      answer.line("error")?.contains(message) == true, "expected \(message): \(answer)",
      sourceLocation: sourceLocation)
    #expect(answer.line("hint") != nil, "\(answer)", sourceLocation: sourceLocation)
    #expect(
      answer.output.isEmpty || answer.output.hasPrefix("{"), "\(answer)", sourceLocation: sourceLocation)
  }
}
