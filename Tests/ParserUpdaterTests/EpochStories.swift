import OTAManifest
import OTATransfer
import OTATrust
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// S1, S2, B86: what a stolen release key did is healed by one rotation with the root key, without touching a device.
@Suite("S1, S2: stolen, used, rotated, healed")
struct EpochStories {
  private static let largest: Int64 = 9_007_199_254_740_991

  /// A device that runs 31 of a signed feed.
  private func device() async throws -> Device {
    let device = try Device(embedded: 30, feed: MemoryFeed(.signed))
    try await device.take(31)
    return device
  }

  /// Takes what the thief put on the feed.
  private func take(_ version: Int64, _ device: Device, _ edit: (inout Manifest) -> Void = { _ in })
    async throws
  {
    let release = try device.feed.publish(version) { edit(&$0) }
    try await device.update()
    #expect(device.launchAndConfirm() == release.manifest.version.number)
  }

  /// The ceremony: another key for releases, or a new epoch, and everything of the thief taken off the feed.
  private func heal(_ device: Device, from version: Int64, byNumber: Bool = false) throws {
    let signer = try #require(device.feed.signer)
    if byNumber {
      signer.rotateRoot(on: device.feed) { $0.setEpoch(2) }
    } else {
      signer.replaceReleaseKey(by: FeedSigner.key(50), on: device.feed)
    }
    signer.change { books in
      books.files = books.files.filter { !$0.key.hasPrefix("releases/\(version)/") }
    }
  }

  @Test(
    "S1: the largest number there is: the next honest release is installed, and the floor is an honest one",
    arguments: [false, true])
  func number(byNumber: Bool) async throws {
    let device = try await device()
    try await take(Self.largest, device)
    try device.feed.publish(32)
    #expect(try await device.update() == .unchanged(.older(.number(32), floor: .number(Self.largest))))
    try heal(device, from: Self.largest, byNumber: byNumber)
    try device.feed.publish(33)
    #expect(try await device.updater().check() == .available(.number(33), notes: nil))
    #expect(try await device.update() == .staged(.number(33)))
    #expect(device.launchAndConfirm() == 33)
    #expect(try device.updater().status().floor == .number(33))
    #expect(device.stored == [31, 33])
    #expect(
      try device.updater().history().contains { $0.kind == .dropped && $0.version == .number(Self.largest) })
    #expect(try await device.updater().check() == .upToDate(.number(33)))
  }

  @Test(
    "S1: the thief's release stops although the next one cannot be had: only what the new targets list may run"
  )
  func unreachable() async throws {
    let device = try await device()
    try await take(Self.largest, device)
    try heal(device, from: Self.largest)
    let release = try device.feed.publish(32)
    device.feed.answer(release.bundlePath, .failure(.server, status: 500))
    #expect(await problem { try await device.update() }?.code == .serverError)
    let launch = device.launch()
    #expect(launch.version == 31 && launch.release.standing == .confirmed)
    #expect(device.stored == [31])
    device.feed.answer(release.bundlePath, nil)
    #expect(try await device.update() == .staged(.number(32)))
  }

  @Test("S1: the thief's release stops although not even the new manifest can be had")
  func noManifest() async throws {
    let device = try await device()
    try await take(Self.largest, device)
    try heal(device, from: Self.largest)
    let release = try device.feed.publish(32)
    device.feed.answer("files/\(release.digest).manifest.json", .failure(.server, status: 500))
    #expect(await problem { try await device.update() }?.code == .serverError)
    #expect(device.launch().version == 31)
  }

  @Test("S2: dates far ahead are no evidence after the rotation")
  func dates() async throws {
    let device = try await device()
    try await take(32, device) { $0.released = Timestamp("2099-01-01T00:00:00Z") }
    device.wait(seconds: 400 * 86_400)
    _ = await problem { try await device.update() }
    device.wait(seconds: -400 * 86_400)
    #expect(try device.updater().status().clockDoubt != nil)
    try heal(device, from: 32)
    try device.feed.publish(33)
    #expect(try await device.update() == .staged(.number(33)))
    #expect(device.launchAndConfirm() == 33)
    #expect(try device.updater().status().clockDoubt == nil)
    #expect(try await device.updater().check() == .upToDate(.number(33)))
  }

  @Test("S1: a thief withdraws everything: the lists of the old key are forgotten")
  func withdrawn() async throws {
    let device = try await device()
    try device.feed.publish(40) { $0.withdrawn = (30...39).map { .number($0) } }
    try await device.update()
    #expect(device.launchAndConfirm() == 40)
    try heal(device, from: 40)
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
    #expect(try device.updater().status().withdrawn == [])
  }

  @Test("S1: other capabilities, aliases and channels of the thief go with his release")
  func contract() async throws {
    let device = try await device()
    try device.feed.publish(Self.largest) { $0.contract = 9 }
    #expect(try await device.update().obstacle == "needs-other-contract")
    let beta = try #require(Channel("beta"))
    device.configuration.channel = beta
    try await take(Self.largest - 1, device) { $0.channel = beta }
    try heal(device, from: Self.largest)
    device.feed.signer?.change { books in
      books.files = books.files.filter { !$0.key.hasPrefix("releases/\(Self.largest - 1)/") }
    }
    device.configuration.channel = .stable
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
    #expect(device.stored == [31, 32], "of the channel beta nothing is listed any more")
  }

  @Test("an honest rotation changes nothing that runs: what the new targets list stays, confirmed")
  func honest() async throws {
    let device = try await device()
    let signer = try #require(device.feed.signer)
    signer.replaceReleaseKey(by: FeedSigner.key(50), on: device.feed)
    signer.sign(on: device.feed)
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    let launch = device.launch()
    #expect(launch.version == 31 && launch.release.standing == .confirmed)
    #expect(try device.updater().status().floor == .number(31))
    let before = Inventory(device.store)
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    #expect(Inventory(device.store) == before)
  }

  @Test("a check in a new epoch says what an update would do, and takes nothing away")
  func checkOnly() async throws {
    let device = try await device()
    try await take(Self.largest, device)
    try heal(device, from: Self.largest)
    try device.feed.publish(32)
    #expect(try await device.updater().check() == .available(.number(32), notes: nil))
    #expect(device.stored.contains(Self.largest))
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.stored == [31, 32])
  }
}
