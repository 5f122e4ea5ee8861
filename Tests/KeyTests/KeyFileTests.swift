import Foundation
import OTACrypto
import OTATrust
import TestSupport
import Testing

@Suite("keys are made once, and read with care")
struct KeyFileTests {
  private let tool = Tool()

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("B55: generate makes a pair with private mode, says its id and reminds of a copy")
  func generate() throws {
    try withTemporaryDirectory { directory in
      let path = directory.path("release.pem")
      let result = try tool("key", "generate", "--out", path)
      #expect(result.status == .exited(0), "\(result.errors)")
      #expect(try mode(path) == 0o600)
      #expect(try mode(path + ".pub") == 0o644)
      let key = try PrivateKey(pem: text(path))
      #expect(try PublicKey(pem: text(path + ".pub")) == key.publicKey)
      #expect(try result.output.contains(key.publicKey.metadataID()))
      #expect(result.errors.contains("Back up this key: \(path) cannot be recovered"))
      #expect(try directory.names() == ["release.pem", "release.pem.pub"])
    }
  }

  @Test("B55: generate overwrites neither file", arguments: ["release.pem", "release.pem.pub"])
  func neverOverwrites(taken: String) throws {
    try withTemporaryDirectory { directory in
      try KeyPair.write("precious", to: directory.path(taken), mode: 0o600)
      let result = try tool("key", "generate", "--out", directory.path("release.pem"), "--json")
      #expect(result.status == .exited(1))
      #expect(result.code == "file-exists")
      #expect(try directory.names() == [taken])
      #expect(try text(directory.path(taken)) == "precious")
    }
  }

  @Test("the public half is PEM alone, and is never written over a private key")
  func publicHalf() throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("a.pem"))
      let shown = try tool("key", "public", "--key", pair.path)
      #expect(try shown.output == pair.key.publicKey.pem())
      let piped = try tool("key", "public", "--key", "-", stdin: Array(pair.pem.utf8))
      #expect(piped.stdout == shown.stdout)
      #expect(try tool("key", "public", "--key", pair.path, "--out", pair.path).status == .exited(1))
      #expect(try text(pair.path) == pair.pem)
      #expect(
        try tool("key", "public", "--key", pair.path, "--out", directory.path("b")).status == .exited(0))
      #expect(
        try tool("key", "public", "--key", pair.path, "--out", directory.path("b")).status == .exited(0))
      #expect(try text(directory.path("b")) == pair.key.publicKey.pem())
    }
  }

  @Test(
    "an encrypted key opens with its passphrase from a file or the environment, and never asks without a terminal"
  )
  func passphrase() throws {
    try withTemporaryDirectory { directory in
      let path = directory.path("root.pem")
      try KeyPair.write("correct horse\n", to: directory.path("phrase"), mode: 0o600)
      let made = try tool(
        "key", "generate", "--out", path, "--encrypt", "--passphrase-file", directory.path("phrase"))
      #expect(made.status == .exited(0), "\(made.errors)")
      #expect(try text(path).hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
      let parameters = try run("/usr/bin/openssl", ["asn1parse", "-in", path]).output
      // 600 000 in hexadecimal.
      #expect(parameters.contains("0927C0"))
      let pem = try text(path + ".pub")
      #expect(
        try tool("key", "public", "--key", path, "--passphrase-file", directory.path("phrase")).output == pem)
      #expect(
        try tool.with("PARSER_OTA_KEY_PASSPHRASE", "correct horse")("key", "public", "--key", path).output
          == pem)

      let silent = try tool("key", "public", "--key", path, "--json")
      #expect(silent.status == .exited(2))
      #expect(silent.errors.contains("--passphrase-file"))
      let wrong = try tool.with("PARSER_OTA_KEY_PASSPHRASE", "battery staple")(
        "key", "public", "--key", path, "--json")
      #expect(wrong.status == .exited(3))
      #expect(wrong.code == "key-unusable")
      #expect(!wrong.errors.contains("battery"))
    }
  }

  @Test("a person at a terminal types a passphrase unseen, but never where CI is set")
  func terminal() throws {
    try withTemporaryDirectory { directory in
      try KeyPair.write("tr0ubador", to: directory.path("phrase"), mode: 0o600)
      let path = directory.path("root.pem")
      try tool("key", "generate", "--out", path, "--encrypt", "--passphrase-file", directory.path("phrase"))
      let session = """
        import os, pty, sys, time
        pid, master = pty.fork()
        if pid == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        seen = b""
        typed = False
        while True:
            try:
                data = os.read(master, 4096)
            except OSError:
                break
            if not data:
                break
            seen += data
            if b"passphrase of" in seen and b"error" not in seen and not typed:
                import termios
                # Typing before the echo is off would show it.
                while termios.tcgetattr(master)[3] & termios.ECHO:
                    time.sleep(0.01)
                os.write(master, b"tr0ubador\\n")
                typed = True
        sys.stdout.buffer.write(seen)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
      let words = [try BuiltProducts.path(of: "parser-ota"), "key", "public", "--key", path]
      let typed = try run("/usr/bin/python3", ["-c", session] + words, environment: tool.environment)
      #expect(typed.status == .exited(0), "\(typed.output)\(typed.errors)")
      #expect(typed.output.contains("BEGIN PUBLIC KEY"))
      #expect(!typed.output.contains("tr0ubador"))
      let inCI = try run(
        "/usr/bin/python3", ["-c", session] + words, environment: tool.with("CI", "true").environment)
      #expect(inCI.status == .exited(2), "\(inCI.output)")
    }
  }

  @Test("B56: a key file that others can read is refused, with what to do")
  func exposed() throws {
    try withTemporaryDirectory { directory in
      let pair = try KeyPair(directory.path("a.pem"))
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: pair.path)
      let result = try tool("key", "public", "--key", pair.path, "--json")
      #expect(result.status == .exited(8))
      #expect(result.code == "not-private")
      #expect(result.errors.contains("chmod 600 \(pair.path)"))
    }
  }
}
