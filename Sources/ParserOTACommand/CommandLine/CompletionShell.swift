/// The shells that a completion script exists for.
enum CompletionShell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The script, made from the table.
  func script(for table: CommandTable) -> String {
    switch self {
    case .bash: BashCompletion(table: table).script
    case .zsh: ZshCompletion(table: table).script
    case .fish: FishCompletion(table: table).script
    }
  }
}

extension CommandTable {
  /// The name of the tool as part of a shell function name.
  var functionName: String { "_" + tool.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }

  /// The word in single quotes, safe in bash and zsh.
  static func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
