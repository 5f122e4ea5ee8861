/// All verbs and global options: the one source of parser, help, completions and reference.
struct CommandTable: Sendable {
  /// The name of the program.
  let tool: String
  /// One sentence about the program.
  let summary: String
  /// What a group of verbs is for, by its words joined with a blank: `"device"`.
  let groups: [String: String]
  let verbs: [Verb]

  init(tool: String, summary: String, groups: [String: String] = [:], verbs: [Verb]) {
    self.tool = tool
    self.summary = summary
    self.groups = groups
    self.verbs = verbs
  }

  /// Flags that every verb takes, before or after its words.
  static let globalOptions: [OptionSpec] = [
    .flag("json", "print the result as one JSON object on standard output"),
    .flag("quiet", "say nothing but data and errors").short("q"),
    .flag("no-color", "use no colours; NO_COLOR in the environment does the same"),
    .flag("help", "show help and end").short("h"),
    config,
  ]

  static let config = OptionSpec.option(
    "config", "FILE",
    "the settings of the project; by default PARSER_OTA_CONFIG, else parser-ota.json here or at the top of the repository"
  ).completing(.file)

  /// Flags that stand in place of a verb.
  static let topLevelOptions: [OptionSpec] = [.flag("version", "show the version and end")]

  /// The verb that these words call, if they call one exactly.
  func verb(at path: [String]) -> Verb? { verbs.first { $0.spec.path == path } }

  /// The words that may follow this path, in table order, each once.
  func words(after path: [String]) -> [String] {
    var words: [String] = []
    for verb in verbs where verb.spec.path.starts(with: path) && verb.spec.path.count > path.count {
      let word = verb.spec.path[path.count]
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  /// What the verb or group at this path is for.
  func summary(of path: [String]) -> String {
    if path.isEmpty { return summary }
    if let verb = verb(at: path) { return verb.spec.summary }
    return groups[path.joined(separator: " ")] ?? words(after: path).joined(separator: ", ")
  }

  /// Every path that has a help page: the top, each group, each verb; parents before children.
  var paths: [[String]] {
    var found: [[String]] = [[]]
    for verb in verbs {
      for count in 1...max(1, verb.spec.path.count) {
        let path = Array(verb.spec.path.prefix(count))
        if !found.contains(path) { found.append(path) }
      }
    }
    return found
  }

  /// The options that may be given at this path, its own first.
  func options(at path: [String]) -> [OptionSpec] {
    let own = path.isEmpty ? Self.topLevelOptions : verb(at: path)?.spec.options ?? []
    return own + Self.globalOptions
  }

  /// The command that shows help for this path: `parser-ota device --help`.
  func helpCommand(for path: [String]) -> String {
    ([tool] + path + ["--help"]).joined(separator: " ")
  }
}
