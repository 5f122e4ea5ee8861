/// The completion script for fish 3 and later.
struct FishCompletion {
  let table: CommandTable

  var script: String {
    let name = "_" + table.functionName
    var lines = [
      "# fish completion for \(table.tool), made by: \(table.tool) completions fish",
      "function \(name)_at",
      "  set -l verb ''",
      "  for word in (commandline -opc)[2..-1]",
      "    string match -q -- '-*' $word; and continue",
      "    switch \"$verb/$word\"",
    ]
    for path in table.paths where !path.isEmpty {
      let parent = path.dropLast().joined(separator: " ")
      lines.append(
        "      case '\(parent)/\(path[path.count - 1])'; set verb '\(path.joined(separator: " "))'")
    }
    lines += ["      case '*'; break", "    end", "  end", "  test \"$verb\" = \"$argv[1]\"", "end"]
    lines.append("complete -c \(table.tool) -f")
    for path in table.paths { lines += completions(path, condition: "\(name)_at") }
    return lines.joined(separator: "\n") + "\n"
  }

  private func completions(_ path: [String], condition: String) -> [String] {
    let head =
      "complete -c \(table.tool) -n \(quoted("\(condition) \(quoted(path.joined(separator: " ")))"))"
    var lines = table.words(after: path).map { word in
      "\(head) -a \(quoted(word)) -d \(quoted(table.summary(of: path + [word])))"
    }
    if let positional = table.verb(at: path)?.spec.positionals.first {
      switch positional.shape {
      case .text: break
      case .file: lines.append("\(head) -F")
      case .directory: lines.append("\(head) -a '(__fish_complete_directories)'")
      case .choice(let words): lines.append("\(head) -a \(quoted(words.joined(separator: " ")))")
      }
    }
    return lines + table.options(at: path).map { "\(head) \(option($0))" }
  }

  private func option(_ option: OptionSpec) -> String {
    var parts = ["-l \(option.name)"]
    if let letter = option.shortName { parts.append("-s \(letter)") }
    if option.takesValue {
      switch option.shape {
      case .text: parts.append("-x")
      case .file: parts.append("-r -F")
      case .directory: parts.append("-x -a '(__fish_complete_directories)'")
      case .choice(let words): parts.append("-x -a \(quoted(words.joined(separator: " ")))")
      }
    }
    parts.append("-d \(quoted(option.help))")
    return parts.joined(separator: " ")
  }

  /// The text in single quotes, where fish knows the escapes `\\\\` and `\\'` only.
  private func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
