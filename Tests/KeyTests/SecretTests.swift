import Foundation
import OTACrypto
import TestSupport
import Testing

@Suite("B56: a secret goes nowhere, wherever it came from and however it ends")
struct SecretTests {
  /// The ways to give the release key.
  enum Source: String, CaseIterable {
    case file, input, environment
  }

  @Test(
    "from each source, on success and on each kind of failure, in words and as JSON",
    arguments: Source.allCases)
  func nowhere(source: Source) throws {
    try withTemporaryDirectory { directory in
      let keys = directory.path("keys")
      try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: false)
      let (root, secret) = (try KeyPair("\(keys)/root.pem"), try Secret("\(keys)/release.pem"))
      let stranger = try Secret("\(keys)/stranger.pem")
      var feed = try SignedFeed(directory, roots: [root], release: secret.pair)
      let temporary = directory.path("tmp")
      try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
      feed.tool.environment["TMPDIR"] = temporary
      let files = ["--bundle", directory.path("bundle.js"), "--sources", directory.path("sources.json")]
      let calls = [
        ["publish", "--feed", feed.path] + files,
        ["publish", "--feed", feed.path, "--bundle", "/no/such", "--sources", "/no/such"],
        ["publish", "--feed", directory.path("nowhere")] + files,
        ["publish", "--feed", feed.path, "--version", "0"] + files,
        ["refresh", "--feed", feed.path, "--force"], ["rollback", "--feed", feed.path, "--yes"],
        [
          "refresh", "--feed", feed.path, "--sign-with", "cat >&2; exit 1", "--sign-with-public",
          root.publicPath,
        ],
        ["key", "status", "--feed", feed.path],
      ]
      var successes = 0
      for key in [secret, stranger] {
        for words in calls {
          for json in [[], ["--json"]] {
            let result = try call(feed, words + json, key, source)
            if result.status == .exited(0) { successes += 1 }
            let isShown = key.isIn(result.stdout + result.stderr)
            #expect(!isShown, "\(words)")
          }
        }
        #expect(try key.files(below: feed.path) == [])
        #expect(try key.files(below: temporary) == [])
      }
      #expect(successes >= 4)
    }
  }

  private func call(
    _ feed: SignedFeed, _ words: [String], _ key: Secret, _ source: Source
  ) throws -> ChildResult {
    var feed = feed
    switch source {
    case .file: return try feed.call(words + ["--release-key", key.pair.path])
    case .input: return try feed.call(words + ["--release-key", "-"], stdin: Array(key.pair.pem.utf8))
    case .environment:
      feed.tool.environment["PARSER_OTA_RELEASE_KEY"] = try key.pair.pem
      return try feed.call(words)
    }
  }

  @Test("a signing command sees no secret of the tool, neither in its environment nor in any argument")
  func children() throws {
    try withTemporaryDirectory { directory in
      let (root, secret) = (
        try KeyPair(directory.path("root.pem")), try Secret(directory.path("release.pem"))
      )
      var feed = try SignedFeed(directory, roots: [root], release: secret.pair)
      feed.tool.environment["PARSER_OTA_RELEASE_KEY"] = try secret.pair.pem
      feed.tool.environment["PARSER_OTA_ROOT_KEY"] = try secret.pair.pem
      feed.tool.environment["PARSER_OTA_KEY_PASSPHRASE"] = secret.seedHex
      let seen = directory.path("seen")
      let command =
        "cat /proc/self/environ /proc/$PPID/cmdline /proc/self/cmdline > '\(seen)'; ulimit -H -c >> '\(seen)'; exit 1"
      _ = try feed.call([
        "refresh", "--feed", feed.path, "--force", "--sign-with", command, "--sign-with-public",
        root.publicPath,
      ])
      _ = try feed.call([
        "root", "prepare", "--feed", feed.path, "--out", directory.path("next"),
      ])
      let signing = try feed.call([
        "root", "sign", directory.path("next"), "--root-key", secret.pair.path, "--sign-with", command,
        "--sign-with-public", root.publicPath,
      ])
      #expect(signing.status == .exited(1), "\(signing.errors)")
      let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: seen)))
      #expect(String(decoding: bytes, as: UTF8.self).contains("parser-ota"))
      let isSeen = secret.isIn(bytes)
      #expect(!isSeen)
      // No core file holds a key, not even one of a child.
      #expect(String(decoding: bytes.suffix(2), as: UTF8.self) == "0\n")
    }
  }
}
