/// Manual pages for `man`, in section 1: one for the tool, one for each group and each verb.
enum ManualPage {
  /// The page for these words, which must call a verb or a group; a newline after each line.
  static func roff(for path: [String], _ table: CommandTable, version: String) -> String {
    let words = [table.tool] + path
    let title = text(words.joined(separator: "-"))
    var lines = [
      ".TH \"\(title.uppercased())\" 1 \"\" \"\(text("\(table.tool) \(version)"))\" \"User commands\"",
      ".SH NAME", "\(title) \\- \(text(table.summary(of: path)))",
      ".SH SYNOPSIS", ".nf", ".B \(code(HelpPage.usage(of: path, table)))", ".fi",
    ]
    let spec = table.verb(at: path)?.spec
    let details = spec?.manual.details ?? []
    if !details.isEmpty {
      lines.append(".SH DESCRIPTION")
      lines += details.enumerated().flatMap { ($0.offset == 0 ? [] : [".PP"]) + [line($0.element)] }
    }
    lines += section("VERBS", table.words(after: path).map { ($0, table.summary(of: path + [$0])) })
    lines += section(
      "ARGUMENTS", (spec?.positionals ?? []).map { ($0.name, HelpPage.described($0.help, $0.shape)) })
    lines += section("OPTIONS", options(spec?.options ?? (path.isEmpty ? CommandTable.topLevelOptions : [])))
    lines += section("OPTIONS OF EVERY VERB", options(CommandTable.globalOptions))
    let exits = spec?.manual.allExits ?? ExitStatus.allCases
    lines += section("EXIT STATUS", exits.map { (String($0.rawValue), $0.explanation) })
    lines += examples(spec?.manual.examples ?? [])
    return (lines + seeAlso(path, table)).joined(separator: "\n") + "\n"
  }

  private static func options(_ options: [OptionSpec]) -> [(String, String)] {
    options.map { (($0.shortName.map { "-\($0), " } ?? "") + $0.synopsis, HelpPage.described($0)) }
  }

  private static func section(_ title: String, _ rows: [(String, String)]) -> [String] {
    guard !rows.isEmpty else { return [] }
    return [".SH \"\(title)\""] + rows.flatMap { [".TP", ".B \(code($0.0))", line($0.1)] }
  }

  private static func examples(_ examples: [String]) -> [String] {
    guard !examples.isEmpty else { return [] }
    return [".SH EXAMPLES", ".nf"] + examples.map { line(code($0), isWritten: true) } + [".fi"]
  }

  /// The pages one step up and one step down.
  private static func seeAlso(_ path: [String], _ table: CommandTable) -> [String] {
    let below = table.words(after: path).map { path + [$0] }
    let pages = (path.isEmpty ? [] : [Array(path.dropLast())]) + below
    guard !pages.isEmpty else { return [] }
    let names = pages.map { code(([table.tool] + $0).joined(separator: "-")) }
    let commas = Array(repeating: ",", count: names.count - 1) + [""]
    return [".SH \"SEE ALSO\""] + zip(names, commas).map { ".BR \($0) (1)\($1)" }
  }

  /// A line of running text. A dot or an apostrophe in front would make it a request.
  private static func line(_ words: String, isWritten: Bool = false) -> String {
    let written = isWritten ? words : text(words)
    return written.first == "." || written.first == "'" ? "\\&" + written : written
  }

  /// Running text, in which a hyphen may become any dash.
  private static func text(_ words: String) -> String {
    words.reduce(into: "") { $0 += $1 == "\\" ? "\\e" : $1 == "\"" ? "\\(dq" : String($1) }
  }

  /// What is typed as it stands: hyphens stay hyphens, quotes stay straight.
  private static func code(_ words: String) -> String {
    let signs: [Character: String] = [
      "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\"": "\\(dq",
    ]
    return words.reduce(into: "") { $0 += signs[$1] ?? String($1) }
  }
}
