import OTACrypto
import TestSupport
import Testing

/// Keys that sign, in files that other programs read and write.
@Suite("Private keys")
struct PrivateKeyTests {
  private static let passphrase = Array("correct hörse".utf8)

  @Test("a new key is another one each time")
  func generated() throws {
    #expect(try PrivateKey.generate().publicKey != PrivateKey.generate().publicKey)
  }

  @Test("plain PEM goes out and comes back, and another program reads it")
  func plain() throws {
    let key = try PrivateKey.generate()
    let pem = try key.pem()
    #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    #expect(try PrivateKey(pem: pem).publicKey == key.publicKey)
    let printed = try run("/usr/bin/openssl", ["pkey", "-pubout"], stdin: Array(pem.utf8))
    #expect(try printed.output == key.publicKey.pem())
  }

  @Test("encrypted PEM opens with its passphrase alone, in another program too")
  func encrypted() throws {
    let key = try PrivateKey.generate()
    let pem = try key.pem(passphrase: Self.passphrase)
    #expect(pem.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
    #expect(try PrivateKey(pem: pem, passphrase: Self.passphrase).publicKey == key.publicKey)
    for wrong in [nil, [], Array("wrong".utf8)] as [[UInt8]?] {
      #expect(throws: CryptoError.wrongPassphrase) { try PrivateKey(pem: pem, passphrase: wrong) }
    }
    try withTemporaryDirectory { folder in
      try writeBytes(Self.passphrase, folder.path("pass"))
      let printed = try run(
        "/usr/bin/openssl", ["pkey", "-pubout", "-passin", "file:\(folder.path("pass"))"],
        stdin: Array(pem.utf8))
      #expect(try printed.output == key.publicKey.pem())
    }
    let parsed = try run("/usr/bin/openssl", ["asn1parse"], stdin: Array(pem.utf8)).output
    // 600 000 rounds of HMAC-SHA-256, then AES-256.
    #expect(parsed.contains(":0927C0") && parsed.contains("hmacWithSHA256") && parsed.contains("aes-256-cbc"))
  }

  @Test("a key of another program signs the same")
  func foreign() throws {
    try withTemporaryDirectory { folder in
      let file = folder.path("k")
      try openssl("genpkey", "-algorithm", "ED25519", "-out", file)
      let key = try PrivateKey(pem: String(decoding: readBytes(file), as: UTF8.self))
      try writeBytes([1, 2, 3], folder.path("m"))
      try openssl(
        "pkeyutl", "-sign", "-inkey", file, "-rawin", "-in", folder.path("m"), "-out", folder.path("s"))
      #expect(try key.sign([1, 2, 3]) == readBytes(folder.path("s")))
    }
  }

  @Test("no key, a public key, another kind and an empty passphrase are refused")
  func refused() throws {
    let publicPEM = try PrivateKey.generate().publicKey.pem()
    for pem in ["", "nonsense", publicPEM] {
      let error = #expect(throws: CryptoError.self) { try PrivateKey(pem: pem) }
      if case .malformedKey = error {} else { Issue.record("\(String(describing: error))") }
    }
    try withTemporaryDirectory { folder in
      try openssl(
        "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", folder.path("k"))
      let pem = try String(decoding: readBytes(folder.path("k")), as: UTF8.self)
      let error = #expect(throws: CryptoError.self) { try PrivateKey(pem: pem) }
      #expect(error?.message.contains("only Ed25519 keys sign here, and this one is ") == true)
    }
    #expect(throws: CryptoError.self) { try PrivateKey.generate().pem(passphrase: []) }
    #expect(throws: CryptoError.self) { try PrivateKey(seed: [1, 2, 3]) }
  }
}
