import Foundation
import TestSupport
import Testing

/// Holders of keys who do not wait for each other, and a feed whose keys change.
@Suite("N28, N29: ceremonies of several people")
struct ParallelCeremonyTests {
  @Test("N29: two holders sign copies at the same time, and commit takes both")
  func copies() async throws {
    try await withTemporaryDirectory { directory in
      let roots = try ["anna", "bela"].map { try KeyPair(directory.path("\($0).pem")) }
      let release = try KeyPair(directory.path("release.pem"))
      let feed = try SignedFeed(directory, roots: roots, rootThreshold: 2, release: release)
      try expectDone(feed.publish(release))
      let draft = directory.path("next.root.json")
      try expectDone(feed.call(["root", "prepare", "--feed", feed.path, "--out", draft]))
      let copies = try zip(["a.json", "b.json"], roots).map { name, key in
        let copy = directory.path(name)
        try FileManager.default.copyItem(atPath: draft, toPath: copy)
        try expectDone(feed.call(["root", "sign", copy, "--root-key", key.path]))
        return copy
      }
      let alone = try feed.call(["root", "commit", copies[0], "--feed", feed.path, "--json"])
      #expect(alone.status == .exited(1) && alone.code == "key-not-trusted")

      let other = directory.path("other.json")
      try expectDone(
        feed.call(["root", "prepare", "--feed", feed.path, "--out", other, "--threshold", "root=1"]))
      let mixed = try feed.call(["root", "commit", copies[0], other, "--feed", feed.path, "--json"])
      #expect(mixed.status == .exited(1))
      #expect(mixed.errors.contains("root: 1 keys must sign, not 2"), "\(mixed.errors)")
      #expect(mixed.errors.contains(copies[0]) && mixed.errors.contains(other))

      let done = try expectDone(
        feed.call(["root", "commit", copies[0], copies[1], draft, "--feed", feed.path, "--json"]))
      #expect(done.code == "committed")
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)
      #expect(
        try expectDone(feed.call(["root", "commit"] + copies + ["--feed", feed.path, "--json"])).code
          == "nothing-to-do")
    }
  }

  @Test("a change of keys without a root key is a slip of the command line, not a success")
  func withoutKeys() throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let feed = try SignedFeed(directory, roots: [root], release: release)
      let before = try feed.content()
      let new = try KeyPair(directory.path("new.pem"))
      for words in [
        ["rotate", "--from", try release.id, "--to-public", new.publicPath],
        ["add", "--public", new.publicPath],
        ["remove", "--key-id", try release.id], ["threshold", "--threshold", "1"],
      ] {
        let result = try feed.call(
          ["key", words[0], "--feed", feed.path, "--role", "release", "--json"] + words.dropFirst())
        #expect(result.status == .exited(2) && result.code == "missing-option", "\(words): \(result.output)")
        #expect(result.errors.contains("--root-key"))
      }
      #expect(try feed.content() == before)
    }
  }

  @Test("a refresh with the key that was replaced fails, also while nothing is due")
  func replacedKey() throws {
    try withTemporaryDirectory { directory in
      let (root, old) = (try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("old.pem")))
      let feed = try SignedFeed(directory, roots: [root], release: old)
      let new = try KeyPair(directory.path("new.pem"))
      let rotated = try expectDone(
        feed.call([
          "key", "rotate", "--feed", feed.path, "--role", "release", "--from", old.id, "--to-public",
          new.publicPath, "--root-key", root.path, "--release-key", new.path,
        ]))
      #expect(rotated.output.contains("epoch 2 begins"), "\(rotated.output)")
      let result = try feed.call(["refresh", "--feed", feed.path, "--release-key", old.path, "--json"])
      #expect(result.status == .exited(1) && result.code == "key-not-trusted", "\(result.output)")
      try expectDone(feed.call(["refresh", "--feed", feed.path, "--release-key", new.path]))
    }
  }

  @Test("a rotation that discards a thief's release says what is live, and status shows name and epoch")
  func discard() throws {
    try withTemporaryDirectory { directory in
      let (root, old) = (try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("old.pem")))
      let feed = try SignedFeed(directory, roots: [root], release: old)
      try expectDone(feed.publish(old))
      let bundle = String(decoding: Fixtures.bundle(marker: "evil", bytes: 2000), as: UTF8.self)
      try expectDone(feed.publish(old, bundle: bundle))
      let new = try KeyPair(directory.path("new.pem"))
      let rotated = try expectDone(
        feed.call([
          "key", "rotate", "--feed", feed.path, "--role", "release", "--from", old.id, "--to-public",
          new.publicPath, "--root-key", root.path, "--release-key", new.path, "--discard", "2",
        ]))
      #expect(rotated.output.contains("release 2 is discarded"))
      #expect(rotated.output.contains("release 3 is live in stable, with the content of release 1"))
      let status = try expectDone(feed.call(["key", "status", "--feed", feed.path, "--json"]))
      #expect(status.json["epoch"] as? Int == 2 && (status.json["feedName"] as? String)?.count == 32)
      try expectDone(feed.call(["verify", "--feed", feed.path]))
    }
  }

  @Test(
    "N28: an expired root, and one that soon is, need the root keys: verify, refresh and status say so",
    arguments: [1, 58, 61])
  func expiry(days: Int) throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let feed = try SignedFeed(directory, roots: [root], release: release)
      try expectDone(feed.publish(release))
      let draft = directory.path("next.root.json")
      try expectDone(
        feed.call(["root", "prepare", "--feed", feed.path, "--out", draft, "--expires-days", "\(days + 1)"]))
      try expectDone(feed.call(["root", "commit", draft, "--feed", feed.path, "--root-key", root.path]))
      for words in [
        ["refresh", "--force", "--release-key", release.path], ["key", "status"], ["verify"],
      ] {
        let result = try expectDone(
          feed.call(
            Array(words.prefix(words[0] == "key" ? 2 : 1)) + ["--feed", feed.path]
              + words.dropFirst(words[0] == "key" ? 2 : 1)))
        let warns = result.errors.contains("parser-ota root prepare --feed DIR --out next.root.json")
        #expect(warns == (days < 60), "\(words): \(result.errors)")
      }
    }
  }
}
