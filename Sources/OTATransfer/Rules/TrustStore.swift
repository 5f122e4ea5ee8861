import Glibc

/// The certificate authorities to trust, chosen once for a fetcher.
///
/// A hashed directory comes before the file with the same certificates: parsing that file costs more than a whole
/// update, a directory is read one certificate at a time.
struct TrustStore: Sendable, Equatable {
  var file: String?
  var directory: String?
  /// The places that were looked at; for messages.
  var tried: [String] = []

  var isEmpty: Bool { file == nil && directory == nil }

  private static let directories = ["/etc/ssl/certs", "/etc/pki/tls/certs"]
  private static let files = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem",
  ]

  /// The policy decides before the environment (`SSL_CERT_FILE`, `SSL_CERT_DIR`), and that before the system.
  init(
    policy: TransferPolicy, environment: (String) -> String? = Self.environment,
    isHashedDirectory: (String) -> Bool = Self.isHashedDirectory,
    isReadableFile: (String) -> Bool = { unsafe access($0, R_OK) == 0 }
  ) {
    (file, directory) = (policy.certificateFile, policy.certificateDirectory)
    if isEmpty { (file, directory) = (environment("SSL_CERT_FILE"), environment("SSL_CERT_DIR")) }
    if isEmpty { directory = Self.directories.first(where: isHashedDirectory) }
    if isEmpty { file = Self.files.first(where: isReadableFile) }
    tried = isEmpty ? Self.directories + Self.files : [file, directory].compactMap(\.self)
  }

  private static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Whether a directory has an entry such as `5ed36f99.0`, as OpenSSL looks them up.
  private static func isHashedDirectory(_ path: String) -> Bool {
    guard let directory = unsafe opendir(path) else { return false }
    defer { unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe Array(bytes.prefix { $0 != 0 })
      }
      if isHashName(name) { return true }
    }
    return false
  }

  private static func isHashName(_ name: [UInt8]) -> Bool {
    let digits = Array("0123456789abcdef".utf8)
    return name.count >= 10 && name[8] == UInt8(ascii: ".") && name[..<8].allSatisfy(digits.contains)
      && name[9...].allSatisfy(digits[..<10].contains)
  }
}
