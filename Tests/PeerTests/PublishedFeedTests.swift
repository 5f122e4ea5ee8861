import Foundation
import OTACrypto
import OTAManifest
import TestSupport
import Testing

/// A feed of our tool, read by the reference client.
@Suite("python-tuf reads what the tool publishes", .enabled(if: PythonTUF.isInstalled, PythonTUF.remedy))
struct PublishedFeedTests {
  /// A feed, the server that serves it, and a client that comes back again and again.
  private struct Scene {
    var feed: PublishedFeed
    let server: LoopbackServer
    /// The same feed without its express file, as an older tool leaves it.
    let plain: LoopbackServer
    let faithful: PythonTUF.Client

    init(_ directory: TemporaryDirectory) throws {
      let feed = try PublishedFeed(directory)
      self.feed = feed
      server = try LoopbackServer { [path = feed.path] in .directory(path, $0) }
      plain = try LoopbackServer { [path = feed.path] request in
        request.path.hasSuffix("/express.tar.zst") ? .notFound : .directory(path, request)
      }
      try FileManager.default.copyItem(atPath: feed.firstRoot, toPath: directory.path("shipped.json"))
      faithful = PythonTUF.Client(
        root: directory.path("shipped.json"), folder: directory.path("faithful"))
    }

    func read(_ client: PythonTUF.Client, _ wanted: String) throws -> PythonTUF.Reading {
      try client.read(server.url + "metadata/", server.url + "files/", [wanted])
    }

    /// A client that was just installed, with the root of long ago.
    func newcomer(_ name: String) -> PythonTUF.Client {
      PythonTUF.Client(root: faithful.root, folder: feed.directory.path("newcomer \(name)"))
    }

    /// Both clients must follow, to this root and to the newest release.
    func expectReadable(
      after event: String, root: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let known = try read(faithful, "manifest.json")
      let fresh = try read(newcomer(event), "manifest.json")
      #expect(known.versions["root"] == root, "\(event)", sourceLocation: sourceLocation)
      #expect(known.versions == fresh.versions, "\(event)", sourceLocation: sourceLocation)
      #expect(known.targets == fresh.targets, "\(event)", sourceLocation: sourceLocation)
      let newest = try JSONDecoder().decode(
        Version.self, from: Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/manifest.json")))
      #expect(newest.version == feed.newest, "\(event)", sourceLocation: sourceLocation)
      #expect(
        try known.targets["manifest.json"]??.sha256 == digest(of: "manifest.json"), "\(event)",
        sourceLocation: sourceLocation)
      // The product's own devices see the same, with the express file and without.
      for (name, url) in [("express", server.url), ("plain", plain.url)] {
        let version = try feed.update(store: name, from: url)
        #expect(version == feed.newest, "\(event): \(name)", sourceLocation: sourceLocation)
      }
    }

    func stop() {
      server.stop()
      plain.stop()
    }

    func digest(of name: String) throws -> String {
      try sha256(Array(Data(contentsOf: URL(fileURLWithPath: "\(feed.path)/\(name)")))).hex
    }

    private struct Version: Decodable {
      let version: Int
    }
  }

  @Test("a rollout and advisories are targets like any other, and manifest.json stays")
  func documents() throws {
    try withTemporaryDirectory { directory in
      var scene = try Scene(directory)
      defer { scene.server.stop() }
      try scene.feed.publish(2)
      try scene.feed.beginRollout()
      for target in ["rollout.json", "advisories.json", "releases/3/manifest.json"] {
        let reading = try scene.read(scene.newcomer("of \(target)"), target)
        #expect((reading.targets[target] ?? nil) != nil, "\(target): \(reading)")
      }
      try scene.expectReadable(after: "a rollout", root: 1)
    }
  }

  @Test(
    "through key rotations, roll backs and 30 releases, an old and a new client follow and get every target")
  func wholeLife() throws {
    try withTemporaryDirectory { directory in
      var scene = try Scene(directory)
      defer { scene.stop() }
      try scene.feed.publish(1)
      try scene.expectReadable(after: "first release", root: 1)
      try scene.feed.publish(4)
      try scene.feed.rollBack(to: 3)
      try scene.expectReadable(after: "roll back", root: 1)
      try scene.feed.rotateRelease(to: "release-2")
      try scene.expectReadable(after: "new release key", root: 2)
      try scene.feed.publish(7)
      try scene.expectReadable(after: "releases with the new key", root: 2)
      try scene.feed.rotateRoot(to: "root-2")
      try scene.expectReadable(after: "new root key", root: 3)
      try scene.feed.removeKey("timestamp", from: "targets")
      try scene.feed.publish(6)
      try scene.expectReadable(after: "a key that signs targets no more", root: 4)
      try scene.feed.demandTwoRootKeys(with: "root-1")
      try scene.feed.refresh()
      try scene.expectReadable(after: "two root keys, and a refresh", root: 6)
      try scene.feed.publish(11)
      try scene.feed.rollBack(to: 28)
      try scene.feed.publish(1)
      try scene.expectReadable(after: "second roll back", root: 6)
      try expectEveryTarget(scene)
    }
  }

  /// The twenty releases that stay reachable come with the bytes that were published, both clients agreeing.
  private func expectEveryTarget(_ scene: Scene) throws {
    let reading = try scene.read(scene.faithful, "everything")
    #expect(try scene.read(scene.newcomer("at the end"), "everything").targets == reading.targets)
    #expect(scene.feed.newest == 32)
    for version in 13...32 {
      let folder = "releases/\(version)"
      #expect(reading.targets["\(folder)/manifest.json"] != nil, "\(version)")
      // A roll back has no files of its own, the release that it repeats has them.
      guard version != 31 else { continue }
      let bundle = reading.targets["\(folder)/parsers.bundle.js"]??.sha256
      #expect(bundle == scene.feed.bundles[version - 1], "\(version)")
    }
    let patches = reading.targets.keys.filter { $0.hasPrefix("releases/32/") && $0.hasSuffix(".zst") }
    #expect(patches.count == 9, "a compressed form and eight patches of the live release: \(patches)")
    #expect(!reading.targets.values.contains { $0 == nil })
  }

  @Test("a changed byte, or a feed taken back to an earlier state, is refused by the same client")
  func refusals() throws {
    try withTemporaryDirectory { directory in
      var scene = try Scene(directory)
      defer { scene.stop() }
      try scene.feed.publish(1)
      try scene.expectReadable(after: "first release", root: 1)
      let old = directory.path("old")
      try FileManager.default.copyItem(atPath: scene.feed.path, toPath: old)
      try scene.feed.publish(1)
      try scene.expectReadable(after: "second release", root: 1)
      let before = try LoopbackServer { .directory(old, $0) }
      defer { before.stop() }
      let outdated = try scene.faithful.run(before.url + "metadata/", before.url + "files/", ["nothing"])
      #expect(outdated.status == .exited(1) && outdated.errors.contains("BadVersionNumberError"))
      let bent = try LoopbackServer { [path = scene.feed.path] request in
        let served = "\(path)\(request.path)"
        guard request.path.hasSuffix(".parsers.bundle.js"),
          var bytes = FileManager.default.contents(atPath: served), let last = bytes.popLast()
        else { return .directory(path, request) }
        return .ok(Array(bytes) + [last ^ 1])
      }
      defer { bent.stop() }
      let changed = try scene.newcomer("of a bent server").run(
        bent.url + "metadata/", bent.url + "files/", ["everything"])
      #expect(changed.status == .exited(1) && changed.errors.contains("LengthOrHashMismatchError"))
    }
  }
}
