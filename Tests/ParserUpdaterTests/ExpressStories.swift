import OTACrypto
import OTAFeed
import OTAManifest
import OTATransfer
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// A device and the express file of a signed feed: one request where all is well, the ordinary way where it is not.
@Suite("The express file")
struct ExpressStories {
  private let feed = MemoryFeed(signer: FeedSigner())
  private static let express = ExpressFile.path
  private static let day: Int64 = 86_400

  private var signer: FeedSigner {
    get throws { try #require(feed.signer) }
  }

  private func deviceWithExpress() throws -> Device {
    try signer.change { $0.hasExpress = true }
    return try Device(feed: feed)
  }

  @Test(
    "a first update is one request and the two files; a check with nothing new is one request without an answer"
  )
  func oneRequest() async throws {
    let device = try deviceWithExpress()
    let release = try feed.publish(31)
    #expect(try await device.updater().check() == .available(.number(31), notes: nil))
    #expect(feed.takeRequests() == [Self.express])
    #expect(try await device.update() == .staged(.number(31)))
    #expect(feed.takeRequests() == [Self.express, release.bundlePath, release.sourcesPath])
    #expect(device.launchAndConfirm() == 31)
    let before = Inventory(device.store)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    #expect(feed.takeRequests() == [Self.express, Self.express])
    #expect(Inventory(device.store) == before)
    try feed.publish(32)
    #expect(try await device.updater().check() == .available(.number(32), notes: nil))
    #expect(feed.takeRequests() == [Self.express])
  }

  @Test("a device that follows the feed already learns of the express file from its signed timestamp")
  func announced() async throws {
    let device = try Device(feed: feed)
    try await device.take(31)
    _ = feed.takeRequests()
    try signer.change { $0.hasExpress = true }
    try await device.take(32)
    #expect(feed.takeRequests().first == "metadata/2.root.json")
    #expect(try await device.updater().check() == .upToDate(.number(32)))
    #expect(feed.takeRequests() == [Self.express])
  }

  @Test("roots that came since are in it, and each is verified by the one before")
  func rotation() async throws {
    let device = try deviceWithExpress()
    try await device.take(31)
    try signer.rotateRoot(on: feed)
    try signer.replaceReleaseKey(by: FeedSigner.key(9), on: feed)
    _ = feed.takeRequests()
    let release = try feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(feed.takeRequests() == [Self.express, release.bundlePath, release.sourcesPath])
  }

  /// What can be wrong with the file, and what a device does about it.
  enum Wrong: String, CaseIterable {
    case absent, forbidden, staleByOne, mixed, truncated, cut, huge, page, random, empty, otherFeed,
      oldTimestampAlone
    case serverError, emptyArchive, manifestOfAnother, bomb
  }

  @Test("whatever is wrong with it, the update succeeds in the same run", arguments: Wrong.allCases)
  func wrong(_ wrong: Wrong) async throws {
    let device = try deviceWithExpress()
    try await device.take(31)
    let old = try #require(feed.files[Self.express])
    try feed.publish(32)
    let new = try #require(feed.files[Self.express])
    try spoil(wrong, old, new)
    _ = feed.takeRequests()
    let result = try await device.update()
    if [.staleByOne, .oldTimestampAlone].contains(wrong) {
      // No more than a host that withholds the timestamp can do, and for a day at most.
      #expect(result == .unchanged(.upToDate(.number(31))))
      device.wait(seconds: Self.day)
      #expect(try await device.update() == .staged(.number(32)))
      #expect(feed.takeRequests().filter { $0 == "metadata/timestamp.json" }.count == 1)
    } else {
      #expect(result == .staged(.number(32)), "\(wrong)")
    }
    #expect(device.launchAndConfirm() == 32)
    #expect(try await device.update() == .unchanged(.upToDate(.number(32))), "\(wrong)")
    #expect(device.scratch == [])
  }

  private func spoil(_ wrong: Wrong, _ old: [UInt8], _ new: [UInt8]) throws {
    func put(_ bytes: [UInt8]) { feed.put(bytes, at: Self.express) }
    let (before, after) = (try ExpressFile(decoding: old).parts, try ExpressFile(decoding: new).parts)
    switch wrong {
    case .absent: feed.remove(Self.express)
    case .forbidden: feed.answer(Self.express, .failure(.forbidden, status: 403))
    case .serverError: feed.answer(Self.express, .failure(.server, status: 503))
    case .staleByOne: put(old)
    case .mixed:
      var parts = before
      parts["metadata/timestamp.json"] = after["metadata/timestamp.json"]
      parts["metadata/2.snapshot.json"] = before["metadata/1.snapshot.json"]
      put(try #require(ExpressFile(parts: parts).encoded()))
    case .truncated: put(Array(new.dropLast(20)))
    case .cut: feed.answer(Self.express, .cut(after: new.count / 2))
    case .huge: put([UInt8](repeating: 7, count: 1 << 20))
    case .page: put(Array("<!doctype html><p>Sign in".utf8))
    case .random: put((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
    case .empty: put([])
    case .emptyArchive: put(try #require(ExpressFile(parts: [:]).encoded()))
    case .otherFeed:
      let other = MemoryFeed(signer: FeedSigner(seed: 50))
      other.signer?.change { $0.hasExpress = true }
      try other.publish(99)
      put(try #require(other.files[Self.express]))
    case .oldTimestampAlone:
      let parts = ["metadata/timestamp.json": before["metadata/timestamp.json"] ?? []]
      put(try #require(ExpressFile(parts: parts.merging(["metadata/9.root.json": [1]]) { $1 }).encoded()))
    case .manifestOfAnother:
      var parts = after
      for key in parts.keys where key.hasSuffix(".manifest.json") { parts[key] = Array("{}".utf8) }
      put(try #require(ExpressFile(parts: parts).encoded()))
    case .bomb:
      let zeros = [UInt8](repeating: 0, count: 900 << 10)
      put(try #require(ExpressFile(parts: after.merging(["zeros": zeros, "more": zeros]) { $1 }).encoded()))
    }
  }

  @Test("an old express file cannot take a device back, nor hide that the feed is out of date")
  func replay() async throws {
    let device = try deviceWithExpress()
    try await device.take(31)
    let old = try #require(feed.files[Self.express])
    try await device.take(32)
    feed.put(old, at: Self.express)
    #expect(try await device.update() == .unchanged(.upToDate(.number(32))))
    device.wait(seconds: 31 * Self.day)
    await #expect { try await device.update() } throws: { ($0 as? Problem)?.code == .trustExpired }
  }

  @Test("not modified is judged by the expiry of the stored timestamp")
  func frozen() async throws {
    let device = try deviceWithExpress()
    try signer.change { $0.days[.timestamp] = 0 }
    try signer.change { $0.days[.timestamp] = 1 }
    try await device.take(31)
    device.wait(seconds: Self.day - 10)
    #expect(try await device.updater().check() == .upToDate(.number(31)))
    device.wait(seconds: 20)
    await #expect { try await device.updater().check() } throws: { ($0 as? Problem)?.code == .trustExpired }
  }

  @Test("a publisher that does not know the express file delays a fix by a day at most")
  func oldPublisher() async throws {
    let device = try deviceWithExpress()
    try await device.take(31)
    try signer.change { $0.hasExpress = false }
    try feed.publish(32)
    #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    device.wait(seconds: Self.day)
    #expect(try await device.update() == .staged(.number(32)))
    _ = feed.takeRequests()
    #expect(try await device.updater().check() == .staged(.number(32)))
    #expect(feed.takeRequests() == ["metadata/2.root.json", "metadata/timestamp.json"])
  }

  @Test("what is remembered may be damaged or gone: the next update asks without a condition")
  func damagedNote() async throws {
    let device = try deviceWithExpress()
    try await device.take(31)
    let note = "\(device.store)/metadata/express-seen"
    #expect(content(note) != nil)
    for bytes in [Array("{".utf8), [], Array("{\"url\":1}".utf8)] {
      plant(bytes, at: note)
      #expect(try await device.update() == .unchanged(.upToDate(.number(31))))
    }
  }
}
