import Foundation
import OTACrypto
import OTATrust
import TestSupport
import Testing

/// A key as it arrives in a job: through secrets, variables, clipboards and pipes, or another file altogether.
@Suite("N22, N24: a damaged key is told how, and a pipe is a file")
struct DamagedKeyTests {
  private let tool = Tool()

  private static let unencrypted = "-----BEGIN PRIVATE KEY-----"

  /// How a good key is spoiled, what must be said, and a command that mends it where one does.
  struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    let spoil: @Sendable (String) -> String
    let says: String
    var testDescription: String { name }
  }

  static let damages = [
    Damage(
      name: "line ends as two characters", spoil: { $0.replacing("\n", with: "\\n") }, says: "characters \\n"),
    Damage(
      name: "Base64 once more", spoil: { Data($0.utf8).base64EncodedString() }, says: "Base64 once more"),
    Damage(
      name: "Base64 once more, in lines",
      spoil: { Data($0.utf8).base64EncodedString(options: .lineLength76Characters) }, says: "Base64 once more"
    ),
    Damage(name: "one line", spoil: { $0.replacing("\n", with: " ") }, says: "line ends were lost"),
    Damage(name: "cut off", spoil: { String($0.prefix(80)) }, says: "its end is missing"),
    Damage(name: "garbage behind it", spoil: { $0 + "%\n" }, says: "1 bytes follow the end"),
    Damage(name: "two keys", spoil: { $0 + $0 }, says: "more than one key"),
    Damage(
      name: "the body alone", spoil: { $0.split(separator: "\n")[1] + "\n" },
      says: "BEGIN and END lines are missing"),
    Damage(name: "a dash lost", spoil: { String($0.dropFirst()) }, says: "BEGIN or END line is damaged"),
    Damage(
      name: "a flipped body", spoil: { $0.replacing("MC4CAQ", with: "MC4DAQ") },
      says: "between its BEGIN and END"),
    Damage(name: "blank", spoil: { _ in " \n\t\n" }, says: "it is empty"),
    Damage(
      name: "an OpenSSH key",
      spoil: { _ in
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n-----END OPENSSH PRIVATE KEY-----\n"
      },
      says: "it is an OpenSSH private key"),
    Damage(
      name: "an SSH public key", spoil: { _ in "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOvv me@here\n" },
      says: "public half of an SSH key"),
    Damage(
      name: "a PKCS#1 RSA key",
      spoil: { _ in "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\n" },
      says: "an RSA key"),
    Damage(
      name: "an EC key",
      spoil: { _ in "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\n" },
      says: "an EC key"),
    Damage(
      name: "a certificate", spoil: { _ in "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" },
      says: "it is a certificate"),
    Damage(
      name: "a PGP key",
      spoil: { _ in "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx\n-----END PGP PRIVATE KEY BLOCK-----\n" },
      says: "it is a PGP key"),
    Damage(name: "JSON", spoil: { _ in "{\"kty\":\"OKP\"}\n" }, says: "it is JSON"),
    Damage(name: "a page", spoil: { _ in "<!doctype html><html></html>" }, says: "HTML or XML page"),
    Damage(
      name: "a path", spoil: { _ in "/home/me/keys/release.pem\n" }, says: "a path in place of the text"),
    Damage(name: "digits", spoil: { _ in String(repeating: "a1", count: 32) }, says: "64 hexadecimal digits"),
    Damage(name: "words", spoil: { _ in "the key is in the safe\n" }, says: "no key as PEM"),
  ]

  @Test("told the same from a file, a variable, standard input and a pipe, with exit 3", arguments: damages)
  func told(damage: Damage) throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("good.pem"))
      let text = damage.spoil(try pair.pem)
      let path = directory.path("bad.pem")
      try KeyPair.write(text, to: path, mode: 0o600)
      var results = [
        try tool("key", "public", "--key", path, "--json"),
        try tool("key", "public", "--key", "-", "--json", stdin: Array(text.utf8)),
        try run(
          "/bin/bash",
          [
            "-c", "exec \"$0\" key public --json --key <(cat \"$1\")", BuiltProducts.path(of: "parser-ota"),
            path,
          ],
          environment: tool.environment),
      ]
      let feed = directory.path("feed")
      results.append(
        try tool.with("PARSER_OTA_RELEASE_KEY", text)(
          "init", "--feed", feed, "--root-key", pair.path, "--json"))
      for result in results {
        #expect(result.status == .exited(3), "\(result.output)\(result.errors)")
        #expect(result.code == "key-unusable" && result.errors.contains(damage.says), "\(result.errors)")
        let hint = result.json["hint"] as? String ?? ""
        #expect(!hint.isEmpty)
        let body = try pair.pem.split(separator: "\n")[1]
        #expect(!result.errors.contains(body) && !result.output.contains(body), "the secret is shown")
      }
      #expect(!FileManager.default.fileExists(atPath: "\(feed)/manifest.json"))
    }
  }

  @Test("the command that a hint gives mends the key", arguments: [0, 1, 2])
  func mending(index: Int) throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("good.pem"))
      let path = directory.path("bad.pem")
      try KeyPair.write(Self.damages[index].spoil(try pair.pem), to: path, mode: 0o600)
      let told = try tool("key", "public", "--key", path, "--json")
      let hint = try #require(told.json["hint"] as? String)
      let command = try #require(hint.split(separator: ": ", maxSplits: 1).last)
      let done = try run(
        "/bin/sh", ["-c", String(command)], environment: tool.environment, directory: directory.path)
      #expect(done.status == .exited(0), "\(command): \(done.errors)")
      let mended = try tool("key", "public", "--key", directory.path("mended.pem"))
      #expect(try mended.output == pair.key.publicKey.pem(), "\(command)")
    }
  }

  @Test(
    "harmless damage is no damage",
    arguments: [
      { $0.replacing("\n", with: "\r\n") }, { "\n\n  " + $0.replacing("\n", with: "  \n   ") + "\n\n" },
      { "\u{FEFF}" + $0 }, { String($0.dropLast()) }, { $0.replacing("\n", with: "\r") },
    ] as [@Sendable (String) -> String])
  func harmless(spoil: @Sendable (String) -> String) throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("good.pem"))
      let path = directory.path("odd.pem")
      try KeyPair.write(spoil(try pair.pem), to: path, mode: 0o600)
      let shown = try tool("key", "public", "--key", path)
      #expect(try shown.output == pair.key.publicKey.pem(), "\(shown.errors)")
      try KeyPair.write(spoil(try pair.key.publicKey.pem()), to: path + ".pub", mode: 0o644)
      let root = try KeyPair(directory.path("root.pem"))
      let feed = try SignedFeed(directory, roots: [root], release: pair)
      let other = try KeyPair(directory.path("other.pem"))
      try KeyPair.write(spoil(try other.key.publicKey.pem()), to: other.publicPath, mode: 0o644)
      try expectDone(
        feed.call([
          "key", "add", "--feed", feed.path, "--role", "release", "--public", other.publicPath, "--root-key",
          root.path, "--release-key", pair.path,
        ]))
    }
  }

  @Test("keys of other kinds that OpenSSL makes are named", arguments: ["rsa:2048", "X25519", "ED448", "ec"])
  func otherKinds(kind: String) throws {
    try withTemporaryDirectory { directory in
      let path = directory.path("other.pem")
      let words =
        switch kind {
        case "rsa:2048": ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path]
        case "ec": ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path]
        default: ["genpkey", "-algorithm", kind, "-out", path]
        }
      #expect(try run("/usr/bin/openssl", words).status == .exited(0))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      let result = try tool("key", "public", "--key", path, "--json")
      #expect(result.status == .exited(3))
      let name = ["rsa:2048": "RSA", "ec": "EC"][kind] ?? kind
      #expect(
        result.errors.contains("only Ed25519 keys sign here, and this one is \(name)"), "\(result.errors)")
    }
  }

  @Test("binary keys are named, with the command that makes PEM of them")
  func binary() throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("good.pem"))
      let (der, p12) = (directory.path("key.der"), directory.path("key.p12"))
      _ = try run("/usr/bin/openssl", ["pkey", "-in", pair.path, "-outform", "DER", "-out", der])
      _ = try run(
        "/usr/bin/openssl",
        ["pkcs12", "-export", "-nocerts", "-inkey", pair.path, "-out", p12, "-passout", "pass:x"])
      for (path, says) in [(der, "it is DER, not PEM"), (p12, "PKCS#12")] {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let result = try tool("key", "public", "--key", path, "--json")
        #expect(result.status == .exited(3) && result.errors.contains(says), "\(result.errors)")
      }
    }
  }

  @Test("the public half, and a private key where the public one belongs")
  func halves() throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("a.pem"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pair.publicPath)
      let half = try tool("key", "public", "--key", pair.publicPath, "--json")
      #expect(half.status == .exited(3) && half.errors.contains("the public half of a key"))
      #expect(half.errors.contains("without .pub: \(pair.path)"), "\(half.errors)")
    }
  }

  @Test("N24: a key comes from a pipe, /dev/stdin and /dev/fd, and no more of it than a key has")
  func pipes() throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("a.pem"))
      let program = try BuiltProducts.path(of: "parser-ota")
      for script in [
        "\"$0\" key public --key <(cat \"$1\")", "cat \"$1\" | \"$0\" key public --key /dev/stdin",
        "cat \"$1\" | \"$0\" key public --key -", "\"$0\" key public --key /dev/fd/7 7< \"$1\"",
        "cat \"$1\" | \"$0\" key public --key /dev/fd/0",
      ] {
        let result = try run(
          "/bin/bash", ["-c", script, program, pair.path], environment: tool.environment)
        #expect(try result.output == pair.key.publicKey.pem(), "\(script): \(result.errors)")
      }
      let endless = try run(
        "/bin/bash", ["-c", "\"$0\" key public --json --key <(yes)", program], environment: tool.environment,
        timeout: .seconds(20))
      #expect(endless.status == .exited(3) && endless.code == "too-large", "\(endless.output)")
      let missing = try tool("key", "public", "--key", directory.path("none.pem"), "--json")
      #expect(missing.status == .exited(2) && missing.code == "input-missing")
    }
  }

  @Test("a variable that is empty is a secret that did not arrive, not a key that was not given")
  func emptyVariable() throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("rel.pem")))
      let feed = try SignedFeed(directory, roots: [root], release: release)
      var job = feed
      job.tool.environment["PARSER_OTA_RELEASE_KEY"] = ""
      let result = try job.call(["refresh", "--feed", feed.path, "--json"])
      #expect(
        result.status == .exited(2) && result.errors.contains("PARSER_OTA_RELEASE_KEY is set and empty"))
    }
  }
}
