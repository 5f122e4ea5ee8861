internal import OTAManifest

extension Verb {
  static let sourceResolve = Verb(
    VerbSpec(
      ["source", "resolve"],
      summary: "resolve references that synced libraries carry to sources of a catalog",
      positionals: [
        PositionalSpec(
          name: "REFERENCE", help: "a reference in any form; from standard input, one a line, when left out",
          count: .any)
      ],
      options: [
        .option("sources", "FILE", "the source catalog").completing(.file).required(),
        .option("manifest", "FILE", "take the aliases of this manifest into account").completing(.file),
        .option("alias", "OLD=NEW", "take this alias into account; once for each, or a JSON object")
          .repeatable(),
      ],
      manual: VerbManual(
        details: [
          "Each line of output is the reference, what it resolves to, and its canonical synced form, separated by tabs."
            + " A reference that resolves to nothing keeps its text. Ends with 1 when one of them is unresolved."
        ],
        examples: [
          "parser-ota source resolve --sources sources.json JS_ABC parser:ABC",
          "parser-ota source resolve --sources sources.json < references.txt",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let resolver = try resolver(arguments, context)
      var references = arguments.positionals("REFERENCE")
      if references.isEmpty { references = try StandardInput.lines() }
      let resolutions = resolver.resolve(references.map { SourceReference(text: $0) })
      let unresolved = resolutions.count { if case .unresolved = $0.outcome { true } else { false } }
      let message = "\(resolutions.count - unresolved) resolved, \(unresolved) unresolved"
      var result = CommandResult.answer(
        unresolved == 0 ? "resolved" : ProblemCode.unresolved.rawValue, message, lines: resolutions.map(line),
        payload: [
          JSONMember("resolved", .integer(Int64(resolutions.count - unresolved))),
          JSONMember("unresolved", .integer(Int64(unresolved))),
          JSONMember("results", .array(resolutions.map(json))),
        ])
      if unresolved > 0 {
        result.status = .notAchieved
        result.messageGoes = .spoken
      }
      return result
    })

  private static func resolver(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> SourceResolver {
    var aliases = try arguments.values("alias", as: Readings.aliases).flatMap(\.self)
    if let path = arguments.value("manifest") {
      let read = try InputFile.readManifest(path, option: "--manifest", context)
      aliases = read.manifest.aliases + aliases
    }
    let path = try arguments.required("sources")
    let bytes = try InputFile.read(path, option: "--sources", maxBytes: SourceCatalog.maxBytes, context)
    do {
      return SourceResolver(catalog: try SourceCatalog.decode(bytes), aliases: aliases)
    } catch {
      throw InputFile.refusal(
        bytes, .sourcesInvalid, "--sources \(path)", error, "give the source catalog of a release")
    }
  }

  private static func line(_ resolution: SourceResolution) -> String {
    "\(resolution.reference)\t\(words(resolution))\t\(resolution.syncedForm)"
  }

  private static func words(_ resolution: SourceResolution) -> String {
    switch resolution.outcome {
    case .source(let entry): entry.id.text + (resolution.viaAlias.map { " (renamed from \($0.text))" } ?? "")
    case .local: "local"
    case .unknown: "unknown"
    case .empty: "empty"
    case .mihon(let id): "mihon \(id)"
    case .unresolved: "unresolved"
    }
  }

  private static func json(_ resolution: SourceResolution) -> JSONValue {
    let (kind, id): (String, JSONValue) =
      switch resolution.outcome {
      case .source(let entry): ("source", .string(entry.id.text))
      case .local: ("local", .null)
      case .unknown: ("unknown", .null)
      case .empty: ("empty", .null)
      case .mihon(let id): ("mihon", .string(String(id)))
      case .unresolved: ("unresolved", .null)
      }
    return .object([
      JSONMember("reference", .string(resolution.reference)), JSONMember("kind", .string(kind)),
      JSONMember("id", id),
      JSONMember("alias", resolution.viaAlias.map { .string($0.text) } ?? .null),
      JSONMember("synced", .string(resolution.syncedForm)),
    ])
  }
}
