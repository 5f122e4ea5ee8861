/// The completion script for zsh: a file for `fpath`, or to be sourced after `compinit`.
struct ZshCompletion {
  let table: CommandTable

  var script: String {
    let name = table.functionName
    return """
      #compdef \(table.tool)
      # zsh completion for \(table.tool), made by: \(table.tool) completions zsh
      \(name)() {
        local verb="" word prev="${words[CURRENT-1]}" i
        local -a verbs options choices
        for ((i = 2; i < CURRENT; i++)); do
          word="${words[i]}"
          [[ $word == -* ]] && continue
          case "$verb/$word" in
      \(lines(table.paths.compactMap(step)))
            *) break ;;
          esac
        done
        if [[ ${words[CURRENT]} == --*=* ]]; then
          prev="${words[CURRENT]%%=*}"
          compset -P '*='
        fi
        case "$verb $prev" in
      \(lines(table.paths.flatMap(optionValues)))
        esac
        case "$verb" in
      \(lines(table.paths.map(candidates)))
        esac
      }
      if [[ "${funcstack[1]}" == "\(name)" ]]; then
        \(name) "$@"
      elif (( $+functions[compdef] )); then
        compdef \(name) \(table.tool)
      fi

      """
  }

  private func lines(_ lines: [String]) -> String { lines.map { "      " + $0 }.joined(separator: "\n") }

  private func step(_ path: [String]) -> String? {
    guard let word = path.last else { return nil }
    let parent = path.dropLast().joined(separator: " ")
    return "\"\(parent)/\(word)\") verb=\"\(path.joined(separator: " "))\" ;;"
  }

  private func optionValues(_ path: [String]) -> [String] {
    table.options(at: path).filter(\.takesValue).map { option in
      let patterns = option.spellings.map { "\"\(path.joined(separator: " ")) \($0)\"" }
      return "\(patterns.joined(separator: " | "))) \(action(option.shape)) return ;;"
    }
  }

  private func candidates(_ path: [String]) -> String {
    let words = table.words(after: path).map { described($0, table.summary(of: path + [$0])) }
    let options = table.options(at: path).flatMap { option in
      option.spellings.map { described($0, option.help) }
    }
    var parts = ["\"\(path.joined(separator: " "))\")"]
    if !words.isEmpty { parts.append("verbs=(\(words.joined(separator: " "))); _describe verb verbs;") }
    parts.append(table.verb(at: path)?.spec.positionals.first.map { action($0.shape) } ?? "")
    parts.append("options=(\(options.joined(separator: " "))); _describe -o option options ;;")
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func described(_ word: String, _ text: String) -> String {
    CommandTable.shellQuoted("\(word):\(text)")
  }

  private func action(_ shape: ValueShape) -> String {
    switch shape {
    case .text: ""
    case .file: "_files;"
    case .directory: "_files -/;"
    case .choice(let words):
      "choices=(\(words.map(CommandTable.shellQuoted).joined(separator: " "))); _describe value choices;"
    }
  }
}
