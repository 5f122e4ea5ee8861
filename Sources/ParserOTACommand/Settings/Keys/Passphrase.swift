internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Where the passphrase of an encrypted key comes from: a file, the environment, or a person at a terminal.
struct Passphrase {
  static let option = OptionSpec.option(
    "passphrase-file", "FILE", "a file with the passphrase of encrypted keys; only its owner may read it"
  ).completing(.file)
  static let variable = "PARSER_OTA_KEY_PASSPHRASE"
  private static let maxBytes = 1024

  let arguments: ParsedArguments
  let context: CommandContext

  /// The passphrase for an existing key, which messages call `name`.
  func read(for name: String) throws(CommandFailure) -> [UInt8] {
    if let given = try given() { return given }
    return try asked("passphrase of \(name):")
  }

  /// The passphrase for a new key; a person types it twice.
  func choose(for name: String) throws(CommandFailure) -> [UInt8] {
    if let given = try given() { return given }
    var first = try asked("new passphrase of \(name):")
    var second = try asked("the same again:")
    defer { erase(&second) }
    guard first == second else {
      erase(&first)
      throw CommandFailure(
        .notAchieved, code: "passphrases-differ", message: "the two passphrases differ",
        kept: "nothing was written")
    }
    return first
  }

  private func given() throws(CommandFailure) -> [UInt8]? {
    if let path = arguments.value("passphrase-file") {
      return try checked(KeyFile.readSecret(path, option: "--passphrase-file", context), "--passphrase-file")
    }
    guard let text = context.environment[Self.variable], !text.isEmpty else { return nil }
    return try checked(Array(text.utf8), Self.variable)
  }

  private func checked(_ bytes: [UInt8], _ source: String) throws(CommandFailure) -> [UInt8] {
    var line = bytes
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard (1...Self.maxBytes).contains(line.count) else {
      throw CommandFailure(
        .usage, code: "invalid-value", message: "\(source): a passphrase has 1 to \(Self.maxBytes) bytes",
        hint: "write the passphrase alone, with at most one newline behind it")
    }
    return line
  }

  private func asked(_ question: String) throws(CommandFailure) -> [UInt8] {
    guard Confirmation.canAsk(arguments, context) else {
      throw CommandFailure(
        .usage, code: "passphrase-needed",
        message: "\(question.dropLast()) is needed, and this is not a terminal",
        hint: "give --passphrase-file FILE, or set \(Self.variable)")
    }
    context.talk.question(question)
    let answer = context.console.readSecretLine()
    // The return key is not shown either.
    context.talk.endQuestion()
    guard let answer, !answer.isEmpty else {
      throw CommandFailure(
        .notAchieved, code: "declined", message: "\(question.dropLast()) was not given",
        kept: "nothing was changed")
    }
    return try checked(answer, "the terminal")
  }
}
