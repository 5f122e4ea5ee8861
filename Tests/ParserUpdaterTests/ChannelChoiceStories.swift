import OTAManifest
import ParserUpdater
import TestSupport
import Testing
import UpdaterTestSupport

/// Channels that a person chooses, channels that end, and lines for older apps.
@Suite("A choice of channel, its end, and lines for older apps")
struct ChannelChoiceStories {
  private func channel(_ name: String) throws -> Channel { try #require(Channel(name)) }

  @Test("each channel has its own floor, staged release and list of failures", arguments: TrustMode.allCases)
  func own(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    let beta = try channel("beta")
    try await device.take(37)
    let content = SampleRelease.Content(of: 40)
    try device.feed.publish(40, content) { $0.channel = beta }
    let change = try device.updater().follow(beta)
    #expect(change.channel == beta && change.before == .stable && change.dropped == nil)
    #expect(try await device.update() == .staged(.number(40)))
    let launch = device.launch()
    #expect(launch.version == 40)
    _ = launch.updater.fail(launch.release, reason: "blank")
    #expect(try device.updater().status().rejected.map(\.version) == [.number(40)])
    // A newer one of beta waits when the device goes back: it never starts.
    try device.feed.publish(41) { $0.channel = beta }
    try await device.update()
    let back = try device.updater().follow(nil)
    #expect(back.channel == .stable && back.dropped == .number(41))
    #expect(device.launch().version == 37)
    #expect(device.stored.contains(41) == false)
    #expect(try device.updater().status().floor == .number(37))
    // What failed in beta is promoted: stable decides for itself.
    try device.feed.publish(42, content)
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.launchAndConfirm() == 42)
    try device.updater().follow(beta)
    #expect(try device.updater().status().rejected.map(\.version) == [.number(40)])
    #expect(try await device.update() == .staged(.number(41)))
    let events = try device.updater().history().filter { $0.kind == .channelChanged }
    #expect(events.count == 3 && events.allSatisfy { $0.text.contains("chosen on this device") })
  }

  @Test("a choice on a fresh device counts before anything was downloaded")
  func fresh() async throws {
    let device = try Device(embedded: 30)
    let beta = try channel("beta")
    try device.updater().follow(beta)
    try device.feed.publish(40) { $0.channel = beta }
    #expect(try await device.update() == .staged(.number(40)))
    #expect(try device.updater().channel().sentence.contains("chosen on this device in place of stable"))
  }

  @Test(
    "a channel that ended leads its devices to another, and back when it goes on",
    arguments: TrustMode.allCases)
  func retired(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    let beta = try channel("beta")
    device.configuration.channel = beta
    try device.feed.publish(40) { $0.channel = beta }
    try await device.update()
    #expect(device.launchAndConfirm() == 40)
    try device.feed.publish(41)
    try device.feed.publish(42, .init(of: 41)) { ($0.channel, $0.follow) = (beta, .stable) }
    #expect(try await device.update() == .staged(.number(41)))
    #expect(device.launchAndConfirm() == 41)
    #expect(try device.updater().channel().followed == .stable)
    try device.feed.publish(43) { $0.channel = beta }
    #expect(try await device.update() == .staged(.number(43)))
    #expect(device.launchAndConfirm() == 43)
    #expect(try device.updater().channel().followed == beta)
  }

  @Test("an app for an older contract follows the line of its contract", arguments: TrustMode.allCases)
  func line(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    device.configuration.app.contracts = [4]
    let line = try #require(Channel.stable.line(4))
    try device.feed.publish(40) { $0.contract = 4 }
    try await device.update()
    #expect(device.launchAndConfirm() == 40)
    try device.feed.publish(41) { ($0.contract, $0.beside) = (5, ["lines"]) }
    let result = try await device.update()
    #expect(
      result == .unchanged(.notUsable(.number(41), .contract(needed: 5, implemented: [4]))), "no line yet")
    #expect(device.launch().version == 40)
    try device.feed.publish(42) { ($0.contract, $0.channel) = (4, line) }
    #expect(try await device.update() == .staged(.number(42)))
    #expect(device.launchAndConfirm() == 42)
    #expect(try device.updater().channel().sentence.contains("the line of stable for this app"))
    // The line goes back on its own.
    try device.feed.publish(43, .init(of: 40)) {
      ($0.contract, $0.channel, $0.withdrawn) = (4, line, [.number(42)])
    }
    #expect(try await device.update() == .staged(.number(43)))
    #expect(device.launchAndConfirm() == 43)
    // The app learns contract 5.
    device.configuration.app.contracts = [4, 5]
    try device.feed.publish(44) { $0.contract = 5 }
    #expect(try await device.update() == .staged(.number(44)))
    #expect(device.launchAndConfirm() == 44)
    #expect(try device.updater().channel().followed == .stable)
  }

  @Test("a minimum app version chooses among lines", arguments: TrustMode.allCases)
  func minimum(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    device.configuration.app = AppCapabilities(version: AppVersion("2.0"), contracts: [5])
    let line = try #require(Channel.stable.line(5))
    try device.feed.publish(41) {
      ($0.contract, $0.minimumAppVersion, $0.beside) = (5, AppVersion("3.0"), ["lines"])
    }
    try device.feed.publish(42) { ($0.contract, $0.channel) = (5, line) }
    #expect(try await device.update() == .staged(.number(42)))
  }
}

/// Advisories: data that counts at once.
@Suite("Advisories on devices")
struct AdvisoryStories {
  private static let start = Timestamp(secondsSinceEpoch: 1_780_000_000)

  private func advisories(_ revision: Int64, domain: String? = "new.example") throws -> Advisories {
    var advisories = Advisories(channel: .stable, revision: revision, written: Self.start)
    let source = try #require(SourceID("ABC"))
    let texts = [AdvisoryText("moved"), AdvisoryText(locale: "de", "umgezogen")].compactMap(\.self)
    advisories.set(
      Advisory(
        source: source, state: .moved, texts: texts,
        until: Self.start.advanced(bySeconds: 7 * 86_400), domain: domain.flatMap { PublicHost($0) },
        since: Self.start))
    return advisories
  }

  @Test("they are applied at once, told to whoever listens, and run out", arguments: TrustMode.allCases)
  func applied(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try device.feed.publish(37) { $0.beside = ["advisories"] }
    try await device.update()
    let launch = device.launch()
    launch.confirm()
    let updater = device.updater()
    var changes = updater.advisoryChanges.makeAsyncIterator()
    #expect(await changes.next() == .some(nil))
    device.feed.put(try advisories(1))
    #expect(try await updater.check() == .upToDate(.number(37)))
    let change = await changes.next()
    let heard = try #require(change ?? nil)
    let advisory = try #require(heard.entries.first)
    #expect(advisory.text(for: "de-AT") == "umgezogen" && advisory.text(for: "fr") == "moved")
    // The release that runs is the same, and the app asks for the catalog with the new domain.
    let plain = try launch.release.catalog()
    let moved = try launch.release.catalog(applying: heard, at: device.now)
    #expect(moved[advisory.source]?.domain == "new.example")
    #expect(plain[advisory.source]?.domain != "new.example")
    #expect(moved.entries.count == plain.entries.count)
    // An older document changes nothing; the advisory runs out by itself.
    device.wait(seconds: 8 * 86_400)
    #expect(updater.advisories()?.entries.isEmpty == true)
    #expect(
      try launch.release.catalog(applying: heard, at: device.now)[advisory.source]?.domain != "new.example")
  }

  @Test("a document that cannot be read or had leaves what was heard", arguments: TrustMode.allCases)
  func damaged(mode: TrustMode) async throws {
    let device = try Device(embedded: 30, feed: MemoryFeed(mode))
    try device.feed.publish(37) { $0.beside = ["advisories"] }
    device.feed.put(try advisories(3))
    try await device.update()
    #expect(device.updater().advisories()?.revision == 3)
    device.feed.put(Array("{".utf8), document: "advisories.json")
    #expect(try await device.update() == .unchanged(.staged(.number(37))))
    #expect(device.updater().advisories()?.revision == 3)
    device.feed.put(try advisories(2))
    try await device.update()
    #expect(device.updater().advisories()?.revision == 3, "an old copy")
  }

  @Test(
    "only a public name replaces a domain",
    arguments: [
      "localhost", "10.0.0.1", "[::1]", "a.local", "router.lan", "single", "x.example:8080",
      "https://x.example",
      "x..example", "-x.example", "x.example/path", "user@x.example", "1.2.3.4", "ａ.example",
    ])
  func hosts(name: String) {
    #expect(PublicHost(name) == nil)
  }
}
