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
      \(table.caseLines(table.paths.compactMap(table.stepArm)))
            *) break ;;
          esac
        done
        if [[ ${words[CURRENT]} == --*=* ]]; then
          prev="${words[CURRENT]%%=*}"
          compset -P '*='
        fi
        case "$verb $prev" in
      \(table.caseLines(table.paths.flatMap { table.optionArms($0, action) }))
        esac
        case "$verb" in
      \(table.caseLines(table.paths.map(candidates)))
        esac
      }
      if [[ "${funcstack[1]}" == "\(name)" ]]; then
        \(name) "$@"
      elif (( $+functions[compdef] )); then
        compdef \(name) \(table.tool)
      fi

      """
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
