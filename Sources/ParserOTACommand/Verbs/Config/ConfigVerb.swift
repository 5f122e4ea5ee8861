internal import OTAManifest

extension Verb {
  static let config = Verb(
    VerbSpec(
      ["config"], summary: "show the settings of the project, and where each is from",
      options: [OutputFormat.option] + Setting.all.map(ConfigPage.option),
      manual: VerbManual(
        details: [
          "A verb takes what the command line leaves out from the environment, else from parser-ota.json, else from its defaults."
            + " The file is the one of --config or PARSER_OTA_CONFIG, else parser-ota.json in this folder or above it in the same"
            + " repository. Paths in it start at its own folder.",
          "Keys never stand in the file: releaseKey and rootKey are the paths of key files, or env:NAME for a variable."
            + " The list allow permits findings of the gate for a time: {\"finding\": \"size\", \"reason\": \"…\", \"until\":"
            + " \"2026-12-31\"}.",
        ],
        examples: ["parser-ota config", "parser-ota config --format shell"],
        exits: [.done, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let page = try ConfigPage(arguments, context)
      var result = CommandResult.answer("config", page.summary, lines: page.lines, payload: page.members)
      result.warnings = page.notices
      return try OutputFormat.apply(to: result, arguments, rows: page.rows, values: page.variables)
    })
}

/// The settings that count, for people and for programs.
struct ConfigPage {
  private struct Row {
    let setting: Setting
    let texts: [String]
    /// `option`, `environment`, `file`, `default` or `none`.
    let from: String
    let place: String
    var isSecret = false

    var shown: String {
      isSecret ? "(set)" : texts.map { Redaction.hidingSecrets(in: $0) }.joined(separator: ", ")
    }
  }

  private let file: ProjectFile?
  private let settings: [Row]
  private let now: Timestamp

  init(_ arguments: ParsedArguments, _ context: CommandContext) throws(CommandFailure) {
    let file = try ProjectFile.find(named: arguments.config, context)
    self.file = file
    now = Timestamp(secondsSinceEpoch: context.clock.wallSeconds())
    settings = Setting.all.map { setting in
      let given = arguments.values(setting.option)
      if !given.isEmpty {
        return Row(
          setting: setting, texts: setting.kind == .flag ? ["true"] : given, from: "option",
          place: "the command line")
      }
      if let text = context.environment[setting.variable], !text.isEmpty {
        return Row(
          setting: setting, texts: setting.kind == .key ? [] : [text], from: "environment",
          place: setting.variable, isSecret: setting.kind == .key)
      }
      if let file, let texts = file.values[setting.key] {
        return Row(setting: setting, texts: texts, from: "file", place: file.shown)
      }
      if let text = setting.fallback {
        return Row(setting: setting, texts: [text], from: "default", place: "default")
      }
      return Row(setting: setting, texts: [], from: "none", place: "-")
    }
  }

  /// A setting as an option of this verb alone, which looks at the other places by itself.
  static func option(_ setting: Setting) -> OptionSpec {
    guard setting.kind != .flag else { return .flag(setting.option, setting.help).withoutSetting() }
    let names: [Setting.Kind: String] = [.path: "FILE", .paths: "FILE", .place: "FEED", .number: "N"]
    let option = OptionSpec.option(
      setting.option, names[setting.kind] ?? "TEXT", "\(setting.help): \(setting.key) in the file"
    ).withoutSetting()
    return [.paths, .key].contains(setting.kind) ? option.repeatable() : option
  }

  var summary: String {
    guard let file else { return "no \(ProjectFile.name) here: parser-ota config init writes one" }
    return "the settings of \(file.shown)"
  }

  var lines: [String] {
    let width = settings.map(\.setting.key.count).max() ?? 0
    let values = settings.map { $0.texts.isEmpty && !$0.isSecret ? "-" : $0.shown }
    let valueWidth = min(40, values.map(\.count).max() ?? 0)
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let head = "\(padded("file", width))  \(file?.path ?? "none: parser-ota config init writes one")"
    return [head]
      + zip(settings, values).map { row, value in
        "\(padded(row.setting.key, width))  \(padded(value, valueWidth))  \(row.place)"
      }
      + (file?.allowances ?? []).map { allowance in
        "\(padded("allow", width))  \(allowance.finding) until \(allowance.until): \(allowance.reason)"
          + (allowance.isOver(at: now) ? " (over)" : "")
      }
  }

  var notices: [String] { (file?.allowances ?? []).compactMap { $0.notice(at: now) } }

  /// Key, value and place of each setting.
  var rows: [[String]] { settings.map { [$0.setting.key, $0.shown, $0.from, $0.place] } }

  /// The settings as the variables that say the same; keys stay where they are.
  var variables: [(name: String, value: String)] {
    settings.filter { !$0.isSecret && !$0.texts.isEmpty && $0.from != "default" && $0.setting.kind != .key }
      .map { ($0.setting.variable, $0.texts.joined(separator: ",")) }
  }

  var members: [JSONMember] {
    [
      JSONMember("file", file.map { .string($0.path) } ?? .null),
      JSONMember(
        "settings",
        .array(
          settings.map { row in
            .object([
              JSONMember("key", .string(row.setting.key)),
              JSONMember("option", .string("--" + row.setting.option)),
              JSONMember("variable", .string(row.setting.variable)),
              JSONMember(
                "values", .array(row.texts.map { .string(Redaction.hidingSecrets(in: $0)) })),
              JSONMember("from", .string(row.from)),
            ])
          })),
      JSONMember(
        "allow",
        .array(
          (file?.allowances ?? []).map { allowance in
            guard case .object(let members) = allowance.json else { return allowance.json }
            return .object(members + [JSONMember("over", .bool(allowance.isOver(at: now)))])
          })),
    ]
  }
}
