import Foundation
import Glibc
import TestSupport
import Testing

/// Check 7 of the contract, the part about the files of keys and roots; what is common is in `InputFileTests`.
@Suite(.ownThreads) struct SigningFileTests {
  typealias Place = InputFileTests.Place

  /// A verb that signs, and whether it takes keys of both kinds.
  private static let signers: [(line: String, options: [String])] = [
    ("init --feed other --root-threshold 1", ["--root-key", "--release-key"]),
    ("publish --feed signed --bundle bundle-3.js --sources sources.json", ["--release-key"]),
    ("import signed.tar.zst --feed signed", ["--release-key"]),
    ("rollback --feed signed --yes", ["--release-key"]),
    ("refresh --feed signed --force", ["--release-key"]),
    ("repair --feed signed", ["--release-key"]),
    ("key status --feed signed", ["--root-key", "--release-key"]),
    ("key add --feed signed --role root --public other.pem.pub", ["--root-key", "--release-key"]),
    ("key remove --feed signed --role root --key-id \(noID)", ["--root-key", "--release-key"]),
    (
      "key rotate --feed signed --role root --from \(noID) --to-public other.pem.pub",
      ["--root-key", "--release-key"]
    ),
    ("key threshold --feed signed --role root --threshold 2", ["--root-key", "--release-key"]),
    ("root sign next.root.json", ["--root-key"]),
    ("root commit next.root.json --feed signed", ["--root-key", "--release-key"]),
  ]
  private static let noID = String(repeating: "0", count: 64)

  static let inputs =
    signers.flatMap { line, options in
      options.map { Place("\(line) \($0)") } + [
        Place("\(line) --sign-with false --sign-with-public"),
        Place("\(line) \(options[0]) sealed.pem --passphrase-file"),
      ]
    } + [
      Place("key generate --out new.pem --encrypt --passphrase-file"),
      Place("key public --key"), Place("key public --key sealed.pem --passphrase-file"),
      Place("key status --feed signed --public"),
      Place("key add --feed signed --role root --public"),
      Place("key rotate --feed signed --role root --from \(noID) --to-public"),
      Place("root prepare --feed signed --out new.root.json --add release="),
      Place("root sign next.root.json --root-key root.pem --previous"),
      Place("root sign --root-key root.pem"), Place("root commit --feed signed"),
      Place("verify --feed signed --root"), Place("releases --feed signed --root"),
      Place("device init --store other --feed signed --embedded app --root"),
    ]

  /// Files that a verb makes.
  static let outputs = [
    Place("key generate --out", missing: nil), Place("key public --key root.pem --out", missing: nil),
    Place("root prepare --feed signed --out", missing: nil),
    Place("export --feed signed --out", missing: nil),
  ]

  private static let secrets: Set = ["--root-key", "--release-key", "--key", "--passphrase-file"]

  private func withSignedFeed(_ body: (Playground) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.makeSignedFeed()
      try body(playground)
    }
  }

  @Test("check 7: a missing key, passphrase, root or draft is named, with what to do", arguments: inputs)
  func missing(place: Place) throws {
    try withSignedFeed { playground in
      let before = try playground.snapshot("signed")
      InputFileTests.expect(
        try playground.tool(place.line(with: "nowhere.txt")), 2, names: playground.path("nowhere.txt"))
      #expect(try playground.snapshot("signed") == before)
    }
  }

  @Test(
    "check 7: a folder or a pipe in place of a key, passphrase, root or draft is named and never waited for",
    arguments: inputs)
  func otherKind(place: Place) throws {
    try withSignedFeed { playground in
      mkfifo(playground.path("pipe"), 0o600)
      for name in ["feed", "pipe"] {
        InputFileTests.expect(
          try playground.tool(place.line(with: name)), 2, names: playground.path(name))
      }
    }
  }

  @Test(
    "check 7: a key, passphrase, root or draft that this user may not read is named",
    .enabled(if: Stranger.isPossible, "needs setpriv"), arguments: inputs)
  func unreadable(place: Place) throws {
    try withSignedFeed { playground in
      try playground.writeSecret("secret.txt", "secret")
      let answer = try Stranger(playground).run(place.line(with: "secret.txt"), forbidding: "secret.txt")
      InputFileTests.expect(answer, 8, names: playground.path("secret.txt"))
    }
  }

  @Test(
    "check 7: a key or passphrase that others may read is refused with the command that closes it",
    arguments: inputs.filter { secrets.contains($0.option) })
  func open(place: Place) throws {
    try withSignedFeed { playground in
      try playground.write("open.txt", "secret")
      let answer = try playground.tool(place.line(with: "open.txt"))
      InputFileTests.expect(answer, 8, names: playground.path("open.txt"))
      #expect(answer.line("hint")?.contains("chmod 600 open.txt") == true, "\(answer)")
    }
  }

  @Test("check 7: a file of something else in place of a key, root or draft is named", arguments: inputs)
  func otherContent(place: Place) throws {
    // Any line of text can be a passphrase: that it opens nothing is what is said.
    let isPassphrase = place.option == "--passphrase-file"
    guard !isPassphrase || !place.line.hasPrefix("key generate") else { return }
    try withSignedFeed { playground in
      try playground.writeSecret("strange.txt", "[\"neither a key nor a root\"]")
      let answer = try playground.tool(place.line(with: "strange.txt"))
      #expect(answer.code == 3, "\(answer)")
      let name = isPassphrase ? "sealed.pem" : "strange.txt"
      #expect(answer.line("error")?.contains(name) == true, "\(answer)")
      #expect(!answer.errors.contains("::"), "words of a library: \(answer)")
    }
  }

  @Test("check 7: a file that a verb makes stands where it was told", arguments: outputs)
  func made(place: Place) throws {
    try withSignedFeed { playground in
      let answer = try playground.must(place.line(with: "new.txt"))
      #expect(try !playground.read("new.txt").isEmpty)
      #expect(answer.errors.contains("new.txt"), "\(answer)")
      let lost = try playground.tool(place.line(with: "nowhere/new.txt"))
      InputFileTests.expect(lost, 2, names: playground.path("nowhere"))
      #expect(lost.line("error")?.hasPrefix("--out: ") == true, "\(lost)")
    }
  }

  @Test(
    "check 7: a private key, a folder or a pipe in place of a file to make is named and stays",
    arguments: outputs)
  func taken(place: Place) throws {
    try withSignedFeed { playground in
      mkfifo(playground.path("pipe"), 0o600)
      let key = try playground.read("other.pem")
      for name in ["other.pem", "feed", "pipe"] {
        let answer = try playground.tool(place.line(with: name))
        #expect([1, 2].contains(answer.code), "\(answer)")
        #expect(answer.line("error")?.contains(playground.path(name)) == true, "\(answer)")
        #expect(answer.line("hint") != nil, "\(answer)")
      }
      #expect(try playground.read("other.pem") == key)
      #expect(try playground.tool("key public --key other.pem").code == 0)
      var status = stat()
      #expect(lstat(playground.path("pipe"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }
  }
}
