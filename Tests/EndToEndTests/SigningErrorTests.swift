import Foundation
import TestSupport
import Testing

/// Check 8 of the contract, the part about keys, roots and signatures.
@Suite(.ownThreads) struct SigningErrorTests {
  typealias Failures = ErrorTextTests.Failures

  private func withFailures(atLeast count: Int, _ body: (Playground, Failures) throws -> Void) throws {
    try withPlayground { playground in
      try playground.makeApp()
      try playground.makeSignedFeed()
      let before = try playground.snapshot("signed")
      let failures = Failures(playground)
      try body(playground, failures)
      #expect(failures.texts.count >= count, "\(failures.texts.sorted())")
      #expect(try playground.snapshot("signed") == before, "a refused change left something")
    }
  }

  @Test("check 8: what cannot be done with a key names the key, and says what to do")
  func keys() throws {
    try withFailures(atLeast: 11) { playground, failures in
      try failures.expect("key generate --out root.pem", 1, "root.pem", "never overwritten")
      try failures.expect("key generate --out new.pem --encrypt", 2, "new.pem", "passphrase")
      try failures.expect("key generate --out new.pem --passphrase-file phrase.txt", 2, "--encrypt")
      try failures.expect("key public --key sealed.pem", 2, "sealed.pem", "passphrase")
      try playground.writeSecret("wrong.txt", "battery staple")
      try failures.expect("key public --key sealed.pem --passphrase-file wrong.txt", 3, "sealed.pem", "wrong")
      try playground.writeSecret("empty.txt", "")
      try failures.expect("key public --key sealed.pem --passphrase-file empty.txt", 2, "--passphrase-file")
      try playground.writeSecret("page.pem", "<html>")
      try failures.expect("key public --key page.pem", 3, "page.pem")
      let secret = String(repeating: "ab", count: 32)
      let told = try playground.tool("key public --key \(secret)")
      #expect(told.code == 2 && !told.errors.contains(secret) && !told.output.contains(secret), "\(told)")
      try failures.expect("key public --key \(secret)", 2, "--key")
      for verb in ["key list", "key status"] {
        try failures.expect("\(verb) --feed feed", 1, playground.path("feed"), "checksums-only")
        try failures.expect("\(verb) --feed app", 2, playground.path("app"))
      }
      try failures.expect("key status --feed signed --public root.pem", 3, "--public", "root.pem")
    }
  }

  @Test("check 8: a change of keys that makes no sense names role and key, and changes nothing")
  func changes() throws {
    try withFailures(atLeast: 14) { _, failures in
      func expect(_ line: String, _ status: Int32, _ mentions: String...) throws {
        let line = try SignedScene.filled("\(line) --feed signed")
        for mention in mentions { try failures.expect(line, status, SignedScene.filled(mention)) }
      }
      let key = "--root-key root.pem"
      try expect("key add --role boss --public other.pem.pub", 2, "--role boss")
      try expect("key add --role root --public other.pem \(key)", 3, "--public", "other.pem")
      try expect("key add --role root --public root.pem.pub \(key)", 1, "already")
      try expect("key remove --role root --key-id abc", 2, "--key-id abc")
      try expect("key remove --role root --key-id OTHER_ID \(key)", 1, "OTHER_ID", "root")
      try expect("key remove --role release --key-id RELEASE_ID \(key)", 1, "timestamp")
      try expect("key rotate --role root --from x --to-public other.pem.pub", 2, "--from x")
      try expect("key rotate --role release --from OTHER_ID --to-public other.pem.pub \(key)", 1, "OTHER_ID")
      try expect("key threshold --role root --threshold 0", 2, "--threshold 0")
      try expect("key threshold --role root --threshold 3 \(key)", 1, "3 signatures", "2 keys")
      let prepare = "root prepare --out new.root.json"
      try expect("\(prepare) --add root", 2, "--add root", "ROLE=FILE")
      try expect("\(prepare) --add boss=other.pem.pub", 2, "--add boss=other.pem.pub")
      try expect("\(prepare) --remove root=abc", 2, "--remove root=abc")
      try expect("\(prepare) --threshold root=many", 2, "--threshold root=many")
      try expect("\(prepare) --expires-days 0", 2, "--expires-days 0")
      try expect("root prepare --out root.pem", 1, "root.pem")
    }
  }

  @Test("check 8: a root that cannot be signed or committed names the file, the key or the command")
  func roots() throws {
    try withFailures(atLeast: 11) { playground, failures in
      try failures.expect("root sign next.root.json", 2, "--root-key", "--sign-with")
      try failures.expect(
        "root sign next.root.json --root-key other.pem --previous signed/metadata/1.root.json", 1,
        "none of the given keys")
      try failures.expect("root sign sources.json --root-key root.pem", 3, "sources.json")
      try failures.expect(
        "root sign next.root.json --root-key root.pem --previous next.root.json", 1, "--previous")
      try failures.expect("root sign next.root.json --sign-with false", 2, "--sign-with-public")
      try failures.expect("root sign next.root.json --sign-with-public root.pem.pub", 2, "--sign-with CMD")
      let command = "root sign next.root.json --sign-with-public root.pem.pub --sign-with"
      try failures.expect("\(command) false", 1, "the signing command", "status 1")
      try failures.expect("\(command) true", 1, "the signing command", "0 bytes")
      try failures.expect("root sign next.root.json --root-key - --root-key -", 2, "standard input")
      try failures.expect("root commit next.root.json --feed signed", 1, "root 1")
      try failures.expect("root commit sources.json --feed signed", 3, "sources.json")
      try failures.expect("root commit next.root.json --feed feed", 1, playground.path("feed"))
    }
  }

  @Test("check 8: a signed feed without its keys, or an unsigned one with keys, says which to give")
  func feeds() throws {
    try withFailures(atLeast: 12) { playground, failures in
      try failures.expect("init --feed other", 2, "--root-key", "--release-key")
      try failures.expect("init --feed other --root-key root.pem", 2, "--release-key")
      try failures.expect(
        "init --feed other --checksums-only --root-key root.pem", 2, "--checksums-only", "--root-key")
      try failures.expect(
        "init --feed other --root-key root.pem --release-key release.pem --root-threshold 2", 1, "root")
      try failures.expect(
        "init --feed other --root-key root.pem --release-key release.pem --release-threshold none", 2,
        "--release-threshold none")
      try failures.expect("init --feed signed --checksums-only", 1, playground.path("signed"))
      let publish = "publish --feed signed --bundle bundle-3.js --sources sources.json"
      try failures.expect(publish, 1, playground.path("signed"), "no key")
      try failures.expect("\(publish) --release-key other.pem", 1, "installed clients would refuse this")
      try failures.expect("rollback --feed signed --yes", 1, playground.path("signed"), "no key")
      try failures.expect("refresh --feed signed", 2, "no key")
      try failures.expect("refresh --feed feed --release-key release.pem", 1, playground.path("feed"))
      try failures.expect("verify --feed signed --root sources.json", 3, "--root sources.json")
      let device = "device init --store other --feed signed --embedded app"
      try failures.expect(device, 2, "--root", "--checksums-only")
      try failures.expect("\(device) --root sources.json", 3, "--root sources.json")
      try failures.expect(
        "\(device) --checksums-only --root signed/metadata/1.root.json", 2, "--root", "--checksums-only")
    }
  }
}
