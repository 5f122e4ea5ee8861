/// Reads the options and arguments of one verb.
struct OptionReader {
  private let spec: VerbSpec
  private let known: [OptionSpec]
  private var values: [String: [String]] = [:]
  private var positionals: [String] = []

  init(_ spec: VerbSpec) {
    self.spec = spec
    known = spec.options + CommandTable.globalOptions
  }

  /// Takes all tokens after the words of the verb.
  mutating func read(_ tokens: [Token]) throws(UsageError) {
    var rest = tokens[...]
    while let token = rest.popFirst() {
      switch token {
      case .value(let text, _): positionals.append(text)
      case .end: continue
      case .option(let name, let inlineValue, _):
        let option = try option(spelled: name)
        try add(try value(of: option, name, inlineValue, &rest), to: option, name)
      }
    }
  }

  /// Checks what can be checked once everything is read.
  func finish(flags: GlobalFlags, help: String) throws(UsageError) -> ParsedArguments {
    let assigned = try assignPositionals()
    // What a setting can give is asked for when the settings are known.
    for option in spec.options
    where option.isRequired && option.setting == nil && values[option.name] == nil {
      throw .missingOption(option)
    }
    return ParsedArguments(spec: spec, flags: flags, help: help, values: values, positionals: assigned)
  }

  private func option(spelled name: String) throws(UsageError) -> OptionSpec {
    if let option = known.first(where: { $0.spellings.contains(name) }) { return option }
    throw .unknownOption(name, meant: Spelling.nearest(to: name, among: known.map(\.dashed)))
  }

  private func value(
    of option: OptionSpec, _ name: String, _ inlineValue: String?, _ rest: inout ArraySlice<Token>
  ) throws(UsageError) -> String {
    guard option.takesValue else {
      if inlineValue != nil { throw .valueNotAllowed(option: name) }
      return ""
    }
    let value: String
    if let inlineValue { value = inlineValue } else { value = try nextValue(for: option, &rest) }
    if value.isEmpty && !option.mayBeEmpty { throw .emptyValue(option) }
    try Self.check(value, option.shape, subject: "\(option.dashed) \(value)")
    return value
  }

  private func nextValue(for option: OptionSpec, _ rest: inout ArraySlice<Token>) throws(UsageError) -> String
  {
    switch rest.first {
    case .value(let text, _):
      rest.removeFirst()
      return text
    case .option(let name, let inlineValue, _):
      throw .missingValue(option: option, next: name + (inlineValue.map { "=" + $0 } ?? ""))
    case .end, nil:
      throw .missingValue(option: option, next: nil)
    }
  }

  private mutating func add(_ value: String, to option: OptionSpec, _ name: String) throws(UsageError) {
    if values[option.name] != nil && !option.isRepeatable { throw .repeatedOption(name) }
    values[option.name, default: []].append(value)
  }

  private func assignPositionals() throws(UsageError) -> [String: [String]] {
    var assigned: [String: [String]] = [:]
    var rest = positionals[...]
    for positional in spec.positionals {
      let taken = positional.isRepeatable ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      if taken.isEmpty && positional.isRequired { throw .missingArgument(positional.name) }
      for text in taken { try Self.check(text, positional.shape, subject: "\(positional.name) \(text)") }
      assigned[positional.name] = Array(taken)
    }
    if let extra = rest.first { throw .unexpectedArgument(extra) }
    return assigned
  }

  private static func check(_ value: String, _ shape: ValueShape, subject: String) throws(UsageError) {
    let choices = shape.choices
    if choices.isEmpty || choices.contains(value) { return }
    throw .invalidValue(
      subject, expected: "must be one of \(choices.joined(separator: ", "))",
      meant: Spelling.nearest(to: value, among: choices))
  }
}
