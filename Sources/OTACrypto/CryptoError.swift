internal import COpenSSL

/// Why something cryptographic could not be done; a signature that is merely wrong is never one.
public enum CryptoError: Error, Equatable, Sendable {
  /// The library refused; the text is all that its error queue said.
  case unavailable(String)
  /// A signature cannot be judged on this machine: neither right nor wrong is known.
  case cannotVerify(String)
  /// Not a key, or not one of a kind that is known here.
  case malformedKey(String)
  /// A public key for which anybody can make signatures, or that stands for no key at all.
  case weakKey(String)
  /// The passphrase does not open the private key, or none was given.
  case wrongPassphrase

  /// A sentence for people.
  public var message: String {
    switch self {
    case .unavailable(let reason): "cannot compute SHA-256: \(reason)"
    case .cannotVerify(let reason): "cannot verify a signature here: \(reason)"
    case .malformedKey(let reason): "the key cannot be read: \(reason)"
    case .weakKey(let reason): "the public key is refused: \(reason)"
    case .wrongPassphrase: "the private key does not open: the passphrase is missing or wrong"
    }
  }

  /// Empties the error queue of this thread into an error: call it directly after the call that failed.
  static func drainingQueue(after operation: String) -> CryptoError {
    .unavailable(drainedReasons(after: operation))
  }

  /// Empties the error queue of this thread into a text: call it directly after the call that failed.
  static func drainedReasons(after operation: String) -> String {
    var reasons: [String] = []
    while case let code = ERR_get_error(), code != 0 {
      reasons.append(text(of: code))
    }
    return reasons.isEmpty ? "\(operation) failed without a reason" : reasons.joined(separator: "; ")
  }

  private static func text(of code: UInt) -> String {
    // OpenSSL documents 256 bytes as enough; a longer text is cut and still ends with a zero.
    var buffer = [CChar](repeating: 0, count: 256)
    unsafe ERR_error_string_n(code, &buffer, buffer.count)
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
