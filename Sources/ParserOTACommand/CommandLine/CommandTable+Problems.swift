extension CommandTable {
  /// Mistakes in the table itself, one sentence each; a test expects none.
  var problems: [String] {
    var found: [String] = []
    for (index, verb) in verbs.enumerated() {
      let spec = verb.spec
      if spec.path.isEmpty { found.append("a verb has no words") }
      if verbs[..<index].contains(where: { $0.spec.path == spec.path }) {
        found.append("\(spec.name) is in the table twice")
      }
      found += optionProblems(of: spec) + positionalProblems(of: spec)
    }
    return found
  }

  private func optionProblems(of spec: VerbSpec) -> [String] {
    var found: [String] = []
    var seen: Set<String> = []
    for option in spec.options + Self.globalOptions {
      for spelling in option.spellings where !seen.insert(spelling).inserted {
        found.append("\(spec.name) has \(spelling) twice")
      }
      if option.help.isEmpty || option.help.hasSuffix(".") {
        found.append("\(spec.name) \(option.dashed) needs a help sentence without a full stop")
      }
      // A flag may be required: it is how a person says yes to something that should not go without saying.
      if !option.takesValue && option.shape != .text {
        found.append("\(spec.name) \(option.dashed) is a flag and cannot be completed")
      }
    }
    return found
  }

  private func positionalProblems(of spec: VerbSpec) -> [String] {
    var found: [String] = []
    for (earlier, later) in zip(spec.positionals, spec.positionals.dropFirst()) {
      if earlier.isRepeatable { found.append("\(spec.name): only the last argument may repeat") }
      if !earlier.isRequired && later.isRequired {
        found.append("\(spec.name): \(later.name) is required after an optional argument")
      }
    }
    return found
  }
}
