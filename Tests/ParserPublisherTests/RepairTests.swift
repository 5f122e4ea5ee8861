import OTAFeed
import OTAManifest
import OTAStorage
import OTATrust
import TestSupport
import Testing

@testable import ParserPublisher

/// A feed of four releases, a whole copy of it, and the means to damage it.
private final class WoundedFeed {
  let folder: TemporaryDirectory
  let trust: AdoptedTrust
  let path: String
  let copy: String
  var publisher: Publisher { Publisher(feed: path) { TestFeed.date } }
  var keys: [UInt8] { trust == .signed ? [2] : [] }

  init(_ trust: AdoptedTrust) async throws {
    folder = try TemporaryDirectory()
    self.trust = trust
    path = folder.path("feed")
    copy = folder.path("copy")
    _ = try await Publisher.initialise(
      InitRequest(directory: path, trust: try trust.wish(), date: TestFeed.date))
    for marker in ["one", "two", "three", "four"] { try await publish(marker) }
    #expect(try run("/bin/cp", ["-r", path, copy]).status == .exited(0))
  }

  @discardableResult
  func publish(_ marker: String) async throws -> PublishReport {
    try await publisher.publish(
      try signedRequest(folder, marker, ids: ["ABC", "DEF", marker.uppercased()], keys: keys) {
        $0.date = TestFeed.date
        $0.allowedRemovals = ["ONE", "TWO", "THREE", "FOUR", "FIVE"]
      })
  }

  /// The path of a file of a release, by the end of its name.
  func file(_ number: Int, _ ending: String) throws -> String {
    let name = try listTree(path).first {
      $0.hasPrefix("./files/releases/\(number)/") && $0.hasSuffix(ending)
    }
    return String(try #require(name).dropFirst(2))
  }

  func remove(_ name: String) throws {
    #expect(try run("/bin/rm", ["-r", "\(path)/\(name)"]).status == .exited(0))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try durablyReplaceFile(at: "\(path)/\(name)", with: bytes)
  }

  func read(_ name: String) throws -> [UInt8] { try readFile(at: "\(path)/\(name)", maxBytes: 1 << 20) }

  func contents(_ root: String? = nil) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    let root = root ?? path
    for name in try listTree(root) where !name.hasSuffix("/lock") {
      contents[name] = try readFile(at: "\(root)/\(name)", maxBytes: 1 << 20)
    }
    return contents
  }

  func repair(from sources: [FeedLocation] = [], dryRun: Bool = false, signed: Bool = true) async throws
    -> RepairReport
  {
    var request = RepairRequest(sources: sources)
    request.date = TestFeed.date
    request.dryRun = dryRun
    request.signers = signed ? try keys.map(signer) : []
    return try await publisher.repair(request)
  }

  func faults() async throws -> [AuditFinding] {
    let root = trust == .signed ? try read("metadata/1.root.json") : nil
    return try await Publisher.audit(FeedReader(.directory(path)), root: root, now: TestFeed.date).findings
      .filter { $0.severity == .error }
  }
}

@Suite("Damage is no race, and can be mended") struct RepairTests {
  @Test(
    "B92, D5: a roll back without a name does not go past a lost release, and one with a name withdraws it",
    arguments: AdoptedTrust.allCases)
  func passedByRollback(trust: AdoptedTrust) async throws {
    let feed = try await WoundedFeed(trust)
    try feed.write(try feed.file(3, ".manifest.json"), Array("{".utf8))
    let signers = try feed.keys.map(signer)
    let refused = await problem { _ = try await feed.publisher.rollback(RollbackRequest(signers: signers)) }
    #expect(refused?.code == .feedIncomplete, "\(String(describing: refused))")
    #expect(
      refused?.message.hasPrefix("release 3 is lost") == true && refused?.advice?.contains("--to 2") == true)
    let back = try await feed.publisher.rollback(RollbackRequest(to: version(2), signers: signers))
    #expect(back.manifest.content == version(2) && back.manifest.withdrawn == [version(3), version(4)])
  }

  @Test(
    "a slip in the address of a copy gives up no release",
    arguments: ["nothing there", "index.html for all", "folder"])
  func wrongCopy(kind: String) async throws {
    let feed = try await WoundedFeed(.checksumsOnly)
    try feed.remove(try feed.file(2, ".parsers.bundle.js"))
    let before = try feed.contents()
    let page = Array("<!doctype html><title>Welcome</title>".utf8)
    let server = try LoopbackServer { _ in kind == "nothing there" ? .notFound : .ok(page) }
    defer { server.stop() }
    let other = feed.folder.path("other")
    _ = try Directory.create(other)
    try durablyReplaceFile(at: "\(other)/notes.txt", with: [0x61])
    let copy = try FeedLocation(kind == "folder" ? other : server.url)
    let refused = try #require(
      await problem {
        var request = RepairRequest(sources: [copy])
        request.allowsPlainHTTPOnLoopback = true
        _ = try await feed.publisher.repair(request)
      })
    let codes: [String: ProblemCode] = [
      "nothing there": .notFound, "index.html for all": .htmlInstead, "folder": .notAFeed,
    ]
    #expect(refused.code == codes[kind] && refused.kept == "nothing was restored, and nothing was dropped")
    #expect(try feed.contents() == before)
    #expect(try await feed.publisher.releases().count == 4)
  }

  @Test(
    "B92: a kept release is lost, and what does not need it works: list, publish, roll back to a whole one",
    arguments: AdoptedTrust.allCases, [".manifest.json", ".parsers.bundle.js", ".sources.json"])
  func others(trust: AdoptedTrust, ending: String) async throws {
    let feed = try await WoundedFeed(trust)
    let path = try feed.file(2, ending)
    if ending == ".manifest.json" { try feed.write(path, Array("{".utf8)) } else { try feed.remove(path) }
    let list = try await feed.publisher.releaseList()
    #expect(list.damage.count == 1 && list.damage[0].hasPrefix("release 2: \(path) "), "\(list.damage)")
    let wanted = RollbackRequest(to: version(2), signers: try feed.keys.map(signer))
    let refused = await problem { _ = try await feed.publisher.rollback(wanted) }
    #expect(
      refused?.code == .feedIncomplete && refused?.message.contains(path) == true,
      "\(String(describing: refused))")
    let back = try await feed.publisher.rollback(
      RollbackRequest(to: version(1), signers: try feed.keys.map(signer)))
    #expect(back.manifest.content == version(1) && back.manifest.version == version(5))
    #expect(try await feed.publish("five").manifest.version == version(6))
    if trust == .signed {
      #expect(back.warnings.contains { $0.hasPrefix("release 2 is off the list: ") }, "\(back.warnings)")
      #expect(try await feed.faults() == [], "a lost target must not stay listed")
    }
  }

  @Test(
    "B92: refresh and a change of keys take a lost release off the signed list", arguments: [true, false])
  func upkeep(refreshes: Bool) async throws {
    let feed = try await WoundedFeed(.signed)
    try feed.remove(try feed.file(2, ".manifest.json"))
    if refreshes {
      let report = try await feed.publisher.refresh(signers: [try signer(2)], date: TestFeed.date)
      #expect(report.roles == ["targets", "snapshot", "timestamp"])
    } else {
      _ = try await feed.publisher.changeRoot(
        [
          .replace(
            keyID: try signer(2).publicKey.metadataID(), with: try signer(3).publicKey,
            in: [.targets, .snapshot, .timestamp])
        ], signers: [try signer(1), try signer(2), try signer(3)], date: TestFeed.date)
    }
    let metadata = try await MetadataState.read(from: DirectoryHost(root: feed.path))
    #expect(
      metadata.files["releases/2/manifest.json"] == nil && metadata.files["releases/3/manifest.json"] != nil)
  }

  @Test(
    "repair restores every kind of file from a copy, by its digest, and is idempotent",
    arguments: AdoptedTrust.allCases)
  func restore(trust: AdoptedTrust) async throws {
    let feed = try await WoundedFeed(trust)
    let whole = try feed.contents()
    try feed.remove(try feed.file(2, ".sources.json"))
    try feed.write(
      try feed.file(3, ".parsers.bundle.js"), Array("version https://git-lfs.github.com/spec/v1\noid".utf8))
    try feed.write(try feed.file(1, ".manifest.json"), [])
    let live = try feed.file(4, ".manifest.json")
    try feed.remove(live)
    let planned = try await feed.repair(from: [.directory(feed.copy)], dryRun: true)
    #expect(planned.outcome == .wouldRepair && planned.restored.count == 4)
    #expect(try !listTree(feed.path).contains("./\(live)"))
    let report = try await feed.repair(from: [.directory(feed.copy)], signed: false)
    #expect(report.outcome == .repaired && report.dropped.isEmpty)
    #expect(report.restored == planned.restored)
    #expect(
      report.restored.first { $0.path == live }?.source != feed.copy, "the same bytes are on the feed itself")
    #expect(try feed.contents() == whole)
    #expect(try await feed.repair(signed: false).outcome == .nothingToRepair)
  }

  @Test(
    "repair drops what nothing can restore, never the live release, and says what is gone",
    arguments: AdoptedTrust.allCases)
  func drop(trust: AdoptedTrust) async throws {
    let feed = try await WoundedFeed(trust)
    let path = try feed.file(2, ".parsers.bundle.js")
    try feed.write(path, try feed.read(path).dropLast() + [0x21])
    if trust == .signed {
      let before = try feed.contents()
      let refused = await problem { _ = try await feed.repair(signed: false) }
      #expect(refused?.code == .keyNotTrusted && refused?.advice?.contains("--release-key") == true)
      #expect(try feed.contents() == before)
    }
    let report = try await feed.repair()
    #expect(report.dropped.map(\.version) == [version(2)] && report.dropped[0].reason.contains(path))
    #expect(try await feed.publisher.releases().map(\.version.number) == [4, 3, 1])
    #expect(try await feed.faults() == [])
    #expect(try await feed.publish("five").manifest.version == version(5))

    let live = try feed.file(5, ".sources.json")
    try feed.remove(live)
    let before = try feed.contents()
    let refused = await problem { _ = try await feed.repair() }
    #expect(refused?.code == .feedIncomplete && refused?.message.contains(live) == true)
    #expect(try feed.contents() == before)
  }

  @Test(
    "N19, N25: a checkout with CRLF, links, folders and conflicts are named as what they are, and repaired",
    arguments: AdoptedTrust.allCases)
  func checkout(trust: AdoptedTrust) async throws {
    let feed = try await WoundedFeed(trust)
    let whole = try feed.contents()
    for name in try listTree(feed.path).map({ String($0.dropFirst(2)) })
    where name.hasPrefix("files/") || name == "manifest.json" {
      let text = String(decoding: try feed.read(name), as: UTF8.self)
      try feed.write(name, Array(text.replacing("\n", with: "\r\n").utf8))
    }
    let refused = await problem { try await feed.publish("five") }
    #expect(refused?.code == .feedIncomplete, "\(String(describing: refused))")
    #expect(refused?.message.contains("other line ends (CRLF)") == true, "\(String(describing: refused))")
    #expect(refused?.advice?.contains(".gitattributes") == true)
    #expect(try await feed.repair(signed: false).outcome == .repaired)
    #expect(try feed.contents() == whole)

    let bundle = try feed.file(3, ".parsers.bundle.js")
    try feed.remove(bundle)
    #expect(try run("/bin/ln", ["-s", "/etc/hostname", "\(feed.path)/\(bundle)"]).status == .exited(0))
    let manifest = try feed.file(2, ".manifest.json")
    try feed.remove(manifest)
    _ = try Directory.create("\(feed.path)/\(manifest)")
    #expect(try await feed.faults().contains { $0.message.contains("symbolic link") })
    #expect(try await feed.repair(from: [.directory(feed.copy)], signed: false).restored.count == 2)
    #expect(try feed.contents() == whole)
  }

  @Test(
    "N19: what stands in place of the newest manifest is named, and is never a network",
    arguments: [
      ("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n", "line 1 is a conflict marker"),
      ("{\n<<<<<<< HEAD\n", "line 2 is a conflict marker"), ("<html>", "is an HTML page"), ("", "is empty"),
      ("version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    ])
  func pointer(content: String, words: String) async throws {
    let feed = try await WoundedFeed(.checksumsOnly)
    let whole = try feed.contents()
    try feed.write("manifest.json", Array(content.utf8))
    let reader = FeedReader(.directory(feed.path))
    let found = await problem { _ = try await Publisher.audit(reader, root: nil, now: TestFeed.date) }
    #expect(
      found?.code == .manifestInvalid && found?.message.contains(words) == true,
      "\(String(describing: found))")
    let refused = await problem { try await feed.publish("five") }
    #expect(refused?.code == .manifestInvalid && refused?.message.contains(words) == true)
    #expect(try await feed.repair().outcome == .repaired)
    #expect(try feed.contents() == whole)
  }

  @Test(
    "N19, N25: what a checkout left in place of a signed file or the settings is named by every verb, never as a network",
    arguments: ["metadata/timestamp.json", "metadata/1.root.json", ".parser-ota/feed.json"],
    [
      ("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n", "line 1 is a conflict marker"),
      ("version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"), ("", "is empty"),
    ])
  func metadata(name: String, stray: (content: String, words: String)) async throws {
    let feed = try await WoundedFeed(.signed)
    try feed.write(name, Array(stray.content.utf8))
    let refused = try #require(await problem { try await feed.publish("five") })
    #expect(refused.message.contains(stray.words) && refused.code.responsibility == .untrustedContent)
    let mended = try #require(await problem { _ = try await feed.repair() })
    #expect(mended.message.contains("\(name) ") && mended.message.contains(stray.words), "\(mended)")
    let reader = FeedReader(.directory(feed.path))
    var faults: [String] = []
    let thrown = await problem {
      faults = try await Publisher.audit(reader, root: nil, now: TestFeed.date).findings
        .filter { $0.severity == .error }.map { "\($0.code) \($0.message)" }
    }
    faults += thrown.map { ["\($0.code.rawValue) \($0.message)"] } ?? []
    #expect(faults.contains { $0.contains(name) && $0.contains(stray.words) }, "\(faults)")
    #expect(!faults.contains { $0.hasPrefix(ProblemCode.htmlInstead.rawValue) }, "\(faults)")
  }

  @Test("B92: repair brings metadata back from a copy, when it proves itself; another feed has no say")
  func lostMetadata() async throws {
    let feed = try await WoundedFeed(.signed)
    let whole = try feed.contents()
    let other = try await WoundedFeed(.checksumsOnly)
    for name in ["timestamp.json", "1.root.json", "5.targets.json", "5.snapshot.json"] {
      guard whole["./metadata/\(name)"] != nil else { continue }
      try feed.write("metadata/\(name)", Array("<html>".utf8))
    }
    let refused = await problem { _ = try await feed.repair(from: [.directory(other.path)]) }
    #expect(refused?.code == .feedIncomplete, "\(String(describing: refused))")
    #expect(try await feed.repair(from: [.directory(feed.copy)], signed: false).outcome == .repaired)
    #expect(try feed.contents() == whole)
  }

  @Test("B92: a feed that lost an old name tells it, and repair puts it back")
  func oldName() async throws {
    let old = try OldFeed()
    let folder = try TemporaryDirectory()
    var request = InitRequest(directory: folder.path("feed"), adopt: .directory(old.folder.path))
    request.liveFeedPatience = nil
    _ = try await Publisher.initialise(request)
    let name = folder.path("feed/sources.json")
    #expect(try run("/bin/rm", [name]).status == .exited(0))
    let reader = FeedReader(.directory(folder.path("feed")))
    let report = try await Publisher.audit(reader, root: nil, now: TestFeed.date)
    #expect(report.findings.map(\.place) == ["sources.json"])
    let publisher = Publisher(feed: folder.path("feed")) { TestFeed.date }
    #expect(try await publisher.repair(RepairRequest()).restored.map(\.path) == ["sources.json"])
    #expect(try readFile(at: name, maxBytes: 1 << 20) == old.sources)
  }

  @Test(
    "releases of a feed at an address are found backwards, signed and not", arguments: AdoptedTrust.allCases)
  func atAnAddress(trust: AdoptedTrust) async throws {
    let feed = try await WoundedFeed(trust)
    let path = feed.path
    let server = try LoopbackServer { HTTPReply.directory(path, $0) }
    defer { server.stop() }
    let list = try await Publisher.releases(
      of: FeedLocation(server.url), root: nil, allowsPlainHTTPOnLoopback: true)
    #expect(list.releases == (try await feed.publisher.releases()))
  }
}
