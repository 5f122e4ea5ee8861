internal import OTAManifest

/// Why a text is not a value of the wanted type, as the rest of a sentence after the name: "must be a whole number".
struct Refusal: Error, Equatable, Sendable {
  let reason: String
  init(_ reason: String) { self.reason = reason }

  /// A reading that refuses with this reason whenever the function returns `nil`, as a failable initializer does.
  static func unless<Value>(
    _ reason: String, _ make: @escaping (String) -> Value?
  ) -> ParsedArguments.Reading<Value> {
    { text throws(Refusal) in
      guard let value = make(text) else { throw Refusal(reason) }
      return value
    }
  }
}

/// The arguments of one verb: complete by its table, read by name into checked types.
///
/// Names are those of the table, without dashes; asking for a name that the verb does not have is a mistake in the verb.
struct ParsedArguments: Sendable {
  /// Turns one text into a checked value, or refuses it.
  typealias Reading<Value> = (String) throws(Refusal) -> Value

  let spec: VerbSpec
  let flags: GlobalFlags
  /// Where a value is from.
  enum Origin: Equatable, Sendable {
    case option
    /// A variable, by its name.
    case environment(String)
    /// The file of the project, as it is shown.
    case file(String)
  }

  /// The command that shows the help of this verb.
  private let help: String
  /// What is on the command line.
  private let given: [String: [String]]
  /// What counts: the command line, the environment, the file of the project.
  private var values: [String: [String]]
  private var origins: [String: Origin] = [:]
  private let positionals: [String: [String]]

  init(
    spec: VerbSpec, flags: GlobalFlags, help: String, values: [String: [String]],
    positionals: [String: [String]]
  ) {
    self.spec = spec
    self.flags = flags
    self.help = help
    self.values = values
    given = values
    self.positionals = positionals
  }

  /// Whether the option has a value or was given without one, on the command line or by a setting.
  func flag(_ name: String) -> Bool { !values(name).isEmpty }

  /// Whether an option or argument of that name is on the command line itself; `false` for names that the verb lacks.
  func isGiven(_ name: String) -> Bool { given[name] != nil || positionals[name]?.isEmpty == false }

  /// Where the value of an option is from; `nil` when it has none.
  func origin(of name: String) -> Origin? {
    origins[name] ?? (given[name] == nil ? nil : .option)
  }

  /// The file that `--config` names.
  var config: String? { given[CommandTable.config.name]?.first }

  /// Takes values for an option that the command line leaves out.
  mutating func fill(_ name: String, with texts: [String], from origin: Origin) {
    values[name] = texts
    origins[name] = origin
  }

  /// The value, or `nil` when the option is not given.
  func value(_ name: String) -> String? { values(name).first }

  /// All values of a repeatable option, in order.
  func values(_ name: String) -> [String] {
    assert(spec.option(named: name) != nil, "\(spec.name) has no option \(name)")
    return values[name] ?? []
  }

  /// The value; leaving the option out is a usage error that names it.
  func required(_ name: String) throws(CommandFailure) -> String {
    if let value = value(name) { return value }
    throw usage(.missingOption(spec.option(named: name) ?? .option(name, "VALUE", "")))
  }

  /// The first text of a positional, or `nil`.
  func positional(_ name: String) -> String? { positionals(name).first }

  /// All texts of a positional, in order.
  func positionals(_ name: String) -> [String] {
    assert(spec.positionals.contains { $0.name == name }, "\(spec.name) has no argument \(name)")
    return positionals[name] ?? []
  }
}

extension ParsedArguments {
  /// The checked value, or `nil` when the option is not given.
  func value<Value>(_ name: String, as read: Reading<Value>) throws(CommandFailure) -> Value? {
    guard let text = value(name) else { return nil }
    return try checked(text, subject: "--\(name)", read)
  }

  /// All checked values of a repeatable option.
  func values<Value>(_ name: String, as read: Reading<Value>) throws(CommandFailure) -> [Value] {
    var checkedValues: [Value] = []
    for text in values(name) { checkedValues.append(try checked(text, subject: "--\(name)", read)) }
    return checkedValues
  }

  /// The checked value; leaving the option out is a usage error that names it.
  func required<Value>(_ name: String, as read: Reading<Value>) throws(CommandFailure) -> Value {
    try checked(try required(name), subject: "--\(name)", read)
  }

  /// The checked positional, or `nil` when it is optional and not given.
  func positional<Value>(_ name: String, as read: Reading<Value>) throws(CommandFailure) -> Value? {
    guard let text = positional(name) else { return nil }
    return try checked(text, subject: name, read)
  }

  /// The same command with more options, ready to be pasted into a shell.
  func command(adding more: [String]) -> String {
    var words = ["parser-ota"] + spec.path
    for option in spec.options {
      for value in given[option.name] ?? [] {
        words.append(option.dashed)
        if option.takesValue { words.append(Redaction.hidingSecrets(in: value)) }
      }
    }
    words += spec.positionals.flatMap { positionals[$0.name] ?? [] } + more
    return words.map(\.shellWord).joined(separator: " ")
  }

  /// A usage error when both are given.
  func refuseTogether(_ one: String, _ other: String) throws(CommandFailure) {
    if flag(one) && flag(other) { throw usage(.refusedTogether("--" + one, "--" + other)) }
  }

  /// A usage error when none or more than one is given.
  func requireExactlyOne(of names: String...) throws(CommandFailure) {
    let given = names.filter { flag($0) }
    if given.count > 1 { throw usage(.refusedTogether("--" + given[0], "--" + given[1])) }
    if given.isEmpty { throw usage(.missingOneOf(names.map { "--" + $0 })) }
  }

  /// The failure for a mistake that only the verb can see.
  func usage(_ error: UsageError) -> CommandFailure { error.failure(help: help) }

  private func checked<Value>(
    _ text: String, subject: String, _ read: Reading<Value>
  ) throws(CommandFailure) -> Value {
    do {
      return try read(text)
    } catch {
      let shown = Redaction.hidingSecrets(in: text)
      throw usage(.invalidValue("\(subject) \(shown)", expected: error.reason, meant: nil))
    }
  }
}
