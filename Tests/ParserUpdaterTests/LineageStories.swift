import OTAFeed
import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// A6: a store belongs to a lineage of roots, or to the address of an unsigned feed.
@Suite("A6: another feed over an old store")
struct LineageStories {
  /// A device that runs 33 of its feed, with 32 before it, and whose app has 1 inside.
  private func device(_ mode: TrustMode) async throws -> Device {
    let device = try Device(embedded: 1, feed: MemoryFeed(mode))
    try await device.take(32)
    try await device.take(33)
    return device
  }

  private static let elsewhere = FeedLocation.directory("/elsewhere/feed/")

  private func expectSetAside(_ device: Device, _ reason: String) throws {
    #expect(try device.updater().status().next.candidates.map(\.version) == [.number(1)])
    #expect(try device.updater().status().current == nil && device.updater().status().floor == nil)
    let launch = device.launch()
    #expect(launch.version == 1 && launch.release.origin == .embedded)
    #expect(launch.release.passedOver.map(\.code) == ["other-feed", "other-feed"])
    #expect(
      launch.release.passedOver.allSatisfy { $0.message.contains(reason) }, "\(launch.release.passedOver)")
    let dropped = try device.updater().history().filter { $0.kind == .dropped }
    #expect(Set(dropped.map(\.version)) == [.number(32), .number(33)])
    #expect(device.stored == [])
    #expect(device.launch().release.passedOver == [])
  }

  @Test(
    "A6: an app that ships another root or address runs nothing of the old feed, offline, and takes 1 and 2 of the new one",
    arguments: TrustMode.allCases)
  func otherFeed(mode: TrustMode) async throws {
    let device = try await device(mode)
    let other = MemoryFeed(signer: mode == .signed ? FeedSigner(seed: 60) : nil)
    if mode == .signed {
      device.configuration.trust = other.trust
    } else {
      device.configuration.feed = Self.elsewhere
    }
    try expectSetAside(
      device, mode == .signed ? "is not signed by the root that the app ships" : "came from another feed")
    try other.publish(2)
    #expect(try await device.updater(reading: other).check() == .available(.number(2), notes: nil))
    #expect(try await device.updater(reading: other).update() == .staged(.number(2)))
    #expect(device.launchAndConfirm() == 2)
    #expect(device.stored == [2])
    #expect(try device.updater().status().floor == .number(2))
  }

  @Test(
    "A6: the update comes before the first launch: the old releases are no answer and no floor",
    arguments: TrustMode.allCases)
  func updateFirst(mode: TrustMode) async throws {
    let device = try await device(mode)
    let other = MemoryFeed(signer: mode == .signed ? FeedSigner(seed: 60) : nil)
    if mode == .signed {
      device.configuration.trust = other.trust
    } else {
      device.configuration.feed = Self.elsewhere
    }
    try other.publish(2)
    #expect(try await device.updater(reading: other).update() == .staged(.number(2)))
    #expect(device.stored == [2])
    #expect(device.launchAndConfirm() == 2)
    let dropped = try device.updater().history().filter { $0.kind == .dropped }
    #expect(Set(dropped.map(\.version)) == [.number(32), .number(33)])
  }

  @Test("A6: releases without signatures do not run in an app that asks for them, nor the other way round")
  func otherTrust() async throws {
    let unsigned = try await device(.checksumsOnly)
    unsigned.configuration.trust = .root(FeedSigner().root())
    try expectSetAside(unsigned, "came from a feed without signatures")
    let signed = try await device(.signed)
    signed.configuration.trust = .checksumsOnly
    try expectSetAside(signed, "came from a signed feed")
  }

  @Test("A6: a signed feed may move, and an unsigned one whose old address the app names as a mirror")
  func moved() async throws {
    let signed = try await device(.signed)
    signed.configuration.feed = Self.elsewhere
    #expect(signed.launch().version == 33)
    let unsigned = try await device(.checksumsOnly)
    unsigned.configuration.mirrors = [unsigned.configuration.feed]
    unsigned.configuration.feed = Self.elsewhere
    #expect(unsigned.launch().version == 33)
    unsigned.configuration.mirrors = []
    #expect(unsigned.launch().version == 33, "the store knows the new address by now")
    unsigned.configuration.feed = .directory("/elsewhere/feed")
    #expect(unsigned.launch().version == 33, "the same folder")
  }

  @Test(
    "A6: an app that ships a newer or an older root of the same chain goes on, and writes nothing for it twice"
  )
  func sameChain() async throws {
    let device = try await device(.signed)
    let signer = try #require(device.feed.signer)
    for _ in 0..<2 { signer.rotateRoot(on: device.feed) }
    #expect(try await device.update() == .unchanged(.upToDate(.number(33))))
    for version in [2, 3, 1] {
      device.configuration.trust = .root(signer.root(version))
      let launch = device.launch()
      #expect(launch.version == 33 && launch.release.standing == .confirmed)
      let before = Inventory(device.store)
      #expect(device.launch().version == 33)
      #expect(Inventory(device.store) == before)
    }
    signer.rotateRoot(on: device.feed)
    device.configuration.trust = .root(signer.root(4))
    #expect(device.launch().version == 33, "of the same root keys, although no update has seen it")
    #expect(try await device.update() == .unchanged(.upToDate(.number(33))))
    #expect(device.launch().version == 33)
  }

  @Test(
    "A6: a store from before this was written down belongs to the root that signed its metadata",
    arguments: TrustMode.allCases)
  func unrecorded(mode: TrustMode) async throws {
    let device = try await device(mode)
    let path = "\(device.store)/state.json"
    let text = String(decoding: try #require(content(path)), as: UTF8.self)
    let lineage = try #require(text.firstRange(of: ",\n  \"lineage\": {"))
    let end = try #require(text[lineage.upperBound...].firstIndex(of: "}"))
    let old = String(text[..<lineage.lowerBound] + text[text.index(after: end)...])
      .replacing("\"format\": 2", with: "\"format\": 1")
    plant(old, at: path)
    #expect(device.launch().version == 33)
    #expect(String(decoding: try #require(content(path)), as: UTF8.self).contains("\"lineage\""))
    #expect(try await device.update() == .unchanged(.upToDate(.number(33))))
    plant(old, at: path)
    guard mode == .signed else { return }
    device.configuration.trust = .root(FeedSigner(seed: 60).root())
    try expectSetAside(device, "is not signed by the root that the app ships")
  }
}
