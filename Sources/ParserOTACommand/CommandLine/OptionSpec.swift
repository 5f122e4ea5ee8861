/// What the value of an option or positional may be, for the parser and for completion.
enum ValueShape: Equatable, Sendable {
  /// Free text: nothing to complete.
  case text
  case file
  case directory
  /// One of these words; any other is a usage error.
  case choice([String])

  /// The allowed words; empty when any text will do.
  var choices: [String] {
    if case .choice(let words) = self { words } else { [] }
  }
}

/// One option of a verb: parser, help, completions and reference are made from it.
struct OptionSpec: Equatable, Sendable {
  /// The long name without dashes.
  let name: String
  /// What stands for the value in help, such as `DIR`; `nil` for a flag.
  let valueName: String?
  /// One sentence, lower case, without a full stop.
  let help: String
  private(set) var shortName: Character?
  private(set) var isRepeatable = false
  private(set) var isRequired = false
  private(set) var mayBeEmpty = false
  private(set) var shape = ValueShape.text
  private(set) var source = Source.byName
  /// Options and arguments beside which the setting does not count.
  private(set) var unless: [String] = []
  /// Options without which the setting does not count.
  private(set) var with: [String] = []

  /// Where a value comes from when the option is left out.
  enum Source: Equatable, Sendable {
    /// The setting of the same name, if there is one.
    case byName
    /// The setting of another option.
    case named(String)
    case none
  }

  /// An option without a value.
  static func flag(_ name: String, _ help: String) -> OptionSpec {
    OptionSpec(name: name, valueName: nil, help: help)
  }

  /// An option with a value: `.option("feed", "DIR", "the feed to read").completing(.directory).required()`.
  static func option(_ name: String, _ valueName: String, _ help: String) -> OptionSpec {
    OptionSpec(name: name, valueName: valueName, help: help)
  }

  private init(name: String, valueName: String?, help: String) {
    self.name = name
    self.valueName = valueName
    self.help = help
  }

  /// Adds a one-letter name.
  func short(_ letter: Character) -> OptionSpec {
    var copy = self
    copy.shortName = letter
    return copy
  }

  /// Allows the option more than once.
  func repeatable() -> OptionSpec {
    var copy = self
    copy.isRepeatable = true
    return copy
  }

  /// Makes leaving the option out a usage error.
  func required() -> OptionSpec {
    var copy = self
    copy.isRequired = true
    return copy
  }

  /// Takes an empty value for none: texts that scripts fill in may have nothing in them.
  func allowingEmpty() -> OptionSpec {
    var copy = self
    copy.mayBeEmpty = true
    return copy
  }

  /// Takes nothing from the environment or from `parser-ota.json`.
  func withoutSetting() -> OptionSpec {
    var copy = self
    copy.source = .none
    return copy
  }

  /// Takes the setting of another option, or its own, unless one of those is given and only with these.
  func setting(_ other: String? = nil, unless: [String] = [], with: [String] = []) -> OptionSpec {
    var copy = self
    copy.source = other.map { .named($0) } ?? .byName
    (copy.unless, copy.with) = (unless, with)
    return copy
  }

  /// Says what the value is; a `.choice` also limits it.
  func completing(_ shape: ValueShape) -> OptionSpec {
    var copy = self
    copy.shape = shape
    return copy
  }
}

extension OptionSpec {
  var takesValue: Bool { valueName != nil }

  /// The long name as typed: `--feed`.
  var dashed: String { "--" + name }

  /// Every spelling as typed, the long one first.
  var spellings: [String] { [dashed] + (shortName.map { ["-\($0)"] } ?? []) }

  /// The option with its value: `--feed DIR`.
  var synopsis: String { valueName.map { "\(dashed) \($0)" } ?? dashed }
}
