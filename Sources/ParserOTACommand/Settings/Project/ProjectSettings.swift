internal import OTAManifest

/// Gives a command line what its options leave out: from the environment, else from `parser-ota.json`.
struct ProjectSettings {
  private let context: CommandContext
  private var file: ProjectFile?
  private var hasLooked = false
  private var taken: [(setting: Setting, value: String, origin: ParsedArguments.Origin)] = []

  init(_ context: CommandContext) { self.context = context }

  /// The arguments with every setting that counts; says on standard error what was taken from where.
  ///
  /// The file is read only when an option is left out that it could give.
  /// - Throws: a usage error when a required option has no value from anywhere.
  static func complete(
    _ arguments: ParsedArguments, _ context: CommandContext
  ) throws(CommandFailure) -> ParsedArguments {
    var settings = ProjectSettings(context)
    return try settings.complete(arguments)
  }

  private mutating func complete(_ given: ParsedArguments) throws(CommandFailure) -> ParsedArguments {
    var arguments = given
    for option in given.spec.options {
      guard let setting = option.setting, !given.isGiven(option.name), applies(option, setting, arguments)
      else { continue }
      guard let (texts, origin) = try value(of: setting, given) else { continue }
      if setting.kind == .flag, texts == ["false"] { continue }
      arguments.fill(option.name, with: setting.kind == .flag ? [""] : texts, from: origin)
      taken.append((setting, texts.joined(separator: ", "), origin))
    }
    try takeAllowances(&arguments)
    for option in given.spec.options where option.isRequired && !arguments.flag(option.name) {
      throw missing(option, arguments)
    }
    speak(given)
    return arguments
  }

  /// Whether a setting counts beside what is on the command line.
  private func applies(_ option: OptionSpec, _ setting: Setting, _ arguments: ParsedArguments) -> Bool {
    // A launch depends on nothing but its store.
    if arguments.spec.path.first == "device", setting.key != "store" { return false }
    let others = option.unless + setting.unless
    guard !others.contains(where: arguments.isGiven) else { return false }
    guard option.with.allSatisfy({ arguments.flag($0) }) else { return false }
    // A folder is judged by what it says itself; the root is for feeds over a network.
    guard setting.key == "root" else { return true }
    let feed = arguments.spec.options.first { $0.setting?.key == "feed" }.flatMap { arguments.value($0.name) }
    return feed?.contains("://") == true
  }

  private mutating func value(
    of setting: Setting, _ given: ParsedArguments
  ) throws(CommandFailure) -> (texts: [String], origin: ParsedArguments.Origin)? {
    if let text = context.environment[setting.variable], !text.isEmpty {
      if setting.verbReadsVariable { return nil }
      return ([try Self.checked(text, setting)], .environment(setting.variable))
    }
    guard let file = try projectFile(given), let texts = file.values[setting.key] else { return nil }
    return (texts, .file(file.shown))
  }

  private static func checked(_ text: String, _ setting: Setting) throws(CommandFailure) -> String {
    guard setting.kind == .flag else { return text }
    switch text.asciiLowercased {
    case "1", "true", "yes": return "true"
    case "0", "false", "no": return "false"
    default:
      throw CommandFailure(
        .usage, code: "invalid-value", message: "\(setting.variable) must be true or false",
        hint: "set it to true or false, or unset it")
    }
  }

  private mutating func projectFile(_ given: ParsedArguments) throws(CommandFailure) -> ProjectFile? {
    guard !hasLooked else { return file }
    hasLooked = true
    file = try ProjectFile.find(named: given.config, context)
    return file
  }

  private mutating func takeAllowances(_ arguments: inout ParsedArguments) throws(CommandFailure) {
    guard arguments.spec.option(named: GateOptions.allow.name) == GateOptions.allow,
      let file = try projectFile(arguments), !file.allowances.isEmpty
    else { return }
    let now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
    for allowance in file.allowances {
      if let notice = allowance.notice(at: now) { context.talk.warning("\(file.shown): \(notice)") }
    }
    let current = file.allowances.filter { !$0.isOver(at: now) }.map(\.finding)
    guard !current.isEmpty else { return }
    arguments.fill(
      GateOptions.allow.name, with: arguments.values(GateOptions.allow.name) + current,
      from: .file(file.shown))
  }

  private func missing(_ option: OptionSpec, _ arguments: ParsedArguments) -> CommandFailure {
    var failure = arguments.usage(.missingOption(option))
    guard let setting = option.setting, !setting.verbReadsVariable else { return failure }
    failure.hint =
      "give it, set \(setting.variable), or write \"\(setting.key)\" into \(ProjectFile.name):"
      + " parser-ota config init"
    return failure
  }

  // MARK: What is said

  /// What was taken from where, in at most two lines; a device's start script sets its variables on purpose.
  private func speak(_ arguments: ParsedArguments) {
    var lines: [(place: String, parts: [String])] = []
    for (setting, value, origin) in taken {
      let (place, part) = Self.words(setting, value, origin)
      if arguments.spec.path.first == "device", case .environment = origin { continue }
      if let index = lines.firstIndex(where: { $0.place == place }) {
        lines[index].parts.append(part)
      } else {
        lines.append((place, [part]))
      }
    }
    for line in lines { context.talk.note("from \(line.place): \(line.parts.joined(separator: ", "))") }
  }

  private static func words(
    _ setting: Setting, _ value: String, _ origin: ParsedArguments.Origin
  ) -> (place: String, part: String) {
    let shown = Redaction.hidingSecrets(in: value)
    switch origin {
    case .environment(let variable): return ("the environment", "\(variable)=\(shown)")
    case .file(let name): return (name, setting.kind == .flag ? setting.key : "\(setting.key) \(shown)")
    case .option: return ("the command line", shown)
    }
  }
}
