internal import OTAManifest
internal import ParserEngine
internal import ParserPages
internal import ParserPublisher
internal import ParserWorkbench

extension Verb {
  static let survey = Verb(
    VerbSpec(
      ["survey"], summary: "try every source on its real site, and say which ones readers cannot read",
      positionals: [
        PositionalSpec(
          name: "WHAT", help: "all, which is what is surveyed when no option chooses", count: .optional,
          shape: .choice(["all"]))
      ],
      options: [
        FeedVerb.bundle, FeedVerb.sources,
        .option("source", "ID", "survey this source, in any spelling; once for each").repeatable(),
        .option("family", "NAME", "survey the sources of this family; once for each").repeatable(),
        .option("locale", "TAG", "survey the sources of this language, such as en; once for each")
          .repeatable(),
        .option("out", "DIR", "the folder of the survey; survey when left out").completing(.directory),
        .option("since", "FILE", "compare with this survey.json; by default the one in the folder")
          .completing(
            .file),
        .option("record", "DIR", "keep the pages of sources that work, as parser-ota record does").completing(
          .directory),
        .flag("keep-pages", "keep every page, of sources that fail too, in the folder pages of the survey"),
        .option("fixtures", "DIR", "take the pages from recordings instead of the sites").completing(
          .directory),
        .option("hosts", "N", "how many hosts are asked at once; 8 when left out"),
        .option("pause", "SECONDS", "the pause before a host is asked again; 1 when left out"),
        .option("budget", "N", "the most requests of this run; 20000 when left out"),
        .option("order", "ORDER", "the order of lists, such as UPDATED; POPULARITY when left out"),
        .option("query", "TEXT", "search for this; a word of the first title when left out"),
        .option("timeout", "SECONDS", "how long a page may take; 20 when left out"),
        ParserVerb.global, EngineChoice.option, ParserVerb.loopback,
      ],
      manual: VerbManual(
        details: [
          "Asks each source what apps ask: a list, a search, the details of a work, the pages of a chapter, and the head of the"
            + " first picture. Each step gets a verdict: ok, empty, fewer (fields than last time), fault (of the parser, with line"
            + " and column), moved, challenge, blocked, login, status, dns, tls, timeout, unreachable, answer.",
          "Ends with 1 when a source needs work that did not need it in the survey before: the parser fails, finds nothing,"
            + " or the site is gone or has moved. A site that is down for the moment, or that refuses this network, is not a"
            + " fault of a parser.",
          "A host gets one request at a time with a pause after it, and none after a challenge or after HTTP 429. A survey"
            + " that was interrupted goes on when the same command is started again.",
          "Writes survey.json, survey.html, junit.xml, issue.md and advisories.json into the folder; parser-ota advise --from"
            + " reads the last one.",
        ],
        examples: [
          "parser-ota survey --bundle parsers.bundle.js --sources sources.json",
          "parser-ota survey --bundle parsers.bundle.js --sources sources.json --family MadaraParser --out madara",
          "parser-ota survey --bundle parsers.bundle.js --sources sources.json --record fixtures --hosts 4",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .busy, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let bundle = try ParserVerb.bundle(arguments, context)
      let sources = try SurveySelection(arguments).sources(in: bundle.catalog)
      let run = try SurveyRun(bundle, sources, arguments, context)
      return try await run.result()
    })
}

/// Which sources of a catalog are surveyed.
struct SurveySelection {
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    self.arguments = arguments
    let given = ["source", "family", "locale"].filter { arguments.flag($0) }
    if arguments.positional("WHAT") != nil, let option = given.first {
      throw arguments.usage(.refusedTogether("all", "--\(option)"))
    }
    if given.count > 1 { throw arguments.usage(.refusedTogether("--\(given[0])", "--\(given[1])")) }
  }

  /// The chosen sources in the order of the catalog, each once.
  func sources(in catalog: SourceCatalog) throws(CommandFailure) -> [SourceEntry] {
    var chosen: Set<SourceID> = []
    for name in arguments.values("source") { chosen.insert(try ParserVerb.source(name, in: catalog).id) }
    for family in arguments.values("family") {
      let found = catalog.entries.filter { $0.family == family }
      if found.isEmpty { throw Self.nothing("family", family, among: catalog.entries.map(\.family)) }
      chosen.formUnion(found.map(\.id))
    }
    for locale in arguments.values("locale") {
      let found = catalog.entries.filter { Self.speaks($0.locale, locale) }
      if found.isEmpty { throw Self.nothing("language", locale, among: catalog.entries.map(\.locale)) }
      chosen.formUnion(found.map(\.id))
    }
    return chosen.isEmpty ? catalog.entries : catalog.entries.filter { chosen.contains($0.id) }
  }

  /// Whether a language is the wanted one or a kind of it: `pt-BR` speaks `pt`.
  private static func speaks(_ locale: String, _ wanted: String) -> Bool {
    let (locale, wanted) = (locale.lowercased(), wanted.lowercased())
    return locale == wanted || locale.hasPrefix("\(wanted)-")
  }

  private static func nothing(_ what: String, _ name: String, among names: [String]) -> CommandFailure {
    let meant = Spelling.nearest(to: name, among: Array(Set(names)).sorted())
    return CommandFailure(
      .notAchieved, code: ProblemCode.unresolved.rawValue,
      message: "the catalog has no source of the \(what) \(name.printable())",
      hint: meant.map { "did you mean \($0.isEmpty ? "\"\"" : $0)" }
        ?? "parser-ota source list shows the catalog")
  }
}
