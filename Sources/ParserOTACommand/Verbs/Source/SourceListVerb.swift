internal import OTAManifest

extension Verb {
  static let sourceList = Verb(
    VerbSpec(
      ["source", "list"],
      summary: "list the sources of a catalog, those of some languages when asked",
      options: [
        .option("sources", "FILE", "the source catalog").completing(.file).required(),
        .option("locale", "TAG", "only sources in this language; once for each: pt also finds pt-BR")
          .repeatable(),
      ],
      manual: VerbManual(
        details: [
          "Each line is the id, the language, the host and the title, separated by tabs. Sources in several languages are found"
            + " by every --locale. Ends with 1 when no source is found."
        ],
        examples: ["parser-ota source list --sources sources.json --locale pt"],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk])),
    run: { arguments, context throws(CommandFailure) in
      let catalog = try catalog(arguments, context)
      let wanted = try arguments.values("locale", as: locale)
      let found = catalog.entries.filter { entry in
        guard let language = LanguageTag(entry.locale) else { return wanted.isEmpty }
        return wanted.isEmpty || wanted.contains(where: language.matches)
      }
      var result = CommandResult.answer(
        found.isEmpty ? ProblemCode.unresolved.rawValue : "listed",
        "\(found.count) of \(catalog.entries.count) sources", lines: found.map(line),
        payload: [
          JSONMember("count", .integer(Int64(found.count))),
          JSONMember("sources", .array(found.map(json))),
        ])
      result.messageGoes = .spoken
      if found.isEmpty { result.status = .notAchieved }
      return result
    })

  private static func catalog(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> SourceCatalog {
    let path = try arguments.required("sources")
    let bytes = try InputFile.read(path, option: "--sources", maxBytes: SourceCatalog.maxBytes, context)
    do {
      return try SourceCatalog.decode(bytes)
    } catch {
      throw InputFile.refusal(
        bytes, .sourcesInvalid, "--sources \(path)", error, "give the source catalog of a release")
    }
  }

  private static func locale(_ text: String) throws(Refusal) -> LanguageTag {
    guard !text.isEmpty, let tag = LanguageTag(text) else {
      throw Refusal("must be a language tag such as en, pt-BR or zh-Hans")
    }
    return tag
  }

  private static func json(_ entry: SourceEntry) -> JSONValue {
    .object([
      JSONMember("id", .string(entry.id.text)), JSONMember("title", .string(entry.title)),
      JSONMember("locale", .string(entry.locale)), JSONMember("domain", .string(entry.domain)),
      JSONMember("family", .string(entry.family)), JSONMember("className", .string(entry.className)),
      JSONMember("isNsfw", .bool(entry.isNsfw)),
    ])
  }

  private static func line(_ entry: SourceEntry) -> String {
    [entry.id.text, entry.locale, entry.domain, entry.title].map { $0.printable() }.joined(separator: "\t")
  }
}
