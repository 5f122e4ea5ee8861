internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench

/// What the verbs have in common that run a parser by hand.
enum ParserVerb {
  static let inputs: [OptionSpec] = [
    FeedVerb.bundle, FeedVerb.sources,
    .option("source", "ID", "the source, in any spelling that synced libraries carry").required(),
  ]
  static let fixtures = OptionSpec.option(
    "fixtures", "DIR", "the folder of recordings, as parser-ota record writes it"
  ).completing(.directory).withoutSetting()
  static let global = OptionSpec.option(
    "global", "NAME", "the global that the bundle defines; NyoraParsers when left out")
  static let timeout = OptionSpec.option(
    "timeout", "SECONDS", "how long a call may take, 45 when left out; a page may take two thirds of it")
  static let loopback = OptionSpec.flag(
    "allow-http-loopback", "allow sites on this machine's own loopback address, for tests")
  static let trace = OptionSpec.flag("trace", "show each request of the parser, and what it logs")

  /// The bundle and the catalog that the command line names.
  static func bundle(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> ParserBundle {
    let path = try arguments.required("bundle")
    let sources = try arguments.required("sources")
    let (bundlePath, sourcesPath) = (context.absolutePath(path), context.absolutePath(sources))
    var bundle = try DeviceVerb.run { () throws(Problem) in
      try ParserBundle(bundlePath: bundlePath, sourcesPath: sourcesPath, name: path)
    }
    if let name = try arguments.value("global", as: Readings.globalName) { bundle.globalName = name }
    return bundle
  }

  /// The source that a name means in a catalog.
  static func source(_ name: String, in catalog: SourceCatalog) throws(CommandFailure) -> SourceEntry {
    if case .source(let entry) = SourceResolver(catalog: catalog).resolve(name).outcome { return entry }
    let meant = Spelling.nearest(to: name, among: catalog.entries.map(\.id.text))
    throw CommandFailure(
      .notAchieved, code: ProblemCode.unresolved.rawValue,
      message: "the catalog has no source \(name.printable())",
      hint: meant.map { "did you mean \($0)" } ?? "parser-ota source resolve tells what a name stands for")
  }

  /// The engine with the limits that the command line asks for.
  static func engine(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> BundleEngine {
    guard var engine = try EngineChoice.read(arguments, context) else {
      throw noEngine("its place cannot be told")
    }
    if let limit = try limit(arguments) { engine.limits.callTime = limit }
    return engine
  }

  /// The pages of real sites.
  static func site(_ arguments: ParsedArguments) throws(CommandFailure) -> SitePages {
    let limit = try limit(arguments) ?? EngineLimits().callTime
    return SitePages(allowsLoopback: arguments.flag("allow-http-loopback"), timeout: limit * 2 / 3)
  }

  /// The pages, with a note on each request where `--trace` asks for it.
  static func traced(
    _ pages: any PageProvider, _ arguments: ParsedArguments, _ context: CommandContext
  ) -> any PageProvider {
    guard arguments.flag("trace") else { return pages }
    let talk = context.talk
    return TracingPages(pages) { talk.note(TraceLines.line($0)) }
  }

  /// The recording of a source in the folder that the command line names.
  static func fixture(
    of source: SourceID, _ path: String, _ context: CommandContext
  ) throws(CommandFailure) -> Fixture {
    let folder = FixtureFolder(try InputFolder.require(path, option: "--fixtures", context))
    do {
      return try folder.read(source)
    } catch {
      throw failure(error)
    }
  }

  /// The limit on a call, for verbs that have the option.
  private static func limit(_ arguments: ParsedArguments) throws(CommandFailure) -> Duration? {
    guard arguments.spec.option(named: "timeout") != nil else { return nil }
    return try arguments.value("timeout", as: Readings.seconds)
  }
}
