/// What a command line asks for.
enum Request: Sendable {
  case help(path: [String])
  case version
  case run(Verb, ParsedArguments)
}

/// Reads tokens by the table: words of the verb first, then its options and arguments.
struct ArgumentReader {
  let table: CommandTable

  /// The request; a failure is always a usage error with a hint.
  func read(_ tokens: [Token]) throws(CommandFailure) -> Request {
    var words = VerbWords(table: table)
    do throws(UsageError) {
      let rest = try words.take(from: tokens)
      if GlobalFlags(tokens).help { return .help(path: words.path) }
      if words.asksForVersion { return .version }
      guard let verb = table.verb(at: words.path) else {
        throw UsageError.missingVerb(after: words.path, among: table.words(after: words.path))
      }
      var options = OptionReader(verb.spec)
      try options.read(rest)
      return .run(
        verb, try options.finish(flags: GlobalFlags(tokens), help: table.helpCommand(for: words.path)))
    } catch {
      // Somebody who asks for help gets it, whatever else is wrong.
      if GlobalFlags(tokens).help { return .help(path: words.path) }
      throw error.failure(help: table.helpCommand(for: words.path))
    }
  }
}

/// Finds the words of the verb at the start of the tokens, with global flags anywhere between.
private struct VerbWords {
  let table: CommandTable
  var path: [String] = []
  var asksForVersion = false

  init(table: CommandTable) { self.table = table }

  /// The tokens that are left once the words are taken; flags among the words stay in.
  mutating func take(from tokens: [Token]) throws(UsageError) -> [Token] {
    var rest: [Token] = []
    var valueOfGlobal = -1
    for (index, token) in tokens.enumerated() {
      if index == valueOfGlobal {
        rest.append(token)
        continue
      }
      switch token {
      case .value(let text, _):
        if table.words(after: path).contains(text) {
          path.append(text)
        } else if table.verb(at: path) == nil {
          // An empty word shows as nothing: the missing verb is what a person sees.
          if text.isEmpty { throw .missingVerb(after: path, among: table.words(after: path)) }
          throw .unknownVerb((path + [text]).joined(separator: " "), meant: meant(by: text))
        } else {
          return rest + tokens[index...]
        }
      case .option(let name, let inlineValue, _):
        if table.verb(at: path) == nil { try checkOptionBeforeVerb(name, inlineValue) }
        if table.verb(at: path) != nil && !Self.isGlobal(name) { return rest + tokens[index...] }
        rest.append(token)
        if inlineValue == nil, Self.takesValue(name) { valueOfGlobal = index + 1 }
      case .end:
        return rest + tokens[index...]
      }
    }
    return rest
  }

  private static func takesValue(_ name: String) -> Bool {
    CommandTable.globalOptions.contains { $0.takesValue && $0.spellings.contains(name) }
  }

  private func meant(by text: String) -> String? {
    Spelling.nearest(to: text, among: table.words(after: path)).map { (path + [$0]).joined(separator: " ") }
  }

  private static func isGlobal(_ name: String) -> Bool {
    CommandTable.globalOptions.contains { $0.spellings.contains(name) }
  }

  private mutating func checkOptionBeforeVerb(_ name: String, _ inlineValue: String?) throws(UsageError) {
    let allowed = table.options(at: path).flatMap(\.spellings)
    if !allowed.contains(name) {
      let meant = Spelling.nearest(to: name, among: allowed)
      let belongsToVerb = table.verbs.contains { $0.spec.options.contains { $0.spellings.contains(name) } }
      throw belongsToVerb ? .optionBeforeVerb(name) : .unknownOption(name, meant: meant)
    }
    if inlineValue != nil, !Self.takesValue(name) { throw .valueNotAllowed(option: name) }
    if path.isEmpty && name == "--version" { asksForVersion = true }
  }
}
