/// The help of the tool, of a group of verbs, or of one verb.
enum HelpPage {
  /// The lines of the page for these words; the words must call a verb or a group.
  static func lines(for path: [String], _ table: CommandTable) -> [String] {
    var lines = wrap("\(([table.tool] + path).joined(separator: " ")): \(table.summary(of: path))", indent: 0)
    lines += [""] + wrap("usage: " + usage(of: path, table), indent: 7, first: 0)
    let spec = table.verb(at: path)?.spec
    let words = table.words(after: path)
    lines += section("verbs", words.map { ($0, table.summary(of: path + [$0])) })
    lines += section("arguments", (spec?.positionals ?? []).map { ($0.name, described($0.help, $0.shape)) })
    let own = path.isEmpty ? CommandTable.topLevelOptions : spec?.options ?? []
    lines += section(spec == nil ? "options" : "options of this verb", own.map(row))
    lines += section(own.isEmpty ? "options" : "options of every verb", CommandTable.globalOptions.map(row))
    if let spec {
      lines += manual(spec.manual)
    } else {
      let example = ([table.tool] + path + ["VERB", "--help"]).joined(separator: " ")
      lines += ["", "\(example) shows more about a verb"]
    }
    return lines
  }

  /// The usage line without the word "usage".
  static func usage(of path: [String], _ table: CommandTable) -> String {
    var words = [table.tool] + path
    guard let spec = table.verb(at: path)?.spec else {
      return (words + ["VERB", "[options]"]).joined(separator: " ")
    }
    words += spec.options.filter(\.isRequired).map(\.synopsis)
    if !spec.options.allSatisfy(\.isRequired) { words.append("[options]") }
    return (words + spec.positionals.map(\.synopsis)).joined(separator: " ")
  }

  /// The help sentence with what the table knows besides.
  static func described(_ option: OptionSpec) -> String {
    let notes = (option.isRequired ? ["required"] : []) + (option.isRepeatable ? ["may be repeated"] : [])
    return described(option.help, option.shape) + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
  }

  static func described(_ help: String, _ shape: ValueShape) -> String {
    shape.choices.isEmpty ? help : "\(help): \(shape.choices.joined(separator: ", "))"
  }

  private static func row(_ option: OptionSpec) -> (String, String) {
    ((option.shortName.map { "-\($0), " } ?? "") + option.synopsis, described(option))
  }

  private static func manual(_ manual: VerbManual) -> [String] {
    var lines: [String] = []
    for paragraph in manual.details { lines += [""] + wrap(paragraph, indent: 0) }
    if !manual.examples.isEmpty { lines += ["", "examples:"] + manual.examples.map { "  \($0)" } }
    let exits = manual.allExits
    return lines + section("exit status", exits.map { (String($0.rawValue), $0.explanation) })
  }

  private static func section(_ title: String, _ rows: [(String, String)]) -> [String] {
    if rows.isEmpty { return [] }
    let indent = min(28, (rows.map(\.0.count).max() ?? 0) + 4)
    var lines = ["", "\(title):"]
    for (name, text) in rows {
      let head = "  \(name)"
      if head.count + 2 > indent {
        lines.append(head)
        lines += wrap(text, indent: indent)
      } else {
        let padded = head + String(repeating: " ", count: indent - head.count)
        var wrapped = wrap(text, indent: indent)
        wrapped[0] = padded + wrapped[0].dropFirst(indent)
        lines += wrapped
      }
    }
    return lines
  }

  /// Breaks at blanks; lines after the first are indented, the first as told.
  private static func wrap(_ text: String, indent: Int, first: Int? = nil) -> [String] {
    let first = first ?? indent
    var lines = WrappedText.lines(text, firstIndent: first, indent: indent)
    lines[0] = String(repeating: " ", count: first) + lines[0]
    return lines
  }
}
