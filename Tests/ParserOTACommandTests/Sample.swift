import Testing

import OTAManifest
@testable import ParserOTACommand

/// The status of the tool, not the one of Testing's exit tests.
typealias ExitStatus = ParserOTACommand.ExitStatus

/// A table that has one of everything, so that the frame is tested without the product's verbs.
enum Sample {
  static let table = CommandTable(
    tool: "sample", summary: "a tool with one of everything", groups: ["device": "look after a device"],
    verbs: [publish, device, wipe, fail, .help, .version, .completions])

  static let publish = Verb(
    VerbSpec(
      ["publish"], summary: "publish a release",
      positionals: [PositionalSpec(name: "FILE", help: "files to add", count: .any, shape: .file)],
      options: [
        .option("feed", "DIR", "the folder of the feed").completing(.directory).withoutSetting().required(),
        .option("channel", "NAME", "the channel").short("c").completing(.choice(["stable", "beta"])),
        .option("notes", "TEXT", "it's what changed: [a] \"word\" | $HOME `x`"),
        .option("alias", "OLD=NEW", "an old source id").repeatable(),
        .option("sources", "FILE", "the catalog").completing(.file),
        .option("release", "NUMBER", "the version"),
        .option("to", "NUMBER", "the version to go back to"),
        .flag("dry-run", "change nothing"),
      ],
      manual: VerbManual(
        details: ["A longer text."], examples: ["sample publish --feed site"], exits: [.done, .conflict])),
    run: { arguments, context throws(CommandFailure) in
      try arguments.refuseTogether("to", "dry-run")
      let release = try arguments.value("release") { text throws(Refusal) in
        guard let number = Int64(text) else { throw Refusal("must be a whole number") }
        if number < 1 { throw Refusal("must be at least 1") }
        return number
      }
      context.talk.note("reading \(try arguments.required("feed"))")
      var result = CommandResult.outcome(
        "published", "published release \(release ?? 1)", lines: ["https://example.org/"],
        payload: [.init("zebra", .integer(1)), .init("ant", release.map { .integer($0) } ?? .null)])
      result.warnings = ["the feed is unsigned"]
      return result
    })

  static let device = Verb(
    VerbSpec(
      ["device", "init"], summary: "prepare a device",
      positionals: [PositionalSpec(name: "DIR", help: "the directory", shape: .directory)],
      options: [.flag("force", "overwrite").short("f")]),
    run: { _, _ in .outcome("ready", "ready") })

  static let wipe = Verb(
    VerbSpec(["device", "wipe"], summary: "remove everything", options: [.flag("yes", "do not ask")]),
    run: { arguments, context throws(CommandFailure) in
      try Confirmation.ask("remove everything", arguments, context)
      return .outcome("wiped", "wiped")
    })

  static let fail = Verb(
    VerbSpec(["fail"], summary: "always fail"),
    run: { _, _ throws(CommandFailure) in
      var failure = CommandFailure(
        .untrustedContent, code: "bad-digest",
        message: "manifest.json: \u{1B}[2Jbundle.sha256\nhint: differs",
        kept: "release 37 still runs", hint: "run the command again")
      failure.payload = [.init("field", .string("bundle.sha256"))]
      throw failure
    })

  /// Runs the sample tool on a recording console.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], on console: any Console
  ) async -> ExitStatus {
    await CommandTool(table).run(
      arguments: arguments,
      in: Surroundings(
        environment: environment, console: console,
        clock: ToolClock(wallSeconds: { 1_781_169_164 }, milliseconds: { 0 }), currentDirectory: "/here"))
  }

  /// Reads a command line without running it.
  static func read(_ arguments: [String]) throws(CommandFailure) -> Request {
    try ArgumentReader(table: table).read(Scanner.tokens(of: arguments))
  }

  /// The arguments of a command line that must be readable.
  static func arguments(_ words: String...) throws -> ParsedArguments {
    guard case .run(_, let arguments) = try read(words) else {
      throw CommandFailure(.usage, code: "not-a-run", message: "\(words) is not a run")
    }
    return arguments
  }
}
