internal import OTAManifest

extension Verb {
  static let help = Verb(
    VerbSpec(
      ["help"], summary: "show help about the tool, a group of verbs, or a verb",
      positionals: [PositionalSpec(name: "VERB", help: "the words of a verb or group", count: .any)],
      options: [.flag("markdown", "print the reference of all verbs as Markdown instead")],
      manual: VerbManual(examples: ["parser-ota help completions", "parser-ota help --markdown"])),
    run: { arguments, context throws(CommandFailure) in
      let table = context.table
      if arguments.flag("markdown") {
        let page = ReferencePage.markdown(table)
        var result = CommandResult.answer("reference", "the reference of all verbs", lines: [])
        result.output = .bytes(Array(page.utf8))
        result.payload = [.init("markdown", .string(page))]
        return result
      }
      let path = arguments.positionals("VERB")
      guard table.paths.contains(path) else {
        let names = table.paths.map { $0.joined(separator: " ") }
        let words = path.joined(separator: " ")
        throw arguments.usage(.unknownVerb(words, meant: Spelling.nearest(to: words, among: names)))
      }
      return helpResult(for: path, table)
    })

  /// The help page as a result.
  static func helpResult(for path: [String], _ table: CommandTable) -> CommandResult {
    let lines = HelpPage.lines(for: path, table)
    return .answer(
      "help", "help for \(([table.tool] + path).joined(separator: " "))", lines: lines,
      payload: [.init("help", .string(lines.joined(separator: "\n")))])
  }
}
