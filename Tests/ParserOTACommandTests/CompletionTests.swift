import Glibc
import TestSupport
import Testing

@testable import ParserOTACommand

/// The scripts as the real shells see them.
@Suite struct CompletionTests {
  static func path(of shell: CompletionShell) -> String? {
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(shell.rawValue)" }
      .first { access($0, X_OK) == 0 }
  }

  static func isInstalled(_ shell: CompletionShell) -> Bool { path(of: shell) != nil }

  /// Runs a program of the shell that finds the script of the sample table at `$SCRIPT`.
  static func run(
    _ shell: CompletionShell, _ options: [String] = [], _ program: String, table: CommandTable = Sample.table
  ) throws -> [String] {
    try withTemporaryDirectory { directory in
      let file = directory.path("script")
      let write = try TestSupport.run(
        "/bin/sh", ["-c", "cat > \"$0\"", file], stdin: Array(shell.script(for: table).utf8))
      #expect(write.status == .exited(0))
      for name in ["data", "my folder"] { #expect(mkdir(directory.path(name), 0o700) == 0) }
      #expect(creat(directory.path("file.json"), 0o600) >= 0)
      let result = try TestSupport.run(
        try #require(path(of: shell)), options + ["-c", program],
        environment: ["PATH": "/usr/bin:/bin", "SCRIPT": file, "HOME": directory.path, "TERM": "dumb"],
        directory: directory.path, timeout: .seconds(30))
      #expect(result.errors == "")
      #expect(result.status == .exited(0))
      return result.output.split(separator: "\n").map(String.init)
    }
  }

  @Test("each shell accepts its script", arguments: CompletionShell.allCases, [0, 1])
  func syntax(shell: CompletionShell, index: Int) throws {
    guard let path = Self.path(of: shell) else {
      withKnownIssue("\(shell.rawValue) is not installed, its script was not read") {
        Issue.record("skipped")
      }
      return
    }
    let result = try withTemporaryDirectory { directory in
      let file = directory.path("script")
      _ = try TestSupport.run(
        "/bin/sh", ["-c", "cat > \"$0\"", file],
        stdin: Array(shell.script(for: AgreementTests.tables[index]).utf8))
      return try TestSupport.run(path, ["-n", file])
    }
    #expect(result.status == .exited(0))
    #expect(result.errors == "")
  }

  @Test(
    "bash offers what the table has", .enabled(if: isInstalled(.bash)),
    arguments: [
      ("sample ''", ["publish", "device", "fail", "help", "version", "completions"]),
      ("sample pu", ["publish"]),
      ("sample device ''", ["init", "wipe"]),
      ("sample device init --fo", ["--force"]),
      ("sample -q device w", ["wipe"]),
      ("sample publish --", Sample.publish.spec.options.map(\.dashed)),
      ("sample publish --channel ''", ["stable", "beta"]),
      ("sample publish -c b", ["beta"]),
      ("sample publish --channel = s", ["stable"]),
      ("sample publish --channel =", ["stable", "beta"]),
      ("sample publish --feed ''", ["data", "my folder"]),
      ("sample publish --sources f", ["file.json"]),
      ("sample publish --feed data f", ["file.json"]),
      ("sample completions z", ["zsh"]),
    ])
  func bash(line: String, expected: [String]) throws {
    let found = try Self.run(
      .bash, ["--norc"],
      """
      source "$SCRIPT"; COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _sample
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    let global = CommandTable.globalOptions + CommandTable.topLevelOptions
    #expect(found.filter { !global.flatMap(\.spellings).contains($0) }.sorted() == expected.sorted())
  }

  @Test("bash offers nothing where free text is wanted", .enabled(if: isInstalled(.bash)))
  func bashText() throws {
    let found = try Self.run(
      .bash, ["--norc"],
      "source \"$SCRIPT\"; COMP_WORDS=(sample publish --notes ''); COMP_CWORD=3; _sample; echo ${#COMPREPLY[@]}"
    )
    #expect(found == ["0"])
  }

  @Test(
    "fish offers what the table has", .enabled(if: isInstalled(.fish)),
    arguments: [
      ("sample ", ["publish", "device", "fail", "help", "version", "completions"]),
      ("sample device ", ["init", "wipe"]),
      ("sample -q device w", ["wipe"]),
      ("sample publish --channel ", ["stable", "beta"]),
      ("sample publish -c b", ["beta"]),
      ("sample publish --channel=s", ["--channel=stable"]),
      ("sample publish --dry", ["--dry-run"]),
      ("sample publish --feed d", ["data/"]),
      ("sample publish --sources f", ["file.json"]),
      ("sample completions z", ["zsh"]),
    ])
  func fish(line: String, expected: [String]) throws {
    let found = try Self.run(.fish, ["--no-config"], "source $SCRIPT; complete -C '\(line)'")
    #expect(found.map { String($0.prefix { $0 != "\t" }) }.sorted() == expected.sorted())
  }

  @Test("fish offers every option of a verb", .enabled(if: isInstalled(.fish)))
  func fishOptions() throws {
    let found = try Self.run(.fish, ["--no-config"], "source $SCRIPT; complete -C 'sample publish --'")
    let names = Set(found.map { String($0.prefix { $0 != "\t" }) })
    #expect(names == Set(Sample.table.options(at: ["publish"]).map(\.dashed)))
    #expect(found.contains("--notes\tit's what changed: [a] \"word\" | $HOME `x`"))
  }

  /// Runs the function with stand-ins for the completion system that print what they are given.
  @Test(
    "zsh offers what the table has", .enabled(if: isInstalled(.zsh)),
    arguments: [
      ("sample ''", ["publish", "device", "fail", "help", "version", "completions"]),
      ("sample device ''", ["init", "wipe"]),
      ("sample -q device ''", ["init", "wipe"]),
      ("sample publish --", Sample.publish.spec.options.map(\.dashed) + ["-c", "FILES"]),
      ("sample publish --channel ''", ["stable", "beta"]),
      ("sample publish --channel=s", ["stable", "beta"]),
      ("sample publish --feed ''", ["FILES -/"]),
      ("sample publish --sources ''", ["FILES"]),
      ("sample publish --notes ''", []),
      ("sample completions ''", ["bash", "zsh", "fish"]),
    ])
  func zsh(line: String, expected: [String]) throws {
    let found = try Self.run(
      .zsh, ["-f"],
      """
      _describe() { print -rl -- "${(@P)@[-1]}" }; _files() { print -r -- FILES $1 }; compset() { }
      source "$SCRIPT"; words=(\(line)); CURRENT=${#words}; _sample
      """)
    let global = (CommandTable.globalOptions + CommandTable.topLevelOptions).flatMap(\.spellings)
    let names = found.map { String($0.prefix { $0 != ":" }) }.filter { !global.contains($0) }
    #expect(names.sorted() == expected.sorted())
  }
}
