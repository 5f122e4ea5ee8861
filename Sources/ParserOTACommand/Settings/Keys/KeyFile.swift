internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTAProcess
internal import OTAStorage

/// Private and public keys where the command line and the environment say that they are.
struct KeyFile {
  /// The longest key file, in bytes.
  static let maxBytes = 16 << 10
  /// What stands before the name of a variable that holds a key, in place of a path.
  static let variablePrefix = "env:"

  let passphrase: Passphrase
  let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    passphrase = Passphrase(arguments: arguments, context: context)
    self.context = context
  }

  /// The private key in a file, in a variable for `env:NAME`, or on standard input for `-`.
  func privateKey(_ path: String, option: String) throws(CommandFailure) -> PrivateKey {
    try Self.refuseMaterial(path, option: option, context)
    if path.hasPrefix(Self.variablePrefix) {
      let name = String(path.dropFirst(Self.variablePrefix.count))
      guard let key = try privateKey(variable: name) else {
        throw CommandFailure(
          .usage, code: "missing-option", message: "\(option): the variable \(name.printable()) is not set",
          hint: "check the name of the secret, and whether this job may read it")
      }
      return key
    }
    keepMemoryPrivate()
    var pem = try path == "-" ? Self.standardInput(option) : Self.readSecret(path, option: option, context)
    defer { erase(&pem) }
    return try privateKey(pem, from: path == "-" ? .standardInput : .file(path))
  }

  /// The private key in a variable of the environment; `nil` when it is not set or empty.
  func privateKey(variable: String) throws(CommandFailure) -> PrivateKey? {
    guard let text = context.environment[variable], !text.isEmpty else { return nil }
    keepMemoryPrivate()
    var pem = Array(text.utf8)
    defer { erase(&pem) }
    return try privateKey(pem, from: .variable(variable))
  }

  private func privateKey(_ given: [UInt8], from place: KeyText.Place) throws(CommandFailure) -> PrivateKey {
    var pem = KeyText.mended(given)
    defer { erase(&pem) }
    let name = place.name
    if let problem = KeyText(pem, from: place).privateProblem() {
      throw Self.unusable(name, problem.message, hint: problem.hint)
    }
    do {
      return try PrivateKey(pem: pem)
    } catch .wrongPassphrase {
      var phrase = try passphrase.read(for: name)
      defer { erase(&phrase) }
      do {
        return try PrivateKey(pem: pem, passphrase: phrase)
      } catch {
        throw Self.unusable(name, error)
      }
    } catch {
      throw Self.unusable(name, error)
    }
  }

  /// The public key in a PEM file.
  static func publicKey(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> PublicKey {
    try refuseMaterial(path, option: option, context)
    let bytes = try InputFile.read(path, option: option, maxBytes: maxBytes, context)
    let mended = KeyText.mended(bytes)
    let problem =
      KeyText(mended, from: .file(path)).publicProblem()
    if let problem { throw unusable("\(option): \(path)", problem.message, hint: problem.hint) }
    do {
      let key = try PublicKey(pem: String(decoding: mended, as: UTF8.self))
      guard key.scheme == .ed25519 else {
        throw CommandFailure(
          .keyUnusable,
          "\(option): \(path) is for \(key.scheme.rawValue), and only Ed25519 keys sign here",
          hint: unusableHint)
      }
      return key
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as CryptoError {
      throw unusable(path, error)
    } catch {
      throw unusable(path, .malformedKey("it is not a public key"))
    }
  }

  /// The bytes of a file that only its owner may read.
  static func readSecret(
    _ path: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) -> [UInt8] {
    try refuseMaterial(path, option: option, context)
    do {
      return try readSecretFile(at: context.absolutePath(path), maxBytes: maxBytes)
    } catch  where error.kind == .untrustedOwner {
      throw CommandFailure(
        .notPrivate, "\(option): \(error.message)",
        hint: "chmod 600 \(path), and make a new key if others may have read this one")
    } catch {
      throw CommandFailure(error, of: option, hint: "give the path of a readable file")
    }
  }

  /// A key on the command line is one that every user of the machine can read; its text is not repeated.
  private static func refuseMaterial(
    _ value: String, option: String, _ context: CommandContext
  ) throws(CommandFailure) {
    guard KeyMaterial.isLikely(value), KeyMaterial.isPEM(value) || !exists(context.absolutePath(value)) else {
      return
    }
    throw CommandFailure(
      .usage, code: "secret-in-argument",
      message: "\(option) takes the path of a key, but the value looks like a key itself",
      hint:
        "everybody on this machine could read it, so make a new key; then give its file, or - for standard input"
    )
  }

  private static func exists(_ path: String) -> Bool {
    // Only a file that can be opened shows that the text is a path; whatever else happens, the text may be a secret.
    (try? readFile(at: path, maxBytes: maxBytes)) != nil
  }

  private static func standardInput(_ option: String) throws(CommandFailure) -> [UInt8] {
    do {
      return try readStandardInput(maxBytes: maxBytes)
    } catch {
      throw CommandFailure(
        error.kind == .tooLarge ? .tooLarge : .fileUnreadable, "\(option): \(error.message)",
        hint: "give the path of a key file")
    }
  }

  private static let unusableHint = "give an Ed25519 key as PEM, such as parser-ota key generate makes"

  /// The reasons of the library that reads keys are for programmers, so most are told in other words.
  private static func unusable(_ name: String, _ error: CryptoError) -> CommandFailure {
    let (message, hint) =
      switch error {
      case .wrongPassphrase:
        (
          error.message,
          "give the passphrase of this key with --passphrase-file FILE or in \(Passphrase.variable)"
        )
      case .malformedKey(let reason) where reason.contains("::"):
        (
          "the text between its BEGIN and END lines is damaged",
          "copy the whole file again, or " + unusableHint
        )
      default: (error.message, unusableHint)
      }
    return unusable(name, message, hint: hint)
  }

  private static func unusable(_ name: String, _ message: String, hint: String) -> CommandFailure {
    CommandFailure(.keyUnusable, "\(name): \(message)", kept: "nothing was changed", hint: hint)
  }
}
