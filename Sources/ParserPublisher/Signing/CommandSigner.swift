internal import OTAFeed
public import OTACrypto
public import OTAManifest
internal import OTAProcess

/// Signs with a command of the maintainer's choice, for a key that lies in a service or in hardware.
///
/// The command gets the bytes on standard input. It writes an Ed25519 signature to standard output: the 64 bytes, or
/// hexadecimal or Base64 text with at most one newline.
public struct CommandSigner: MetadataSigner {
  /// How long a command may take unless told otherwise.
  public static let standardTimeLimit = Duration.seconds(60)

  /// The key that verifies what the command signs.
  public let publicKey: PublicKey
  private let command: ShellCommand

  /// Describes a signer; the command runs once for each signature.
  ///
  /// - Parameters:
  ///   - command: a command line for `/bin/sh`.
  ///   - environment: the whole environment of the command; leave secrets out that it does not need.
  public init(
    _ command: String, publicKey: PublicKey, environment: [String: String],
    timeLimit: Duration = CommandSigner.standardTimeLimit
  ) {
    self.publicKey = publicKey
    self.command = ShellCommand(command, environment: environment, timeLimit: timeLimit)
  }

  /// The signature of the command, verified with the public key.
  public func sign(_ bytes: [UInt8]) async throws(Problem) -> [UInt8] {
    guard publicKey.scheme == .ed25519 else {
      throw failure("is for a key that is not Ed25519", advice: "use an Ed25519 key")
    }
    let answer = try await answer(to: bytes)
    guard answer.status == 0 else {
      let lines = answer.complaint.split(separator: UInt8(ascii: "\n"))
      let complaint = lines.map { String(decoding: $0, as: UTF8.self).printable(maxCharacters: 500) }
        .joined(separator: "; ")
      throw failure(
        "ended with status \(answer.status)"
          + (complaint.isEmpty ? " and said nothing on standard error" : ": \(complaint)"))
    }
    guard let signature = SignatureText.signature(from: answer.output) else {
      throw failure(
        "wrote \(answer.output.count) bytes that are not a signature",
        advice: "it must write 64 bytes, or the same as hexadecimal or Base64 text, and nothing else")
    }
    guard try isRight(signature, for: bytes) else {
      throw failure(
        "made a signature that the public key does not verify",
        advice: "check that the public key belongs to the key that the command signs with")
    }
    return signature
  }

  private func answer(to bytes: [UInt8]) async throws(Problem) -> CommandAnswer {
    do {
      return try await command.run(input: bytes)
    } catch {
      switch error {
      case .notStarted(let reason): throw failure("could not be started: \(reason)")
      case .timedOut: throw failure("had not answered after \(command.timeLimit), and was ended")
      case .tooMuchOutput: throw failure("wrote more than \(command.maxOutputBytes) bytes")
      case .cancelled: throw Problem(.cancelled, "the signing command was ended")
      }
    }
  }

  private func isRight(_ signature: [UInt8], for bytes: [UInt8]) throws(Problem) -> Bool {
    do {
      return try publicKey.verify(signature, of: bytes, with: .ed25519)
    } catch {
      throw Problem(.trustCannotVerify, "a new signature cannot be verified here: \(error.message)")
    }
  }

  /// The command itself is not repeated: it may hold what should not stand in a log.
  private func failure(_ what: String, advice: String? = nil) -> Problem {
    Problem(
      .signingFailed, "the signing command \(what)", advice: advice ?? "run the command by hand to see why")
  }
}
