internal import OTACrypto
internal import OTAManifest
internal import OTAProcess
internal import OTAStorage
internal import OTATrust

extension Verb {
  static let keyGenerate = Verb(
    VerbSpec(
      ["key", "generate"], summary: "make a new Ed25519 key: FILE for signing, FILE.pub for everybody",
      options: [
        .option("out", "FILE", "the new file of the private key, with mode 0600").completing(.file)
          .required(),
        .flag("encrypt", "encrypt it with a passphrase, which is asked for unless it is given"),
        Passphrase.option,
      ],
      manual: VerbManual(
        details: [
          "Never overwrites a file. The private key is PKCS#8 PEM; with --encrypt it is encrypted with AES-256, and the"
            + " passphrase is stretched with 600000 rounds of PBKDF2.",
          "Without the root key a feed cannot change its keys any more: keep two copies in two places, off the network.",
        ],
        examples: [
          "parser-ota key generate --out root.pem --encrypt", "parser-ota key generate --out release.pem",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let path = context.absolutePath(try arguments.required("out"))
      if arguments.flag("passphrase-file") && !arguments.flag("encrypt") {
        throw arguments.usage(.missingOption(.flag("encrypt", "")))
      }
      let pair = try NewKeyPair(path)
      var phrase: [UInt8]?
      if arguments.flag("encrypt") {
        phrase = try Passphrase(arguments: arguments, context: context).choose(for: path)
      }
      defer { if var secret = phrase.take() { erase(&secret) } }
      keepMemoryPrivate()
      let key = try KeyPage.crypto { () throws(CryptoError) in try PrivateKey.generate() }
      try pair.write(key, passphrase: phrase)
      return try result(key.publicKey, path, isEncrypted: phrase != nil)
    })

  private static func result(
    _ key: PublicKey, _ path: String, isEncrypted: Bool
  ) throws(CommandFailure) -> CommandResult {
    let page = try KeyPage(key)
    var result = CommandResult.outcome(
      "generated", "the new key is in \(path), its public half in \(path).pub", lines: page.lines,
      payload: page.members + [
        JSONMember("privateKeyFile", .string(path)), JSONMember("publicKeyFile", .string("\(path).pub")),
        JSONMember("encrypted", .bool(isEncrypted)),
      ])
    result.warnings = [
      "Back up this key\(isEncrypted ? " and its passphrase" : ""): \(path) cannot be recovered"
    ]
    return result
  }
}

/// The two files of a key that does not exist yet.
private struct NewKeyPair {
  private let folder: Directory
  private let name: String
  private let path: String

  /// Refuses when either file exists.
  init(_ path: String) throws(CommandFailure) {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    name = String(path[path.index(after: slash)...])
    self.path = path
    do {
      folder = try Directory.open(slash == path.startIndex ? "/" : String(path[..<slash]))
      for taken in [name, "\(name).pub"] {
        guard try folder.kind(of: taken) == nil else { throw Self.taken("\(folder.path)/\(taken)") }
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch let error as StorageError {
      throw OutputFile.failure(error, option: "--out")
    } catch {
      throw CommandFailure(
        .localDisk, code: "storage-failed", message: "\(path) cannot be looked at",
        hint: "choose another name with --out")
    }
  }

  /// Writes both durably; when the second fails, the first is removed again.
  func write(_ key: PrivateKey, passphrase: [UInt8]?) throws(CommandFailure) {
    var secret = Array(
      try KeyPage.crypto { () throws(CryptoError) in try key.pem(passphrase: passphrase) }.utf8)
    defer { erase(&secret) }
    let open = Array(try KeyPage.crypto { () throws(CryptoError) in try key.publicKey.pem() }.utf8)
    try create(name, secret, mode: 0o600)
    do {
      try create("\(name).pub", open, mode: 0o644)
      try folder.sync()
    } catch {
      // This key was never used; what counts is why its pair is not complete.
      _ = try? folder.remove(name)
      throw (error as? CommandFailure)
        ?? CommandFailure(.localDisk, code: "storage-failed", message: "\(path) cannot be made durable")
    }
  }

  private func create(_ name: String, _ bytes: [UInt8], mode: UInt32) throws(CommandFailure) {
    do {
      var file = try folder.createFile(name, mode: mode, isSecret: mode == 0o600)
      try file.write(bytes)
      try file.finish()
    } catch  where error.kind == .exists {
      throw Self.taken("\(folder.path)/\(name)")
    } catch {
      throw OutputFile.failure(error, option: "--out")
    }
  }

  private static func taken(_ path: String) -> CommandFailure {
    OutputFile.taken(path, "and keys are never overwritten")
  }
}
