/// What is wrong with a command line.
enum UsageError: Error, Equatable, Sendable {
  case unknownOption(String, meant: String?)
  case optionBeforeVerb(String)
  case missingValue(option: OptionSpec, next: String?)
  case valueNotAllowed(option: String)
  case repeatedOption(String)
  case refusedTogether(String, String)
  case missingOption(OptionSpec)
  case missingOneOf([String])
  case emptyValue(OptionSpec)
  case invalidValue(String, expected: String, meant: String?)
  case unknownVerb(String, meant: String?)
  case missingVerb(after: [String], among: [String])
  case unexpectedArgument(String)
  case missingArgument(String)

  /// The stable word for `--json`.
  var code: String {
    switch self {
    case .unknownOption, .optionBeforeVerb: "unknown-option"
    case .missingValue: "missing-value"
    case .valueNotAllowed: "value-not-allowed"
    case .repeatedOption: "repeated-option"
    case .refusedTogether: "conflicting-options"
    case .missingOption, .missingOneOf: "missing-option"
    case .emptyValue: "empty-value"
    case .invalidValue: "invalid-value"
    case .unknownVerb: "unknown-verb"
    case .missingVerb: "missing-verb"
    case .unexpectedArgument: "unexpected-argument"
    case .missingArgument: "missing-argument"
    }
  }

  /// What is wrong, naming the flag or word.
  var message: String {
    switch self {
    case .unknownOption(let name, _): "unknown option \(KeyMaterial.shown(name))"
    case .optionBeforeVerb(let name): "\(KeyMaterial.shown(name)) stands before the verb"
    case .missingValue(let option, _): "\(option.dashed) needs a value: \(option.synopsis)"
    case .valueNotAllowed(let option): "\(option) takes no value"
    case .repeatedOption(let name): "\(name) is given twice"
    case .refusedTogether(let one, let other): "\(one) and \(other) cannot be given together"
    case .missingOption(let option): "missing \(option.synopsis)"
    case .missingOneOf(let names): "missing one of \(names.joined(separator: ", "))"
    case .emptyValue(let option): "\(option.dashed) has an empty value"
    case .invalidValue(let subject, let expected, _): "\(KeyMaterial.shown(subject)): \(expected)"
    case .unknownVerb(let word, _): "unknown verb \(KeyMaterial.shown(word))"
    case .missingVerb(let path, _):
      path.isEmpty ? "missing verb" : "missing verb after \(path.joined(separator: " "))"
    case .unexpectedArgument(let text):
      text.isEmpty ? "unexpected empty argument" : "unexpected argument \(KeyMaterial.shown(text))"
    case .missingArgument(let name): "missing \(name)"
    }
  }

  /// The hint that this mistake has of its own; `nil` when the help page is the best advice.
  var ownHint: String? {
    switch self {
    case .unknownOption(_, let meant), .unknownVerb(_, let meant), .invalidValue(_, _, let meant):
      meant.map { "did you mean \($0)" }
    case .optionBeforeVerb: "put the verb first, then its options"
    case .missingValue(let option, let next):
      next.map(KeyMaterial.shown).map { "if \($0) is the value, write \(option.dashed)=\($0)" }
    case .valueNotAllowed(let option): "write \(option) alone"
    case .repeatedOption(let name): "keep one \(name)"
    case .refusedTogether(let one, let other): "leave out \(one) or \(other)"
    case .emptyValue(let option): "give a value or leave \(option.dashed) out"
    case .missingVerb(_, let words): "one of: \(words.joined(separator: ", "))"
    case .missingOption, .missingOneOf, .unexpectedArgument, .missingArgument: nil
    }
  }
}

extension UsageError {
  /// The failure with a hint that always exists.
  func failure(help: String) -> CommandFailure {
    CommandFailure(.usage, code: code, message: message, hint: ownHint ?? "see \(help)")
  }
}
