internal import OTACrypto
internal import OTAManifest
internal import OTAStorage

extension Verb {
  static let keyPublic = Verb(
    VerbSpec(
      ["key", "public"], summary: "show the public half of a private key, as PEM",
      options: [
        .option("key", "FILE", "the private key, or - for standard input").completing(.file).required(),
        .option("out", "FILE", "write it to this file instead").completing(.file),
        Passphrase.option,
      ],
      manual: VerbManual(
        examples: [
          "parser-ota key public --key release.pem",
          "parser-ota key public --key release.pem --out release.pem.pub",
        ],
        exits: [.done, .notAchieved, .untrustedContent, .localDisk, .notPermitted])),
    run: { arguments, context throws(CommandFailure) in
      let path = try arguments.required("key")
      let key = try KeyFile(arguments, context).privateKey(path, option: "--key").publicKey
      let page = try KeyPage(key)
      let pem = try KeyPage.crypto { () throws(CryptoError) in try key.pem() }
      guard let out = arguments.value("out") else {
        var result = CommandResult.answer("public-key", "key \(page.id)", lines: [], payload: page.members)
        result.output = .bytes(Array(pem.utf8))
        return result
      }
      try write(Array(pem.utf8), to: context.absolutePath(out))
      return .outcome(
        "public-key", "the public half of key \(page.id) is in \(out)",
        payload: page.members + [JSONMember("publicKeyFile", .string(context.absolutePath(out)))])
    })

  /// A file with other content may be the private key itself, so it is left alone.
  private static func write(_ pem: [UInt8], to path: String) throws(CommandFailure) {
    do {
      if try readFile(at: path, maxBytes: KeyFile.maxBytes) == pem { return }
    } catch  where error.kind == .missing {
      do {
        return try durablyReplaceFile(at: path, with: pem, mode: 0o644)
      } catch {
        throw OutputFile.failure(error, option: "--out")
      }
    } catch {
      throw OutputFile.failure(error, option: "--out")
    }
    throw OutputFile.taken(path, "with other content")
  }
}
