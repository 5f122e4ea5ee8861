import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// What a feed can undo at a distance, and what a thief with its release key cannot.
@Suite("Undo at a distance")
struct RemoteUndoStories {
  private func app(_ text: String) -> AppVersion? { AppVersion(text) }

  /// A device that runs 38 of a feed.
  private func device(_ mode: TrustMode, app version: String = "2.1.0", embedded: Int64 = 30) async throws
    -> Device
  {
    let device = try Device(embedded: embedded, feed: MemoryFeed(mode))
    device.configuration.app.version = app(version)
    try await device.take(37)
    try await device.take(38)
    return device
  }

  @Test("a word that apps run their embedded copy holds until a later release", arguments: TrustMode.allCases)
  func toEmbedded(mode: TrustMode) async throws {
    let device = try await device(mode)
    let word = try EmbeddedOnly(from: app("2.0.0"), through: app("2.3.0"))
    let release = try device.feed.publish(39, .init(of: 38)) { $0.embeddedOnly = word }
    // None of its files can be had, and the word counts all the same.
    device.feed.remove(release.bundlePath)
    let result = try await device.update()
    #expect(result == .unchanged(.notUsable(.number(39), .embeddedOnly(since: .number(39)))))
    let launch = device.launch()
    #expect(launch.version == 30 && launch.release.origin == .embedded)
    #expect(Set(launch.release.passedOver.map(\.code)) == ["embedded-only"])
    #expect(device.launch().version == 30)
    try device.feed.publish(40)
    #expect(try await device.update() == .staged(.number(40)))
    #expect(device.launchAndConfirm() == 40)
  }

  @Test("other apps take the release that carries the word as any other", arguments: ["1.9", "2.3.1"])
  func otherApps(version: String) async throws {
    let device = try await device(.signed, app: version)
    let word = try EmbeddedOnly(from: app("2.0.0"), through: app("2.3.0"))
    try device.feed.publish(39) { $0.embeddedOnly = word }
    #expect(try await device.update() == .staged(.number(39)))
    #expect(device.launchAndConfirm() == 39)
  }

  @Test("the word says nothing about a newer copy inside the app")
  func newerEmbedded() async throws {
    let device = try await device(.checksumsOnly)
    try device.feed.publish(39) { $0.embeddedOnly = try EmbeddedOnly() }
    _ = try await device.update()
    device.embed(try SampleRelease(41))
    #expect(device.launch().version == 41)
    #expect(try await device.update() == .unchanged(.upToDate(.number(41))))
  }

  @Test("a thief withdraws everything: the copy inside the app runs, and a new epoch brings all back")
  func stolenKey() async throws {
    let device = try await device(.signed)
    let signer = try #require(device.feed.signer)
    let kept = signer.books()
    // As many as a manifest can name, with the number that the thief likes.
    try device.feed.publish(2000, .init(of: 666)) {
      $0.withdrawn = (1...1024).map { .number($0) }
      $0.embeddedOnly = try EmbeddedOnly()
    }
    _ = try await device.update()
    #expect(device.launch().version == 30, "the copy inside the app is out of reach")
    let withdrawn = try device.updater().status().withdrawn
    #expect(withdrawn.count == 64 && withdrawn.first == .number(961), "one manifest takes back only so many")
    // The root's word: the key is revoked, and what it said is forgotten.
    signer.change { books in
      (books.files, books.versions) = (kept.files, [.targets: 900, .snapshot: 900, .timestamp: 900])
    }
    signer.replaceReleaseKey(by: FeedSigner.key(9), on: device.feed)
    signer.sign(on: device.feed)
    #expect(try await device.update() == .staged(.number(38)))
    #expect(device.launchAndConfirm() == 38)
    #expect(try device.updater().status().withdrawn == [])
  }
}
