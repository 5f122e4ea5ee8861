import Foundation
import TestSupport
import Testing

@testable import ParserOTACommand

/// Parser, help, completions and reference are made from one table; this is where they must agree.
@Suite struct AgreementTests {
  static let tables = [CommandTable.shipped, Sample.table]

  @Test("the tables have no mistakes", arguments: [0, 1])
  func problems(index: Int) {
    #expect(Self.tables[index].problems == [])
  }

  @Test("mistakes in a table are found")
  func mistakesAreFound() {
    let bad = Verb(
      VerbSpec(
        ["bad"], summary: "bad",
        positionals: [
          PositionalSpec(name: "A", help: "a", count: .any), PositionalSpec(name: "B", help: "b"),
        ],
        options: [.flag("json", "twice"), .flag("x", "ends with a stop."), .flag("y", "y").completing(.file)]),
      run: { _, _ in .outcome("x", "x") })
    let problems = CommandTable(tool: "t", summary: "s", verbs: [bad, bad]).problems
    for part in ["twice", "--json", "full stop", "is a flag", "only the last", "after an optional"] {
      #expect(problems.contains { $0.contains(part) }, "\(part)")
    }
  }

  @Test("every option of every verb is in its help page", arguments: [0, 1])
  func help(index: Int) {
    let table = Self.tables[index]
    for path in table.paths {
      let page = HelpPage.lines(for: path, table).joined(separator: "\n")
      for option in table.options(at: path) {
        #expect(page.contains(option.synopsis), "\(path) \(option.name)")
        if let letter = option.shortName { #expect(page.contains("-\(letter), \(option.dashed)")) }
      }
      for word in table.words(after: path) { #expect(page.contains("  \(word)  "), "\(path) \(word)") }
    }
  }

  @Test("every option of every verb is in the reference and in each completion script", arguments: [0, 1])
  func scripts(index: Int) {
    let table = Self.tables[index]
    let page = ReferencePage.markdown(table)
    for verb in table.verbs {
      #expect(page.contains("## \(table.tool) \(verb.spec.name)\n"))
      for option in verb.spec.options + CommandTable.globalOptions {
        let short = option.shortName.map { "`-\($0)`, " } ?? ""
        #expect(page.contains("| \(short)`\(option.synopsis)` |"))
      }
      for shell in CompletionShell.allCases {
        let script = shell.script(for: table)
        for option in verb.spec.options {
          let name = shell == .fish ? "-l \(option.name) " : option.dashed
          let line = script.split(separator: "\n").contains {
            $0.contains(verb.spec.name) && $0.contains(name)
          }
          #expect(line, "\(shell) \(verb.spec.name) \(option.name)")
        }
      }
    }
  }

  @Test(
    "the manual page of every verb has its options, and man finds nothing to warn about", arguments: [0, 1])
  func manual(index: Int) throws {
    let table = Self.tables[index]
    for path in table.paths {
      let page = ManualPage.roff(for: path, table, version: "1.2.3")
      let name = ([table.tool] + path).joined(separator: "-")
      let shown = try Self.formatted(page)
      #expect(shown.warnings.isEmpty, "\(name): \(shown.warnings)")
      #expect(shown.text.contains(name), "\(name)")
      for option in table.options(at: path) {
        #expect(shown.text.contains(option.dashed), "\(name) \(option.name)")
      }
      for example in table.verb(at: path)?.spec.manual.examples ?? [] {
        #expect(shown.text.contains(example), "\(name): \(example)")
      }
    }
  }

  /// The page as a terminal shows it, and what the formatter complains about.
  private static func formatted(_ page: String) throws -> (text: String, warnings: String) {
    try withTemporaryDirectory { folder in
      let path = folder.path("page.1")
      try Data(page.utf8).write(to: URL(fileURLWithPath: path))
      let shown = try run(
        "/usr/bin/man", ["--warnings=w", "-E", "UTF-8", "-l", path],
        environment: ["MANWIDTH": "200", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"])
      return (shown.output, shown.errors)
    }
  }

  @Test("every option that the help names is accepted by the parser")
  func parser() throws {
    for option in Sample.publish.spec.options {
      for spelling in option.spellings {
        let value = option.takesValue ? ["\(spelling)=\(option.shape.choices.first ?? "x")"] : [spelling]
        let feed = option.name == "feed" ? [] : ["--feed", "x"]
        _ = try Sample.read(["publish"] + feed + value)
      }
    }
  }

  @Test("help is at most 80 columns wide and starts with what the verb is for")
  func shape() {
    let lines = HelpPage.lines(for: ["publish"], Sample.table)
    #expect(lines[0] == "sample publish: publish a release")
    #expect(lines[2] == "usage: sample publish --feed DIR [options] [FILE…]")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains("  sample publish --feed site"))
    #expect(lines.contains("  6  the same thing was published or changed by others meanwhile"))
    #expect(lines.contains("  2  the command line is wrong or names what is not there, nothing was started"))
  }
}
