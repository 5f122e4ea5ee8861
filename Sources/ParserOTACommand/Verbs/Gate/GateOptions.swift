internal import OTAManifest
internal import ParserPages
internal import ParserPublisher

/// What `check` and `publish` have in common: how they are told about the gate.
enum GateOptions {
  static let alias = OptionSpec.option(
    "alias", "OLD=NEW",
    "a source id that changed its name; once for each, or a JSON object for ids with a ="
  ).repeatable()
  static let allowRemoved = OptionSpec.option(
    "allow-removed", "ID", "a source id that may disappear; once for each"
  ).repeatable()
  static let aliases = OptionSpec.option(
    "aliases", "FILE", "a JSON object of source ids that changed their names, old and new"
  ).completing(.file)
  static let allow = OptionSpec.option(
    "allow", "CODE[:ID]", "let a finding through, for one source or for all; once for each"
  ).repeatable()
  static let all: [OptionSpec] = [
    allow,
    ParserVerb.global,
    .option("fixtures", "DIR", "replay recorded sources, and refuse when they give less than before")
      .completing(
        .directory),
    .option("max-worse", "N", "how many recorded sources may give less all the same; 0 when left out"),
    .option(
      "engines", "LIST",
      "the oldest engines of apps, such as \"ios 15, android-webview 90\"; by default those of the feed's settings"
    ),
    .option(
      "contract-types", "FILE",
      "TypeScript declarations of what apps offer parsers beside the contract; once for each file"
    ).completing(.file).repeatable(),
    EngineChoice.option,
  ]

  /// The renamed sources of both options.
  static func aliases(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> [SourceAlias] {
    var pairs = try arguments.values("alias", as: Readings.aliases).flatMap(\.self)
    guard let path = arguments.value("aliases") else { return pairs }
    let bytes = try InputFile.read(path, option: "--aliases", maxBytes: maxContractBytes, context)
    let text = String(decoding: bytes.drop { $0 <= 0x20 }, as: UTF8.self)
    guard let more = Readings.aliasObject(text) else {
      throw InputFile.refusal(
        bytes, .inputInvalid, "--aliases \(path)",
        InputError(.malformed, "is not a JSON object such as {\"OLD\": \"NEW\"}"), "correct the file")
    }
    // What the command line says counts more.
    pairs += more.filter { pair in !pairs.contains { $0.old.hasSameBytes(as: pair.old) } }
    return pairs
  }

  /// The gate that the command line describes.
  static func gate(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> ReleaseGate {
    var gate = ReleaseGate(
      engine: try EngineChoice.read(arguments, context),
      allowances: try arguments.values("allow", as: Readings.allowance))
    if let name = try arguments.value("global", as: Readings.globalName) { gate.globalName = name }
    gate.fixtures = try fixtures(arguments, context)
    gate.engines = try arguments.value("engines", as: Readings.engines) ?? []
    gate.contractTypes = try contractTypes(arguments, context)
    return gate
  }

  private static func fixtures(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> FixtureDemand? {
    let worse = try arguments.value("max-worse", as: Readings.countOrNone)
    guard let path = arguments.value("fixtures") else {
      if worse != nil { throw arguments.usage(.missingOneOf(["--fixtures DIR"])) }
      return nil
    }
    let folder = FixtureFolder(try InputFolder.require(path, option: "--fixtures", context))
    return FixtureDemand(folder, maxWorse: worse ?? 0)
  }

  private static func contractTypes(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> [ContractTypes] {
    try arguments.values("contract-types").map { (path) throws(CommandFailure) in
      let bytes = try InputFile.read(path, option: "--contract-types", maxBytes: maxContractBytes, context)
      return ContractTypes(name: path, text: String(decoding: bytes, as: UTF8.self))
    }
  }

  private static let maxContractBytes = 1 << 20

  /// Says the findings in the words of GitHub's log, when this is a run there.
  static func annotate(_ report: GateReport, _ context: CommandContext) {
    guard context.environment["GITHUB_ACTIONS"] == "true" else { return }
    for line in Annotations.lines(report) { context.talk.note(line) }
  }
}
