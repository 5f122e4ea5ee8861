internal import OTACrypto
internal import OTAManifest
internal import ParserPublisher

/// The keys that a verb may sign with, from options and environment.
struct SigningOptions {
  /// Which of the two kinds of keys.
  enum Kind: String {
    case root, release

    /// The option for a key file.
    var option: String { "\(rawValue)-key" }
    /// The variable with the PEM text of a key.
    var variable: String { "PARSER_OTA_\(rawValue.uppercased())_KEY" }
  }

  static let releaseKey = OptionSpec.option(
    "release-key", "FILE",
    "a private key that signs releases, env:NAME for one in a variable, or - for standard input; by default the one in the variable PARSER_OTA_RELEASE_KEY"
  ).completing(.file).repeatable()
  static let rootKey = OptionSpec.option(
    "root-key", "FILE",
    "a private key that signs the root, env:NAME for one in a variable, or - for standard input; by default the one in the variable PARSER_OTA_ROOT_KEY"
  ).completing(.file).repeatable()
  static let signWith = OptionSpec.option(
    "sign-with", "CMD", "a shell command that signs: it reads bytes and writes an Ed25519 signature")
  static let signWithPublic = OptionSpec.option(
    "sign-with-public", "FILE", "the public key of --sign-with, as PEM"
  ).completing(.file)

  /// The options of a verb that signs releases.
  static let release = [releaseKey, signWith, signWithPublic, Passphrase.option]
  /// The options of a verb that signs roots alone.
  static let root = [rootKey, signWith, signWithPublic, Passphrase.option]
  /// The options of a verb that signs both.
  static let both = [rootKey] + release

  let arguments: ParsedArguments
  let context: CommandContext

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    self.arguments = arguments
    self.context = context
  }

  /// The signers of a kind: the key files that are named, else the key of the environment.
  func signers(_ kind: Kind) throws(CommandFailure) -> [any MetadataSigner] {
    let files = KeyFile(arguments, context)
    let paths = arguments.values(kind.option)
    try requireOneStandardInput()
    if paths.isEmpty {
      return try files.privateKey(variable: kind.variable).map { [KeySigner($0)] } ?? []
    }
    var signers: [any MetadataSigner] = []
    for path in paths { signers.append(KeySigner(try files.privateKey(path, option: "--\(kind.option)"))) }
    return signers
  }

  /// The signer of `--sign-with`, if it is given.
  func commandSigner() throws(CommandFailure) -> (any MetadataSigner)? {
    guard let command = arguments.value("sign-with") else {
      if arguments.flag("sign-with-public") { throw arguments.usage(.missingOption(Self.signWith)) }
      return nil
    }
    guard let path = arguments.value("sign-with-public") else {
      throw arguments.usage(.missingOption(Self.signWithPublic))
    }
    let key = try KeyFile.publicKey(path, option: "--sign-with-public", context)
    let secrets = [Kind.root.variable, Kind.release.variable, Passphrase.variable]
    let environment = context.environment.filter { !secrets.contains($0.key) }
    return CommandSigner(command, publicKey: key, environment: environment)
  }

  /// The release signers, for a verb that can do nothing without one.
  func requiredReleaseSigners() throws(CommandFailure) -> [any MetadataSigner] {
    let signers = try releaseSigners()
    guard signers.isEmpty else { return signers }
    try refuseEmptyVariable([.release])
    throw CommandFailure(
      .usage, code: "missing-option", message: "no key to sign with was given",
      hint: "give --release-key FILE or --sign-with CMD, or set \(Kind.release.variable)")
  }

  /// The release signers, the one of `--sign-with` among them.
  func releaseSigners() throws(CommandFailure) -> [any MetadataSigner] {
    try signers(.release) + [commandSigner()].compactMap(\.self)
  }

  /// Every signer that is given, for a verb that can do nothing without a root key.
  func requiredRootSigners() throws(CommandFailure) -> [any MetadataSigner] {
    let signers = try allSigners()
    guard signers.isEmpty else { return signers }
    try refuseEmptyVariable([.root, .release])
    throw CommandFailure(
      .usage, code: "missing-option", message: "no key to sign the root with was given",
      hint:
        "give --root-key FILE or set \(Kind.root.variable); for holders elsewhere: parser-ota root prepare")
  }

  /// Every signer that is given, for a verb that uses each where the root lists its key.
  func allSigners() throws(CommandFailure) -> [any MetadataSigner] {
    try signers(.root) + releaseSigners()
  }

  /// A variable without text is a secret that did not reach the job: say that, not that no key was given.
  private func refuseEmptyVariable(_ kinds: [Kind]) throws(CommandFailure) {
    guard let empty = kinds.map(\.variable).first(where: { context.environment[$0]?.isEmpty == true }) else {
      return
    }
    throw CommandFailure(
      .usage, code: "missing-option", message: "\(empty) is set and empty",
      hint: "check the name of the secret, and whether this job may read it: jobs of forks may not")
  }

  private func requireOneStandardInput() throws(CommandFailure) {
    let kinds = [Kind.root, .release].filter { arguments.spec.option(named: $0.option) != nil }
    let count = kinds.flatMap { arguments.values($0.option) }.count { $0 == "-" }
    guard count > 1 else { return }
    throw CommandFailure(
      .usage, code: "conflicting-options", message: "standard input is named for \(count) keys",
      hint: "give the other keys as files")
  }
}
