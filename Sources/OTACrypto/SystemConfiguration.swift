internal import COpenSSL

/// What OpenSSL reads from the system by itself.
package enum SystemConfiguration {
  /// Keeps OpenSSL from reading `openssl.cnf` in this process; for programs, before their first digest or key.
  ///
  /// A launch hashes two files, and the configuration costs more than that. No setting of it is needed here. A library must
  /// not decide this, because the app around it may rely on the file.
  package static func ignore() {
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
  }
}
