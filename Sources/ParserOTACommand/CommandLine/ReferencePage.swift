/// The reference of all verbs as Markdown.
enum ReferencePage {
  /// The page, a newline after each line.
  static func markdown(_ table: CommandTable) -> String {
    var lines = ["# \(table.tool)", "", sentence(table.summary), "", "## Options of every verb", ""]
    lines += options(CommandTable.globalOptions)
    lines += ["", "In place of a verb:", ""] + options(CommandTable.topLevelOptions)
    lines += ["", "## Exit status", "", "| status | meaning |", "| --- | --- |"]
    lines += ExitStatus.allCases.map { "| \($0.rawValue) | \($0.explanation) |" }
    lines.append("| 128 + signal | interrupted: 130 after SIGINT, 143 after SIGTERM |")
    for verb in table.verbs { lines += section(verb.spec, table) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func section(_ spec: VerbSpec, _ table: CommandTable) -> [String] {
    var lines = ["", "## \(table.tool) \(spec.name)", "", sentence(spec.summary), ""]
    lines += code([HelpPage.usage(of: spec.path, table)])
    if !spec.positionals.isEmpty {
      lines += ["", "| argument | meaning |", "| --- | --- |"]
      lines += spec.positionals.map { "| `\($0.name)` | \(cell(HelpPage.described($0.help, $0.shape))) |" }
    }
    if !spec.options.isEmpty { lines += [""] + options(spec.options) }
    for paragraph in spec.manual.details { lines += ["", paragraph] }
    if !spec.manual.examples.isEmpty { lines += ["", "Examples:", ""] + code(spec.manual.examples) }
    let exits = spec.manual.allExits.map(\.rawValue)
    return lines + ["", "Exit status: \(exits.map(String.init).joined(separator: ", "))."]
  }

  private static func options(_ options: [OptionSpec]) -> [String] {
    ["| option | meaning |", "| --- | --- |"]
      + options.map { option in
        let short = option.shortName.map { "`-\($0)`, " } ?? ""
        return "| \(short)`\(option.synopsis)` | \(cell(HelpPage.described(option))) |"
      }
  }

  private static func code(_ lines: [String]) -> [String] { ["```sh"] + lines + ["```"] }

  private static func cell(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + "."
  }
}
