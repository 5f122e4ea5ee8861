/// One argument without a name.
struct PositionalSpec: Equatable, Sendable {
  /// How often the argument may stand on a command line.
  enum Count: Sendable {
    case one, optional, oneOrMore, any
  }

  /// Upper case, as in the usage line: `FILE`.
  let name: String
  let help: String
  var count = Count.one
  var shape = ValueShape.text

  var isRequired: Bool { count == .one || count == .oneOrMore }
  var isRepeatable: Bool { count == .oneOrMore || count == .any }

  /// The argument as the usage line shows it.
  var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)…"
    case .any: "[\(name)…]"
    }
  }
}

/// The longer part of a verb's help.
struct VerbManual: Equatable, Sendable {
  /// Paragraphs; each is wrapped when shown.
  var details: [String] = []
  /// Command lines that work as they stand, without a prompt sign.
  var examples: [String] = []
  /// The statuses that this verb can end with, beside the usage error that each verb has.
  var exits: [ExitStatus] = [.done]

  /// All statuses that the verb can end with: a wrong command line, and no permission wherever files are touched.
  var allExits: [ExitStatus] {
    let implied: [ExitStatus] = exits.contains(.localDisk) ? [.usage, .notPermitted] : [.usage]
    return Set(exits + implied).sorted { $0.rawValue < $1.rawValue }
  }
}

/// Everything that parser, help, completions and reference know about one verb.
struct VerbSpec: Equatable, Sendable {
  /// The words that call it, such as `["device", "init"]`.
  let path: [String]
  /// One sentence, lower case, without a full stop.
  let summary: String
  let positionals: [PositionalSpec]
  let options: [OptionSpec]
  let manual: VerbManual

  init(
    _ path: [String], summary: String, positionals: [PositionalSpec] = [], options: [OptionSpec] = [],
    manual: VerbManual = VerbManual()
  ) {
    self.path = path
    self.summary = summary
    self.positionals = positionals
    self.options = options
    self.manual = manual
  }

  var name: String { path.joined(separator: " ") }

  /// The option with this long name.
  func option(named name: String) -> OptionSpec? { options.first { $0.name == name } }
}
