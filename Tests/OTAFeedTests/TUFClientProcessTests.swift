import OTAStorage
import TestSupport
import Testing
import TrustFixtures

/// The client as a program of its own.
@Suite("TUF client process")
struct TUFClientProcessTests {
  /// Refreshes from a port where nobody listens, with another configuration of OpenSSL; what the program said.
  private func refresh(openSSLConfiguration: String) throws -> String {
    try withTemporaryDirectory { folder in
      let client = try BuiltProducts.path(of: "tuf-client")
      try durablyReplaceFile(at: folder.path("root.json"), with: TestFeed().rootBytes())
      try durablyReplaceFile(at: folder.path("openssl.cnf"), with: Array(openSSLConfiguration.utf8))
      let metadata = ["--metadata-dir", folder.path("metadata")]
      #expect(try run(client, metadata + ["init", folder.path("root.json")]).status == .exited(0))
      let result = try run(
        client, metadata + ["--metadata-url", "http://127.0.0.1:1/", "refresh"],
        environment: ["OPENSSL_CONF": folder.path("openssl.cnf"), "PATH": "/usr/bin:/bin"])
      #expect(result.status == .exited(1))
      return result.errors
    }
  }

  @Test("B85: without a provider of algorithms it says \"cannot verify here\", and asks for nothing")
  func noProvider() throws {
    let nothing = """
      openssl_conf = init
      [init]
      providers = providers
      [providers]
      null = none
      [none]
      activate = 1

      """
    #expect(
      try refresh(openSSLConfiguration: nothing).contains(
        "trust-cannot-verify: cannot verify a signature here"))
    // With providers the same run goes as far as the network.
    #expect(try refresh(openSSLConfiguration: "").contains("refused"))
  }
}
