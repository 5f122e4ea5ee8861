import OTAManifest
import TestSupport
import Testing

@testable import OTACrypto

/// Signatures of published vectors and of another program, right and wrong.
@Suite("Public keys")
struct PublicKeyTests {
  /// RFC 8032 section 7.1: TEST 1, 2, 3 and SHA(abc).
  static let ed25519: [(seed: String, key: String, message: String, signature: String)] = [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    ),
    (
      "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
      "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
      "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
    ),
  ]

  @Test("signs and verifies the published Ed25519 vectors", arguments: ed25519)
  func publishedEd25519(seed: String, key: String, message: String, signature: String) throws {
    let secret = try PrivateKey(seed: #require(bytes(fromHex: seed)))
    let message = try #require(bytes(fromHex: message))
    let expected = try #require(bytes(fromHex: signature))
    #expect(try secret.sign(message) == expected)
    let publicKey = try PublicKey(ed25519Hex: key)
    #expect(publicKey == secret.publicKey)
    #expect(try publicKey.verify(expected, of: message, with: .ed25519))
    #expect(try !publicKey.verify(expected, of: message + [0], with: .ed25519))
  }

  /// RFC 6979 section A.2.5: P-256 with SHA-256, message "sample".
  @Test("verifies the published ECDSA vector")
  func publishedECDSA() throws {
    let point =
      "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
      + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
    let key = try PublicKey(
      subjectPublicKeyInfo: #require(
        bytes(fromHex: "3059301306072a8648ce3d020106082a8648ce3d03010703420004" + point)))
    let signature = try #require(
      bytes(
        fromHex: "3046022100" + "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716" + "022100"
          + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"))
    #expect(key.scheme == .ecdsaP256)
    #expect(try key.verify(signature, of: Array("sample".utf8), with: .ecdsaP256))
    #expect(try !key.verify(signature, of: Array("Sample".utf8), with: .ecdsaP256))
    for broken in [
      [], [0x30], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 72),
    ] {
      #expect(try !key.verify(broken, of: Array("sample".utf8), with: .ecdsaP256))
    }
  }

  @Test(
    "verifies RSA-PSS signatures of another program, whatever their salt", arguments: ["digest", "max", "0"])
  func rsa(salt: String) throws {
    try withTemporaryDirectory { folder in
      try openssl(
        "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder.path("k"))
      let key = try PublicKey(pem: openssl("pkey", "-in", folder.path("k"), "-pubout").output)
      let message = Array("message".utf8)
      let result = try run(
        "/usr/bin/openssl",
        [
          "dgst", "-sha256", "-sign", folder.path("k"), "-sigopt", "rsa_padding_mode:pss", "-sigopt",
          "rsa_pss_saltlen:\(salt)", "-out", folder.path("s"),
        ], stdin: message)
      #expect(result.status == .exited(0))
      let signature = try readBytes(folder.path("s"))
      #expect(key.scheme == .rsaPSS)
      #expect(try key.verify(signature, of: message, with: .rsaPSS))
      #expect(try !key.verify(signature, of: message + [0], with: .rsaPSS))
      #expect(try !key.verify(Array(signature.dropLast()), of: message, with: .rsaPSS))
    }
  }

  // MARK: Wrong signatures, and verifications that cannot be made

  @Test("B36: a wrong message, a wrong key, all zero, 0, 63 or 65 bytes are not signatures")
  func wrong() throws {
    let key = try PrivateKey.generate()
    let message: [UInt8] = [1, 2, 3]
    let good = try key.sign(message)
    let verify = { try key.publicKey.verify($0, of: message, with: .ed25519) }
    #expect(try verify(good))
    for bad in [[], Array(good.dropLast()), good + [0], [UInt8](repeating: 0, count: 64)] {
      #expect(try !verify(bad))
    }
    #expect(try !verify(PrivateKey.generate().sign(message)))
    #expect(try !verify(key.sign([1, 2])))
  }

  @Test(
    "B36: of all answers of the library, 1 alone is a right signature",
    arguments: [-2, -1, 0, 2, 256] as [Int32])
  func answers(answer: Int32) {
    #expect(!PublicKey.accepts(answer))
    #expect(PublicKey.accepts(1))
  }

  @Test("B36, B85: a scheme that the key is not for cannot be judged, which is neither right nor wrong")
  func otherScheme() throws {
    let key = try PrivateKey.generate()
    let signature = try key.sign([1])
    for scheme in [SignatureScheme.ecdsaP256, .rsaPSS] {
      let error = #expect(throws: CryptoError.self) {
        try key.publicKey.verify(signature, of: [1], with: scheme)
      }
      if case .cannotVerify = error {} else { Issue.record("\(String(describing: error))") }
    }
  }

  @Test("B85: the self-check passes here") func selfCheck() throws { try PublicKey.checkThatVerifyingWorks() }

  // MARK: Loading

  @Test("B85: raw bytes, hexadecimal, PEM and DER give the same key")
  func spellings() throws {
    let key = try PrivateKey.generate().publicKey
    let raw = try #require(key.ed25519Bytes)
    let hex = raw.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(try PublicKey(ed25519: raw) == key)
    #expect(try PublicKey(ed25519Hex: hex.uppercased()) == key)
    #expect(try PublicKey(pem: key.pem()) == key)
    #expect(try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo) == key)
  }

  @Test("B85: 31 bytes, no hexadecimal, half a PEM and DER with more behind it are no keys")
  func malformed() throws {
    let key = try PrivateKey.generate().publicKey
    let attempts: [() throws -> PublicKey] = [
      { try PublicKey(ed25519: [UInt8](repeating: 1, count: 31)) },
      { try PublicKey(ed25519: []) },
      { try PublicKey(ed25519Hex: String(repeating: "zz", count: 32)) },
      { try PublicKey(pem: "") },
      { try PublicKey(pem: String(key.pem().dropLast(30))) },
      { try PublicKey(pem: String(repeating: "A", count: 100_000)) },
      { try PublicKey(subjectPublicKeyInfo: []) },
      { try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo + [0]) },
      { try PublicKey(pem: PrivateKey.generate().pem()) },
    ]
    for attempt in attempts {
      let error = #expect(throws: CryptoError.self) { try attempt() }
      if case .malformedKey = error {} else { Issue.record("\(String(describing: error))") }
    }
  }

  @Test(
    "B55, B35: placeholders and small-order keys are refused",
    arguments: [
      String(repeating: "00", count: 32), String(repeating: "ff", count: 32),
      String(repeating: "41", count: 32),
      "01" + String(repeating: "00", count: 31), "01" + String(repeating: "00", count: 30) + "80",
      String(repeating: "00", count: 31) + "80",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
      "ec" + String(repeating: "ff", count: 30) + "7f", "ec" + String(repeating: "ff", count: 31),
      "ed" + String(repeating: "ff", count: 30) + "7f", "ee" + String(repeating: "ff", count: 30) + "7f",
      "ee" + String(repeating: "ff", count: 31), "ff" + String(repeating: "ff", count: 30) + "7f",
    ])
  func weak(hex: String) throws {
    let attempts: [() throws -> PublicKey] = [
      { try PublicKey(ed25519Hex: hex) },
      // The same key by another door.
      { try PublicKey(subjectPublicKeyInfo: #require(bytes(fromHex: "302a300506032b6570032100" + hex))) },
    ]
    for attempt in attempts {
      let error = #expect(throws: CryptoError.self) { try attempt() }
      if case .weakKey = error {} else { Issue.record("\(String(describing: error))") }
    }
  }

  @Test("the signature that verifies any message under the identity key is of no use")
  func forgery() throws {
    // R = identity, S = 0. The library accepts it for the identity key, which is why such keys are refused.
    let forged = [1] + [UInt8](repeating: 0, count: 63)
    let key = try PrivateKey.generate().publicKey
    #expect(try !key.verify(forged, of: [1, 2, 3], with: .ed25519))
  }

  @Test("RSA of 1024 bits is weak; P-384, a compressed point and Ed448 are no keys here")
  func otherKinds() throws {
    try withTemporaryDirectory { folder in
      let file = folder.path("k")
      try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024", "-out", file)
      try expect(openssl("pkey", "-in", file, "-pubout").output, isWeak: true)
      for curve in ["P-384", "secp256k1"] {
        try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", file)
        try expect(openssl("pkey", "-in", file, "-pubout").output, isWeak: false)
      }
      try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file)
      #expect(try PublicKey(pem: openssl("pkey", "-in", file, "-pubout").output).scheme == .ecdsaP256)
      try expect(openssl("ec", "-in", file, "-pubout", "-conv_form", "compressed").output, isWeak: false)
      try openssl("genpkey", "-algorithm", "ED448", "-out", file)
      try expect(openssl("pkey", "-in", file, "-pubout").output, isWeak: false)
    }
  }

  private func expect(_ pem: String, isWeak: Bool) {
    #expect(pem.hasPrefix("-----BEGIN PUBLIC KEY-----"))
    let error = #expect(throws: CryptoError.self) { try PublicKey(pem: pem) }
    switch error {
    case .weakKey: #expect(isWeak)
    case .malformedKey: #expect(!isWeak)
    default: Issue.record("\(String(describing: error))")
    }
  }
}
