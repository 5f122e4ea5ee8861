import Testing

@testable import ParserOTACommand

@Suite struct ArgumentReaderTests {
  /// A wrong command line, with the code, the message and the hint that it must get.
  struct Mistake: CustomTestStringConvertible {
    let line: [String]
    let code: String
    let message: String
    let hint: String

    init(_ line: [String], _ code: String, _ message: String, _ hint: String) {
      self.line = line
      self.code = code
      self.message = message
      self.hint = hint
    }

    var testDescription: String { line.joined(separator: " ") }
  }

  static let publishHelp = "see sample publish --help"
  static let mistakes: [Mistake] = [
    Mistake([], "missing-verb", "missing verb", "one of: publish, device, fail, help, version, completions"),
    Mistake(["device"], "missing-verb", "missing verb after device", "one of: init, wipe"),
    Mistake(["pubilsh"], "unknown-verb", "unknown verb pubilsh", "did you mean publish"),
    Mistake(["device", "int"], "unknown-verb", "unknown verb device int", "did you mean device init"),
    Mistake(["zzzzzzz"], "unknown-verb", "unknown verb zzzzzzz", "see sample --help"),
    Mistake(
      ["--", "zz"], "missing-verb", "missing verb",
      "one of: publish, device, fail, help, version, completions"),
    Mistake(
      ["publish", "--surces", "x"], "unknown-option", "unknown option --surces", "did you mean --sources"),
    Mistake(["publish", "--chan", "x"], "unknown-option", "unknown option --chan", "did you mean --channel"),
    Mistake(["publish", "-x"], "unknown-option", "unknown option -x", publishHelp),
    Mistake(["publish", "-qh2"], "unknown-option", "unknown option -qh2", publishHelp),
    Mistake(["--jsn", "publish"], "unknown-option", "unknown option --jsn", "did you mean --json"),
    Mistake(
      ["--feed", "x", "publish"], "unknown-option", "--feed stands before the verb",
      "put the verb first, then its options"),
    Mistake(["publish", "--version"], "unknown-option", "unknown option --version", publishHelp),
    Mistake(["publish", "--feed"], "missing-value", "--feed needs a value: --feed DIR", publishHelp),
    Mistake(
      ["publish", "--feed", "--dry-run"], "missing-value", "--feed needs a value: --feed DIR",
      "if --dry-run is the value, write --feed=--dry-run"),
    Mistake(
      ["publish", "--release", "-5"], "missing-value", "--release needs a value: --release NUMBER",
      "if -5 is the value, write --release=-5"),
    Mistake(
      ["publish", "--feed", "--", "x"], "missing-value", "--feed needs a value: --feed DIR", publishHelp),
    Mistake(
      ["publish", "--dry-run=yes"], "value-not-allowed", "--dry-run takes no value", "write --dry-run alone"),
    Mistake(["--quiet=1", "publish"], "value-not-allowed", "--quiet takes no value", "write --quiet alone"),
    Mistake(
      ["publish", "--feed", "a", "--feed=b"], "repeated-option", "--feed is given twice", "keep one --feed"),
    Mistake(["-q", "publish", "-q", "--feed", "a"], "repeated-option", "-q is given twice", "keep one -q"),
    Mistake(["publish", "--channel", "beta"], "missing-option", "missing --feed DIR", publishHelp),
    Mistake(
      ["publish", "--feed", ""], "empty-value", "--feed has an empty value",
      "give a value or leave --feed out"),
    Mistake(
      ["publish", "--feed="], "empty-value", "--feed has an empty value", "give a value or leave --feed out"),
    Mistake(
      ["publish", "--channel", "bta"], "invalid-value", "--channel bta: must be one of stable, beta",
      "did you mean beta"),
    Mistake(["fail", "now"], "unexpected-argument", "unexpected argument now", "see sample fail --help"),
    Mistake(["device", "init"], "missing-argument", "missing DIR", "see sample device init --help"),
  ]

  @Test("each mistake is exit 2 with its own message and a hint", arguments: mistakes)
  func mistake(_ mistake: Mistake) {
    let failure = #expect(throws: CommandFailure.self) { try Sample.read(mistake.line) }
    #expect(failure?.status == .usage)
    #expect(failure?.code == mistake.code)
    #expect(failure?.message == mistake.message)
    #expect(failure?.hint == mistake.hint)
  }

  @Test("every kind of usage error has a hint, lower case and without a full stop")
  func hints() {
    for mistake in Self.mistakes {
      #expect(!mistake.hint.isEmpty && !mistake.hint.hasSuffix(".") && !mistake.message.hasSuffix("."))
    }
    #expect(Set(Self.mistakes.map(\.code)).count == 11)
  }

  @Test("options and arguments are found in any order after the verb, global flags anywhere")
  func order() throws {
    let arguments = try Sample.arguments(
      "-q", "publish", "a", "--alias", "A=B", "--feed", "-", "-c", "beta", "--alias=C=D", "--json", "--",
      "--x")
    #expect(arguments.value("feed") == "-")
    #expect(arguments.value("channel") == "beta")
    #expect(arguments.values("alias") == ["A=B", "C=D"])
    #expect(arguments.positionals("FILE") == ["a", "--x"])
    #expect(!arguments.flag("dry-run") && arguments.value("to") == nil)
    #expect(arguments.flags.json && arguments.flags.quiet)
  }

  @Test("a value may start with dashes when it is written behind =")
  func inlineDashes() throws {
    #expect(try Sample.arguments("publish", "--feed=--x").value("feed") == "--x")
  }

  @Test("global flags may stand between the words of a verb")
  func flagsBetweenWords() throws {
    let arguments = try Sample.arguments("--no-color", "device", "--json", "init", "dir", "-f")
    #expect(arguments.spec.path == ["device", "init"])
    #expect(arguments.flags.json && arguments.flags.noColor && arguments.flag("force"))
  }

  @Test(
    "help wins over every mistake and knows the group",
    arguments: [
      (["--help"], [String]()), (["-h", "--bogus"], []), (["device", "-h"], ["device"]),
      (["publish", "--bogus", "--help"], ["publish"]), (["device", "init", "--help"], ["device", "init"]),
    ])
  func help(line: [String], path: [String]) throws {
    guard case .help(let found) = try Sample.read(line) else {
      Issue.record("\(line) is not a request for help")
      return
    }
    #expect(found == path)
  }

  @Test("--help behind -- is an argument")
  func helpAsArgument() throws {
    #expect(try Sample.arguments("publish", "--feed", "x", "--", "--help").positionals("FILE") == ["--help"])
  }

  @Test("B70: a missing required value is named, whether the table or the verb asks for it")
  func requiredByVerb() throws {
    let arguments = try Sample.arguments("publish", "--feed", "x")
    let failure = #expect(throws: CommandFailure.self) { try arguments.required("to") }
    #expect(failure?.message == "missing --to NUMBER")
    #expect(failure?.status == .usage)
  }

  @Test("typed reading refuses with the reason of the type")
  func typed() throws {
    let number = Refusal.unless("must be a whole number") { Int($0) }
    let arguments = try Sample.arguments("publish", "--feed", "x", "--release", "12", "--to", "x", "7")
    #expect(try arguments.required("release", as: number) == 12)
    #expect(try arguments.positional("FILE", as: number) == 7)
    #expect(try arguments.value("notes", as: number) == nil)
    let failure = #expect(throws: CommandFailure.self) { try arguments.value("to", as: number) }
    #expect(failure?.message == "--to x: must be a whole number")
    #expect(failure?.code == "invalid-value")
  }

  @Test("combinations that make no sense are refused by name")
  func combinations() throws {
    let both = try Sample.arguments("publish", "--feed", "x", "--to", "3", "--dry-run")
    let failure = #expect(throws: CommandFailure.self) { try both.refuseTogether("to", "dry-run") }
    #expect(failure?.message == "--to and --dry-run cannot be given together")
    #expect(failure?.hint == "leave out --to or --dry-run")
    #expect(throws: CommandFailure.self) { try both.requireExactlyOne(of: "to", "dry-run") }
    let none = try Sample.arguments("publish", "--feed", "x")
    let missing = #expect(throws: CommandFailure.self) { try none.requireExactlyOne(of: "to", "dry-run") }
    #expect(missing?.message == "missing one of --to, --dry-run")
    try none.refuseTogether("to", "dry-run")
    try Sample.arguments("publish", "--feed", "x", "--dry-run").requireExactlyOne(of: "to", "dry-run")
  }
}
