internal import OTAManifest

extension Verb {
  static let help = Verb(
    VerbSpec(
      ["help"], summary: "show help about the tool, a group of verbs, or a verb",
      positionals: [PositionalSpec(name: "VERB", help: "the words of a verb or group", count: .any)],
      options: [
        .flag("markdown", "print the reference of all verbs as Markdown instead"),
        .flag("man", "print the page for man(1) instead"),
      ],
      manual: VerbManual(examples: [
        "parser-ota help completions", "parser-ota help --markdown",
        "parser-ota help --man publish > parser-ota-publish.1",
      ])),
    run: { arguments, context throws(CommandFailure) in
      let table = context.table
      if arguments.flag("markdown"), arguments.flag("man") {
        throw arguments.usage(.refusedTogether("--markdown", "--man"))
      }
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
      return arguments.flag("man") ? manualResult(for: path, table) : helpResult(for: path, table)
    })

  /// The manual page as a result.
  private static func manualResult(for path: [String], _ table: CommandTable) -> CommandResult {
    let page = ManualPage.roff(for: path, table, version: toolVersion)
    var result = CommandResult.answer("manual", "the manual page", lines: [])
    result.output = .bytes(Array(page.utf8))
    result.payload = [.init("man", .string(page))]
    return result
  }

  /// The help page as a result.
  static func helpResult(for path: [String], _ table: CommandTable) -> CommandResult {
    let lines = HelpPage.lines(for: path, table)
    return .answer(
      "help", "help for \(([table.tool] + path).joined(separator: " "))", lines: lines,
      payload: [.init("help", .string(lines.joined(separator: "\n")))])
  }
}
