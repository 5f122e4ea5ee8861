internal import COpenSSL

/// A failure of the cryptographic library itself; wrong data is never one.
public enum CryptoError: Error, Equatable, Sendable {
  /// The library refused; the text is all that its error queue said.
  case unavailable(String)

  /// A sentence for people.
  public var message: String {
    switch self {
    case .unavailable(let reason): "cannot compute SHA-256: \(reason)"
    }
  }

  /// Empties the error queue of this thread into an error: call it directly after the call that failed.
  static func drainingQueue(after operation: String) -> CryptoError {
    var reasons: [String] = []
    while case let code = ERR_get_error(), code != 0 {
      reasons.append(text(of: code))
    }
    return .unavailable(
      reasons.isEmpty ? "\(operation) failed without a reason" : reasons.joined(separator: "; "))
  }

  private static func text(of code: UInt) -> String {
    // OpenSSL documents 256 bytes as enough; a longer text is cut and still ends with a zero.
    var buffer = [CChar](repeating: 0, count: 256)
    unsafe ERR_error_string_n(code, &buffer, buffer.count)
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
