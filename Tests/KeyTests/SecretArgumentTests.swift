import OTACrypto
import TestSupport
import Testing

@Suite("B56: a key on the command line is refused, and its text is not repeated")
struct SecretArgumentTests {
  private let tool = Tool()

  @Test("as a value of a key option, in every form", arguments: ["--key", "--passphrase-file"])
  func values(option: String) throws {
    try withTemporaryDirectory { directory in
      let secret = try Secret(directory.path("a.pem"))
      let pem = try secret.pair.pem
      #expect(secret.isIn(Array(secret.seedHex.utf8)) && secret.isIn(Array(pem.utf8)))
      let body = pem.split(separator: "\n").dropFirst().first.map(String.init) ?? ""
      for text in [secret.seedHex, secret.seedBase64, body, pem] {
        for json in [[], ["--json"]] {
          let others = option == "--key" ? [] : ["--key", secret.pair.path]
          let words = ["key", "public"] + others + ["\(option)=\(text)"] + json
          let result = try run(
            BuiltProducts.path(of: "parser-ota"), words, environment: tool.environment)
          if option == "--key" { #expect(result.status == .exited(2), "\(result.errors)") }
          let isShown = secret.isIn(result.stdout + result.stderr)
          #expect(!isShown, "\(words.dropLast()) \(result.errors)")
        }
      }
    }
  }

  @Test("anywhere else, where it is a mistake of typing")
  func mistakes() throws {
    try withTemporaryDirectory { directory in
      let secret = try Secret(directory.path("a.pem"))
      let pem = try secret.pair.pem
      for text in [secret.seedHex, secret.seedBase64, pem] {
        for words in [
          [text], ["key", text], ["key", "public", "--key", text], ["key", "public", text],
          ["key", "public", "--key", "x", text],
          ["releases", "--feed", "x", text], ["publish", "--version", text], ["key", "public", "--\(text)"],
          ["device", "pin", text],
          ["publish", "--feed", "x", "--bundle", "x", "--sources", "x", "--release-key=\(text)"],
          ["init", "--feed", "x", "--release-key", "x", "--root-key=\(text)"],
          ["refresh", "--feed", "x", "--sign-with", "true", "--sign-with-public=\(text)"],
        ] {
          for json in [[], ["--json"]] {
            let result = try run(
              BuiltProducts.path(of: "parser-ota"), words + json, environment: tool.environment)
            #expect(result.status == .exited(2), "\(result.errors)")
            let isShown = secret.isIn(result.stdout + result.stderr)
            #expect(!isShown, "\(words.dropLast()) \(result.errors)")
          }
        }
      }
    }
  }

  @Test("a file that happens to have such a name is still a file")
  func namedLikeAKey() throws {
    try withTemporaryDirectory { directory in
      let name = String(repeating: "ab", count: 32)
      let pair = try KeyPair(directory.path(name))
      var here = tool
      here.directory = directory.path
      #expect(try here("key", "public", "--key", name).output == pair.key.publicKey.pem())
    }
  }
}
