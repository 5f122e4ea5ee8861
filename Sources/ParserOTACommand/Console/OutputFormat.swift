internal import OTAManifest

/// How a verb prints its answer for scripts: tabs between fields, or assignments for a shell.
enum OutputFormat {
  static let option = OptionSpec.option(
    "format", "FORMAT",
    "how to print the answer; plain has a line for each thing and tabs between, shell has assignments for eval"
  ).completing(.choice(["text", "plain", "shell"]))

  /// The result in the format that the command line asks for.
  ///
  /// - Parameters:
  ///   - rows: what `plain` prints; the values, one a line, when left out.
  ///   - values: what `shell` assigns, by the full names of the variables.
  static func apply(
    to result: CommandResult, _ arguments: ParsedArguments, rows: [[String]]? = nil,
    values: [(name: String, value: String)]
  ) throws(CommandFailure) -> CommandResult {
    guard let format = arguments.value("format"), format != "text" else { return result }
    if arguments.flags.json { throw arguments.usage(.refusedTogether("--json", "--format \(format)")) }
    var result = result
    let text =
      format == "shell"
      ? values.map { "\($0.name)=\($0.value.shellWord)\n" }.joined()
      : (rows ?? values.map { [$0.name, $0.value] }).map { $0.map(field).joined(separator: "\t") + "\n" }
        .joined()
    result.output = .bytes(Array(text.utf8))
    return result
  }

  /// A text as one field: tabs and ends of lines in it are blanks, other control characters are shown.
  private static func field(_ text: String) -> String {
    PlainText.visible(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
  }
}
