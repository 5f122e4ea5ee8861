import Foundation
import OTACrypto
import OTAManifest
import TestSupport
import Testing

@testable import ParserPublisher

@Suite("the keys of a feed can be changed, and clients with the first root go on")
struct CeremonyTests {
  @Test("a signed feed is made, published to and refreshed, and a client with the first root reads it")
  func signedFeed() async throws {
    try await withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let feed = try SignedFeed(directory, roots: [root], release: release)
      try expectDone(feed.publish(release))
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)
      let status = try expectDone(
        feed.call(["key", "status", "--feed", feed.path, "--public", release.publicPath, "--json"]))
      let given = (status.json["givenKeys"] as? [[String: Any]])?.first
      #expect(given?["roles"] as? [String] == ["targets", "snapshot", "timestamp"])
      let roles = status.json["roles"] as? [[String: Any]] ?? []
      #expect(roles.map { $0["role"] as? String } == ["root", "targets", "snapshot", "timestamp"])
      #expect((roles.last?["daysLeft"] as? Int).map { 28...30 ~= $0 } == true)
      #expect(roles.first?["signedBy"] as? [String] == [try root.id])
      let list = try expectDone(feed.call(["key", "list", "--feed", feed.path]))
      #expect(try list.output.contains(root.id) && list.output.contains(release.id))
      let refreshed = try expectDone(
        feed.call(["refresh", "--feed", feed.path, "--release-key", release.path, "--force", "--json"]))
      #expect(refreshed.code == "refreshed")
      #expect(try await feed.manifestForOldestClient() == live)
    }
  }

  @Test("B55: a key that clients do not trust stops before anything is written, and no key names the options")
  func wrongKey() throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let stranger = try KeyPair(directory.path("stranger.pem"))
      let feed = try SignedFeed(directory, roots: [root], release: release)
      try expectDone(feed.publish(release))
      let before = try feed.content()
      let bundle = String(decoding: Fixtures.bundle(marker: "two", bytes: 2000), as: UTF8.self)
      let wrong = try feed.publish(stranger, bundle: bundle)
      #expect(wrong.status == .exited(1))
      #expect(wrong.errors.contains("installed clients would refuse this"))
      #expect(try feed.content() == before)
      for verb in [
        ["refresh"],
        ["publish", "--bundle", directory.path("bundle.js"), "--sources", directory.path("sources.json")],
      ] {
        let none = try feed.call(verb + ["--feed", feed.path])
        #expect([.exited(1), .exited(2)].contains(none.status))
        #expect(
          none.errors.contains("--release-key") && none.errors.contains("PARSER_OTA_RELEASE_KEY"),
          "\(none.errors)")
      }
      #expect(try feed.content() == before)
    }
  }

  @Test("a lost release key: the root rotates it, and the old one signs nothing any more")
  func lostReleaseKey() async throws {
    try await withTemporaryDirectory { directory in
      let (root, lost) = (try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("lost.pem")))
      let feed = try SignedFeed(directory, roots: [root], release: lost)
      try expectDone(feed.publish(lost))
      let new = try KeyPair(directory.path("new.pem"))
      let rotated = try expectDone(
        feed.call([
          "key", "rotate", "--feed", feed.path, "--role", "release", "--from", lost.id, "--to-public",
          new.publicPath,
          "--root-key", root.path, "--release-key", new.path, "--json",
        ]))
      #expect(rotated.code == "committed")
      #expect(rotated.json["resigned"] as? [String] == ["targets", "snapshot", "timestamp"])
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)

      let bundle = String(decoding: Fixtures.bundle(marker: "two", bytes: 2000), as: UTF8.self)
      #expect(try feed.publish(lost, bundle: bundle).status == .exited(1))
      try expectDone(feed.publish(new))
      let next = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(next != live)
      #expect(try await feed.manifestForOldestClient() == next)
    }
  }

  @Test("a lost root key, one of three with two needed: the other two replace it on machines of their own")
  func lostRootKey() async throws {
    try await withTemporaryDirectory { directory in
      let roots = try ["anna", "bela", "lost"].map { try KeyPair(directory.path("\($0).pem")) }
      let release = try KeyPair(directory.path("release.pem"))
      let feed = try SignedFeed(directory, roots: roots, rootThreshold: 2, release: release)
      try expectDone(feed.publish(release))
      let new = try KeyPair(directory.path("new.pem"))
      let draft = directory.path("next.root.json")
      try expectDone(
        feed.call([
          "root", "prepare", "--feed", feed.path, "--out", draft, "--remove", "root=\(roots[2].id)", "--add",
          "root=\(new.publicPath)", "--json",
        ]))

      let tooFew = try feed.call([
        "root", "commit", draft, "--feed", feed.path, "--root-key", roots[0].path, "--json",
      ])
      #expect(tooFew.status == .exited(1))
      #expect(tooFew.code == "key-not-trusted")

      // Each holder has the draft and the root before in a folder of their own, and no feed.
      for (name, key) in [("a", roots[0]), ("b", roots[1])] {
        let machine = directory.path(name)
        try FileManager.default.createDirectory(atPath: machine, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: draft, toPath: "\(machine)/next.root.json")
        try FileManager.default.copyItem(
          atPath: "\(feed.path)/metadata/1.root.json", toPath: "\(machine)/1.root.json")
        let signed = try expectDone(
          feed.call([
            "root", "sign", "\(machine)/next.root.json", "--root-key", key.path, "--previous",
            "\(machine)/1.root.json",
          ]))
        #expect(try signed.output.contains("root: key \(roots[2].id) is removed"))
        #expect(try signed.output.contains("root: key \(new.id) is added"))
        try FileManager.default.removeItem(atPath: draft)
        try FileManager.default.copyItem(atPath: "\(machine)/next.root.json", toPath: draft)
      }
      let committed = try expectDone(feed.call(["root", "commit", draft, "--feed", feed.path, "--json"]))
      #expect(committed.code == "committed")
      #expect(committed.json["resigned"] as? [String] == [])
      let again = try expectDone(feed.call(["root", "commit", draft, "--feed", feed.path, "--json"]))
      #expect(again.code == "nothing-to-do")
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)

      // The lost key counts no more, the new one does.
      let withLost = try feed.call([
        "key", "threshold", "--feed", feed.path, "--role", "root", "--threshold", "1", "--root-key",
        roots[0].path,
        "--root-key", roots[2].path, "--json",
      ])
      #expect(withLost.code == "needs-signatures")
      let withNew = try expectDone(
        feed.call([
          "key", "threshold", "--feed", feed.path, "--role", "root", "--threshold", "1", "--root-key",
          roots[0].path,
          "--root-key", new.path, "--json",
        ]))
      #expect(withNew.code == "committed")
      #expect(try await feed.manifestForOldestClient() == live)
    }
  }

  @Test("one of two root keys alone makes a file for the other, and changes nothing")
  func needsSignatures() async throws {
    try await withTemporaryDirectory { directory in
      let roots = try ["anna", "bela"].map { try KeyPair(directory.path("\($0).pem")) }
      let release = try KeyPair(directory.path("release.pem"))
      let feed = try SignedFeed(directory, roots: roots, rootThreshold: 2, release: release)
      let second = try KeyPair(directory.path("second.pem"))
      let asked = try feed.call([
        "key", "add", "--feed", feed.path, "--role", "release", "--public", second.publicPath, "--root-key",
        roots[0].path, "--json",
      ])
      // What was asked for is not live, so a script must not go on.
      #expect(asked.status == .exited(1) && asked.code == "needs-signatures")
      let draft = try #require(asked.json["file"] as? String)
      #expect(!FileManager.default.fileExists(atPath: "\(feed.path)/metadata/2.root.json"))
      let signed = try expectDone(
        feed.call(["root", "sign", draft, "--root-key", "-", "--json"], stdin: Array(roots[1].pem.utf8)))
      #expect(try signed.json["signedNow"] as? [String] == [roots[1].id])
      try expectDone(
        feed.call(["root", "commit", draft, "--feed", feed.path, "--release-key", release.path]))
      #expect(FileManager.default.fileExists(atPath: "\(feed.path)/metadata/2.root.json"))
      try expectDone(feed.publish(second))
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)
    }
  }

  @Test("a change that makes no sense is refused with the reason")
  func nonsense() throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let feed = try SignedFeed(directory, roots: [root], release: release)
      let before = try feed.content()
      let stranger = String(repeating: "ab", count: 32)
      for (words, part) in [
        (["key", "threshold", "--role", "root", "--threshold", "2"], "which has 1 keys"),
        (["key", "remove", "--role", "release", "--key-id", try release.id], "which has 0 keys"),
        (["key", "remove", "--role", "release", "--key-id", stranger], "does not sign for"),
        (["key", "add", "--role", "root", "--public", root.publicPath], "says so already"),
        (["key", "add", "--role", "root", "--public", root.path], "private key where a public one"),
      ] {
        let result = try feed.call(words + ["--feed", feed.path, "--root-key", root.path])
        #expect(result.status == .exited(part.contains("private key") ? 3 : 1), "\(result.errors)")
        #expect(result.errors.contains(part), "\(result.errors)")
      }
      let one = try feed.call(["key", "remove", "--feed", feed.path, "--role", "root", "--key-id", "abc"])
      #expect(one.status == .exited(2))
      #expect(try feed.content() == before)
    }
  }

  @Test("a release is signed by a command, for a key that the tool never sees")
  func signWith() async throws {
    try await withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let feed = try SignedFeed(directory, roots: [root], release: release)
      let words = [
        "publish", "--feed", feed.path, "--bundle", directory.path("bundle.js"), "--sources",
        directory.path("sources.json"), "--sign-with-public", release.publicPath,
      ]
      let command = "openssl pkeyutl -sign -rawin -inkey '\(release.path)' -in /dev/stdin | base64 -w 0"
      let before = try feed.content()
      let failing = try feed.call(words + ["--sign-with", "echo 'token is locked' >&2; exit 4", "--json"])
      #expect(failing.code == "signing-failed")
      #expect(failing.errors.contains("token is locked"))
      #expect(try feed.content() == before)
      try expectDone(feed.call(words + ["--sign-with", command]))
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)
    }
  }

  @Test(
    "a commit that was cut off before the timestamp is finished by the same command, and by a refresh",
    arguments: [false, true])
  func interrupted(byRefresh: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let (root, lost) = (try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("lost.pem")))
      let feed = try SignedFeed(directory, roots: [root], release: lost)
      try expectDone(feed.publish(lost))
      let new = try KeyPair(directory.path("new.pem"))
      let timestamp = URL(fileURLWithPath: "\(feed.path)/metadata/timestamp.json")
      let before = try Data(contentsOf: timestamp)
      try expectDone(
        feed.call([
          "key", "rotate", "--feed", feed.path, "--role", "release", "--from", lost.id, "--to-public",
          new.publicPath,
          "--root-key", root.path, "--release-key", new.path,
        ]))
      try before.write(to: timestamp)
      let status = try expectDone(feed.call(["key", "status", "--feed", feed.path]))
      #expect(status.errors.contains("parser-ota refresh"))
      let words =
        byRefresh
        ? ["refresh", "--feed", feed.path]
        : ["root", "commit", "\(feed.path)/metadata/2.root.json", "--feed", feed.path]
      try expectDone(feed.call(words + ["--release-key", new.path]))
      let live = try Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(try await feed.manifestForOldestClient() == live)
    }
  }

  @Test("without the release key the new root waits, fully signed, for whoever has it")
  func releaseKeyElsewhere() throws {
    try withTemporaryDirectory { directory in
      let (root, old) = (try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("old.pem")))
      let feed = try SignedFeed(directory, roots: [root], release: old)
      let new = try KeyPair(directory.path("new.pem"))
      let before = try feed.content()
      let waiting = try feed.call([
        "key", "rotate", "--feed", feed.path, "--role", "release", "--from", old.id, "--to-public",
        new.publicPath, "--root-key", root.path, "--json",
      ])
      #expect(waiting.status == .exited(1) && waiting.code == "needs-signatures")
      let draft = try #require(waiting.json["file"] as? String)
      #expect(try feed.content().filter { !$0.key.hasSuffix("/2.root.json") } == before)
      let job = ["root", "commit", draft, "--feed", feed.path, "--json"]
      #expect(try feed.call(job).status == .exited(1))
      var tool = feed
      tool.tool.environment["PARSER_OTA_RELEASE_KEY"] = try new.pem
      #expect(try expectDone(tool.call(job)).code == "committed")
      #expect(!FileManager.default.fileExists(atPath: draft))
    }
  }

  @Test("the next root can be one with a later expiry and nothing else; a draft for another root is refused")
  func renewal() throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let feed = try SignedFeed(directory, roots: [root], release: release)
      let drafts = ["one", "two"].map { directory.path($0) }
      for (draft, days) in zip(drafts, ["3650", "1"]) {
        try expectDone(
          feed.call(["root", "prepare", "--feed", feed.path, "--out", draft, "--expires-days", days]))
        try expectDone(feed.call(["root", "sign", draft, "--root-key", root.path]))
      }
      try expectDone(feed.call(["root", "commit", drafts[0], "--feed", feed.path]))
      let late = try feed.call(["root", "commit", drafts[1], "--feed", feed.path, "--json"])
      #expect(late.status == .exited(6))
      #expect(late.code == "conflict")
      let status = try expectDone(feed.call(["key", "status", "--feed", feed.path, "--json"]))
      #expect(
        ((status.json["roles"] as? [[String: Any]])?.first?["daysLeft"] as? Int).map { $0 > 3600 } == true)
    }
  }

  @Test("init asks for exactly one kind of trust, and keeps that of a feed that exists")
  func initialTrust() throws {
    try withTemporaryDirectory { directory in
      let (root, release) = (
        try KeyPair(directory.path("root.pem")), try KeyPair(directory.path("release.pem"))
      )
      let tool = Tool()
      let path = directory.path("new")
      let none = try tool("init", "--feed", path)
      #expect(none.status == .exited(2))
      #expect(none.errors.contains("--root-key and --release-key"))
      #expect(
        try tool("init", "--feed", path, "--checksums-only", "--root-key", root.path).status == .exited(2))
      #expect(try tool("init", "--feed", path, "--root-key", root.path).status == .exited(2))
      #expect(!FileManager.default.fileExists(atPath: path))
      let made = try tool.with("PARSER_OTA_ROOT_KEY", root.pem).with("PARSER_OTA_RELEASE_KEY", release.pem)(
        "init", "--feed", path)
      try expectDone(made)
      #expect(!made.errors.contains("not signed"))
      try expectDone(tool("init", "--feed", path, "--keep", "5"))
      try expectDone(tool("key", "list", "--feed", path))
    }
  }
}
