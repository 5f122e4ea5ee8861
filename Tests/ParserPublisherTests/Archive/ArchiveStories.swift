import OTAFeed
import OTAManifest
import OTATrust
import ParserPublisher
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// A device that is handed an archive is where a device is that asked the feed at the moment of the export.
@Suite("An archive in place of an update") struct ArchiveStories {
  @Test(
    "it is the same store, file for file, and the same launch; given twice it changes nothing",
    arguments: [true, false])
  func sameAsUpdate(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    try await scene.feed.publish("two")
    let archive = try await scene.export()
    #expect(try await scene.updater("asked").update() == .staged(.number(2)))
    #expect(try await scene.hand(archive, to: "handed") == .staged(.number(2)))
    #expect(try scene.store("handed") == scene.store("asked"))
    #expect(try await scene.hand(archive, to: "handed") == .unchanged(.staged(.number(2))))
    #expect(try scene.store("handed") == scene.store("asked"))
    #expect(try scene.launch("handed") == 2 && scene.launch("asked") == 2)
    let before = try scene.store("handed")
    #expect(try await scene.hand(archive, to: "handed") == .unchanged(.upToDate(.number(2))))
    #expect(try scene.store("handed") == before)
    #expect(try scene.history("handed").contains { $0.contains("release.tar.zst") })
  }

  @Test(
    "without a network it is the same, and the next update asks the feed as ever", arguments: [true, false])
  func offline(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    try await scene.feed.publish("two")
    let archive = try await scene.export()
    try await scene.feed.publish("three")
    try move("\(scene.feed.feed)", "\(scene.feed.feed).away")
    #expect(try await scene.hand(archive, to: "handed") == .staged(.number(2)))
    #expect(try scene.launch("handed") == 2)
    try move("\(scene.feed.feed).away", "\(scene.feed.feed)")
    #expect(try await scene.updater("handed").update() == .staged(.number(3)))
  }

  private func move(_ old: String, _ new: String) throws { _ = try run("/bin/mv", [old, new]) }

  @Test("an archive from before what the device has seen takes nothing back", arguments: [true, false])
  func older(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    try await scene.feed.publish("two")
    let before = try await scene.export()
    try await scene.feed.publish("three")
    let now = try await scene.export(2)
    #expect(try await scene.updater("device").update() == .staged(.number(3)))
    for _ in 1...2 {
      let store = try scene.store("device")
      let lagging = try await scene.hand(before, to: "device")
      if signed {
        guard case .unchanged(.lagging) = lagging else { throw Surprise(lagging) }
      } else {
        #expect(lagging == .unchanged(.older(.number(2), floor: .number(3))))
      }
      #expect(try await scene.hand(now, to: "device") == .unchanged(.older(.number(2), floor: .number(3))))
      #expect(try scene.store("device") == store)
      #expect(try scene.launch("device") == 3)
    }
  }

  private struct Surprise: Error {
    let result: UpdateResult
    init(_ result: UpdateResult) { self.result = result }
  }

  @Test(
    "an older release that the feed keeps is taken where nothing newer was seen, and then the newest",
    arguments: [true, false])
  func kept(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    for marker in ["two", "three"] { try await scene.feed.publish(marker) }
    #expect(try await scene.hand(scene.export(2), to: "device") == .staged(.number(2)))
    #expect(try scene.launch("device") == 2)
    #expect(try await scene.hand(scene.export(), to: "device") == .staged(.number(3)))
    #expect(try scene.launch("device") == 3)
    #expect(try await scene.hand(scene.export(1), to: "device") == .unchanged(.upToDate(.number(3))))
  }

  @Test("what failed here is not taken from an archive either", arguments: [true, false])
  func rejected(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    try await scene.feed.publish("two")
    let archive = try await scene.export()
    try await scene.hand(archive, to: "device")
    let updater = try scene.updater("device")
    _ = updater.fail(updater.activate(), reason: "blank")
    let again = try await scene.hand(archive, to: "device")
    #expect(again == .unchanged(.notUsable(.number(2), .rejected(reason: "blank"))))
    #expect(try scene.launch("device") == 1)
  }

  @Test(
    "what the feed withdrew is not taken, although the archive was made for it", arguments: [true, false])
  func withdrawn(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    for marker in ["two", "three"] { try await scene.feed.publish(marker) }
    try await scene.feed.rollback()
    let result = try await scene.hand(scene.export(3), to: "device")
    #expect(result == .unchanged(.notUsable(.number(3), .withdrawn)))
    #expect(try scene.updater("device").status().withdrawn == [.number(3)])
    #expect(try scene.launch("device") == 1)
  }

  @Test(
    "a release of another channel is refused, one of the device's own is taken", arguments: [true, false])
  func channel(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    let beta = try #require(Channel("beta"))
    try await scene.feed.publish("two") { $0.channel = beta }
    let archive = try await scene.export { $0.channel = beta }
    let refusal = await problem { try await scene.hand(archive, to: "device") }
    #expect(refusal?.code == .wrongChannel)
    let other = try scene.updater("other") { $0.channel = beta }
    #expect(try await other.update(from: ReleaseArchive(archive, name: "x")) == .staged(.number(2)))
  }

  @Test("an app that is too old for it takes none, as from the feed", arguments: [true, false])
  func contract(signed: Bool) async throws {
    let scene = try await ArchiveScene(signed: signed)
    try await scene.feed.publish("two") { $0.contract = 7 }
    let asked = try await scene.updater("asked").update()
    #expect(try await scene.hand(scene.export(), to: "handed") == asked)
    #expect(asked == .unchanged(.notUsable(.number(2), .contract(needed: 7, implemented: []))))
  }
}

/// Who made an archive is told by its signatures alone.
@Suite("An archive that nobody should trust") struct ArchiveTrustStories {
  private func refusal(_ scene: ArchiveScene, _ archive: [UInt8], by name: String = "device") async
    -> Problem?
  {
    await problem { try await scene.hand(archive, to: name) }
  }

  @Test("expired metadata is refused as from the feed; without signatures nothing expires")
  func expired() async throws {
    let scene = try await ArchiveScene(signed: true)
    try await scene.feed.publish("two")
    let archive = try await scene.export()
    scene.feed.wait(days: 40)
    #expect(await refusal(scene, archive)?.code == .trustExpired)
    #expect(try scene.launch("device") == 1)
    #expect(try scene.history("device").contains { $0.contains("trust-expired") })
    let plain = try await ArchiveScene(signed: false)
    try await plain.feed.publish("two")
    let old = try await plain.export()
    plain.feed.wait(days: 4000)
    #expect(try await plain.hand(old, to: "device") == .staged(.number(2)))
  }

  @Test("an archive without signatures is no release for a device that wants them")
  func unsigned() async throws {
    let (scene, plain) = (try await ArchiveScene(signed: true), try await ArchiveScene(signed: false))
    for each in [scene, plain] { try await each.feed.publish("two") }
    let problem = await refusal(scene, try await plain.export())
    #expect(problem?.code == .archiveInvalid && problem?.message.contains("is not signed") == true)
    #expect(try scene.launch("device") == 1)
    // The other way round the signatures are of no use, and do no harm.
    #expect(try await plain.hand(scene.export(), to: "device") == .staged(.number(2)))
  }

  @Test("the archive of another feed of the same keys is refused by its name")
  func otherFeed() async throws {
    let (scene, other) = (try await ArchiveScene(signed: true), try await ArchiveScene(signed: true))
    for each in [scene, other] { try await each.feed.publish("two") }
    #expect(await refusal(scene, try await other.export())?.code.responsibility == .untrustedContent)
    #expect(try scene.launch("device") == 1)
  }

  @Test("a thief of the archive cannot put other files into it, whatever else he makes fit")
  func forged() async throws {
    let scene = try await ArchiveScene(signed: true)
    try await scene.feed.publish("two")
    let metadata = try archivedFiles(await scene.export()).filter { $0.name.hasPrefix("metadata/") }
    let forged = try SampleRelease(2)
    let newer = try SampleRelease(9)
    for files in [forged.archiveFiles(), newer.archiveFiles(), forged.archiveFiles(newest: newer)] {
      let problem = await refusal(scene, rawArchive(metadata + files))
      #expect(problem?.code.responsibility == .untrustedContent, "\(String(describing: problem))")
      #expect(try scene.launch("device") == 1)
    }
    // The newest manifest is the real one, and the release beside it is not.
    let real = try archivedFiles(await scene.export()).filter { !$0.name.hasPrefix("files/releases/") }
    let older = rawArchive(real + (try SampleRelease(1)).archiveFiles().dropFirst(2))
    let problem = await refusal(scene, older)
    #expect(problem?.code == .trustUnlisted, "\(String(describing: problem))")
  }

  @Test("a hostile archive leaves no trace in a store, not even a line")
  func noTrace() async throws {
    let scene = try await ArchiveScene(signed: true)
    try await scene.feed.publish("two")
    try await scene.hand(scene.export(), to: "device")
    let before = try listTree(scene.feed.folder.path("device"))
    let store = try scene.store("device")
    let good = try archivedFiles(await scene.export())
    var link = RawTar()
    for file in good { link.add(file.name, file.bytes) }
    link.add("files/x", type: "2", link: "/etc")
    for bytes in [
      link.packed, rawArchive(good + [("../x", [1])]), rawArchive(good + [good[0]]),
      Array(link.packed.dropLast()),
    ] {
      #expect(await refusal(scene, bytes)?.code.rawValue.hasPrefix("archive-") == true)
    }
    #expect(try listTree(scene.feed.folder.path("device")) == before && scene.store("device") == store)
    #expect(await refusal(scene, link.packed, by: "never")?.code == .archiveUnsafe)
    #expect(
      try listTree(scene.feed.folder.path(".")).allSatisfy { !$0.contains("/never/") }, "no store was made")
  }

  @Test(
    "a root that came since: with the new one an archive from before is refused or lags, and with the old one it leads on"
  )
  func rotated() async throws {
    for role in [[Root.Role.root], .release] {
      let scene = try await ArchiveScene(signed: true)
      try await scene.feed.publish("two")
      let before = try await scene.export()
      let old = try signer(role == [.root] ? 1 : 2)
      let outcome = try await scene.feed.publisher.changeRoot(
        [.replace(keyID: try old.publicKey.metadataID(), with: try signer(5).publicKey, in: role)],
        signers: try [1, 2, 5].map(signer), date: scene.feed.now)
      guard case .committed = outcome else { throw Unexpected() }
      let after = try await scene.export()
      #expect(
        try archivedFiles(after).map(\.name).prefix(2) == ["metadata/1.root.json", "metadata/2.root.json"])

      // A device of the first root goes on to the second without a network.
      #expect(try await scene.hand(after, to: "old") == .staged(.number(2)))
      #expect(try scene.updater("old").status().trust.rootVersion == 2)
      // One that has seen the second root is not led back.
      _ = try await scene.updater("new").update()
      let store = try scene.store("new")
      do {
        let result = try await scene.hand(before, to: "new")
        guard case .unchanged = result else { throw Unexpected() }
      } catch let problem as Problem {
        #expect(problem.code.responsibility == .untrustedContent)
      }
      #expect(try scene.store("new") == store)
      #expect(try await scene.hand(after, to: "new") == .unchanged(.staged(.number(2))))
    }
  }

  private struct Unexpected: Error {}
}
