/// The completion script for bash 3.2 and later; needs no other package.
struct BashCompletion {
  let table: CommandTable

  var script: String {
    let name = table.functionName
    return """
      # bash completion for \(table.tool), made by: \(table.tool) completions bash
      \(name)() {
        local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" verb="" word i
        COMPREPLY=()
        # bash cuts --name=value into three words
        if [[ $cur == "=" ]]; then
          cur=""
        elif [[ $prev == "=" ]]; then
          prev="${COMP_WORDS[COMP_CWORD-2]}"
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          word="${COMP_WORDS[i]}"
          [[ $word == -* ]] && continue
          case "$verb/$word" in
      \(table.caseLines(table.paths.compactMap(table.stepArm)))
            *) break ;;
          esac
        done
        case "$verb $prev" in
      \(table.caseLines(table.paths.flatMap { table.optionArms($0, action) }))
        esac
        case "$verb" in
      \(table.caseLines(table.paths.map(candidates)))
        esac
      }
      \(name)_words() { local IFS=$' \\n'; COMPREPLY=($(compgen -W "$1" -- "$cur")); }
      \(name)_files() {
        local IFS=$'\\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen "$1" -- "$cur"))
      }
      complete -F \(name) \(table.tool)

      """
  }

  private func candidates(_ path: [String]) -> String {
    let words = table.words(after: path) + table.options(at: path).flatMap(\.spellings)
    let offer = action(.choice(words + (table.verb(at: path)?.spec.positionals.first?.shape.choices ?? [])))
    var files = ""
    switch table.verb(at: path)?.spec.positionals.first?.shape {
    case .file: files = "[[ $cur != -* ]] && { \(action(.file)) return; }; "
    case .directory: files = "[[ $cur != -* ]] && { \(action(.directory)) return; }; "
    default: break
    }
    return "\"\(path.joined(separator: " "))\") \(files)\(offer) ;;"
  }

  private func action(_ shape: ValueShape) -> String {
    switch shape {
    case .text: ""
    case .file: "\(table.functionName)_files -f;"
    case .directory: "\(table.functionName)_files -d;"
    case .choice(let words):
      "\(table.functionName)_words \(CommandTable.shellQuoted(words.joined(separator: " ")));"
    }
  }
}
