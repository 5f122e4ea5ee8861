import Testing

@testable import OTATransfer

@Suite("Which certificate authorities are trusted")
struct TrustStoreTests {
  private func store(
    _ change: (inout TransferPolicy) -> Void = { _ in }, environment: [String: String] = [:],
    directories: Set<String> = [], files: Set<String> = []
  ) -> TrustStore {
    var policy = TransferPolicy()
    change(&policy)
    return TrustStore(
      policy: policy, environment: { environment[$0] }, isHashedDirectory: directories.contains,
      isReadableFile: files.contains)
  }

  @Test("the policy comes before the environment, and that before the system")
  func order() {
    let environment = ["SSL_CERT_FILE": "/env/file", "SSL_CERT_DIR": "/env/dir"]
    let policy = store(
      { $0.certificateFile = "/policy/file" }, environment: environment, directories: ["/etc/ssl/certs"])
    #expect(policy.file == "/policy/file" && policy.directory == nil)
    let environmental = store(environment: environment, directories: ["/etc/ssl/certs"])
    #expect(environmental.file == "/env/file" && environmental.directory == "/env/dir")
  }

  @Test("the hashed directory is taken without the file, because parsing the file costs more than an update")
  func hashedDirectory() {
    let both = store(directories: ["/etc/ssl/certs"], files: ["/etc/ssl/certs/ca-certificates.crt"])
    #expect(both.directory == "/etc/ssl/certs" && both.file == nil)
    let fileOnly = store(files: ["/etc/pki/tls/certs/ca-bundle.crt"])
    #expect(fileOnly.file == "/etc/pki/tls/certs/ca-bundle.crt" && fileOnly.directory == nil)
  }

  @Test("B74: without any authority the places that were tried are known")
  func nothing() {
    let none = store()
    #expect(none.isEmpty)
    #expect(
      none.tried.contains("/etc/ssl/certs") && none.tried.contains("/etc/ssl/certs/ca-certificates.crt"))
  }
}
