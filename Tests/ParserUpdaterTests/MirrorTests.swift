import OTAFeed
import OTAManifest
import OTAStorage
import TestSupport
import Testing
import UpdaterTestSupport

@testable import ParserUpdater

/// Copies of a feed on other hosts, for devices from which the feed itself cannot be reached.
@Suite("B96: mirrors")
struct MirrorTests {
  private static let refused = "http://127.0.0.1:1/"

  /// A device whose feed is at `feed` and whose mirrors are these servers.
  private func updater(_ device: Device, feed: String, mirrors: [LoopbackServer]) throws -> Updater {
    var configuration = device.configuration
    configuration.feed = try FeedLocation(feed)
    configuration.mirrors = try mirrors.map { try FeedLocation($0.url) }
    configuration.allowsPlainHTTPOnLoopback = true
    device.configuration = configuration
    return Updater(configuration)
  }

  private func serve(_ folder: String) throws -> LoopbackServer {
    try LoopbackServer { request in content(folder + request.path).map { .ranged($0, request) } ?? .notFound }
  }

  private func device(_ mode: TrustMode) throws -> Device {
    let signer = mode == .signed ? FeedSigner(now: .now) : nil
    return try Device(embedded: 30, feed: MemoryFeed(signer: signer))
  }

  @Test(
    "B96: the feed refuses connections: the first mirror that works is used, with its own copies of all files",
    arguments: TrustMode.allCases)
  func refusedFeed(mode: TrustMode) async throws {
    let device = try device(mode)
    let release = try device.feed.publish(31) { manifest in
      // As a publisher with a public base writes it: absolute, on the host that is out of reach.
      manifest.bundle = manifest.bundle.at("https://blocked.invalid/\(manifest.bundle.location.text)")
    }
    device.feed.put(
      release.bundle, at: "files/releases/31/\(release.manifest.bundle.sha256).parsers.bundle.js")
    device.feed.write(to: device.home.path("mirror"))
    let (empty, mirror) = (try serve(device.home.path("nothing")), try serve(device.home.path("mirror")))
    defer {
      empty.stop()
      mirror.stop()
    }
    let updater = try updater(device, feed: Self.refused, mirrors: [empty, mirror])
    #expect(try await updater.check() == .available(.number(31), notes: nil))
    #expect(try await updater.update() == .staged(.number(31)))
    #expect(mirror.requests.contains { $0.path.hasSuffix(".parsers.bundle.js") })
    #expect(device.launchAndConfirm() == 31)
    #expect(try device.updater().status().lastProblem == nil)
    #expect(try device.updater().history().contains { $0.kind == .staged && $0.text == "from \(mirror.url)" })
  }

  @Test("B96: a feed that answers is not passed over, and its mirrors are not asked")
  func feedFirst() async throws {
    let device = try device(.checksumsOnly)
    try device.feed.publish(31)
    device.feed.write(to: device.home.path("feed"))
    let (feed, mirror) = (try serve(device.home.path("feed")), try serve(device.home.path("feed")))
    defer {
      feed.stop()
      mirror.stop()
    }
    #expect(
      try await updater(device, feed: feed.url, mirrors: [mirror]).update() == .staged(.number(31)))
    #expect(mirror.requests.isEmpty)
  }

  @Test("B96: a mirror that lags lowers nothing", arguments: TrustMode.allCases)
  func olderMirror(mode: TrustMode) async throws {
    let device = try device(mode)
    device.configuration.feed = try FeedLocation(Self.refused)
    try device.feed.publish(31)
    device.feed.write(to: device.home.path("mirror"))
    try device.feed.publish(32)
    #expect(try await device.update() == .staged(.number(32)))
    #expect(device.launchAndConfirm() == 32)
    let mirror = try serve(device.home.path("mirror"))
    defer { mirror.stop() }
    let updater = try updater(device, feed: Self.refused, mirrors: [mirror])
    if mode == .signed {
      #expect(
        try await updater.check().lag?.served == 1,
        "what the mirror says tells more than that the feed is away")
      #expect(try device.updater().status().lastProblem == nil)
    } else {
      #expect(try await updater.check() == .older(.number(31), floor: .number(32)))
    }
    #expect(device.launch().version == 32 && device.stored == [32])
  }

  @Test(
    "B96: a mirror that serves other bytes is refused, and the next one is asked",
    arguments: TrustMode.allCases)
  func foreignBytes(mode: TrustMode) async throws {
    let device = try device(mode)
    let release = try device.feed.publish(31)
    device.feed.write(to: device.home.path("good"))
    device.feed.write(to: device.home.path("evil"))
    flipByte(in: device.home.path("evil/\(release.bundlePath)"))
    let (evil, good) = (try serve(device.home.path("evil")), try serve(device.home.path("good")))
    defer {
      evil.stop()
      good.stop()
    }
    let alone = try updater(device, feed: Self.refused, mirrors: [evil])
    #expect(await problem { _ = try await alone.update() }?.code == .digestMismatch)
    #expect(device.stored == [] && device.scratch == [])
    let both = try updater(device, feed: Self.refused, mirrors: [evil, good])
    #expect(try await both.update() == .staged(.number(31)))
    #expect(device.launch().release.bundle == release.bundle)
  }

  @Test("B96: when nothing answers the problem is that of the feed, and each mirror was asked once, in order")
  func nobody() async throws {
    let device = try device(.checksumsOnly)
    let mirrors = try (1...2).map { _ in try serve(device.home.path("nothing")) }
    defer { for mirror in mirrors { mirror.stop() } }
    let updater = try updater(device, feed: Self.refused, mirrors: mirrors)
    let problem = await problem { _ = try await updater.check() }
    #expect(problem?.code == .refused && problem?.message.contains(Self.refused) == true)
    #expect(mirrors.map(\.requests.count) == [1, 1])
    #expect(device.launch().version == 30)
  }

  @Test(
    "B96: what no mirror can change is not asked again: a busy store, a caller who cancelled, a full disk")
  func localProblems() async throws {
    for code in [
      ProblemCode.busy, .cancelled, .diskFull, .notPrivate, .noPermission, .cannotRead,
    ] {
      let asked = Asked()
      let sources = FeedSources(feed: MemoryFeed().reader, mirrors: [MemoryFeed().reader])
      let problem = await problem {
        try await sources.first { (_) throws(Problem) in
          await asked.count()
          throw Problem(code, "for this reason")
        }
      }
      #expect(problem?.code == code)
      #expect(await asked.times == 1)
    }
  }

  private actor Asked {
    var times = 0
    func count() { times += 1 }
  }
}

extension Artifact {
  /// The same file at another address.
  fileprivate func at(_ address: String) -> Artifact {
    guard let location = try? ArtifactLocation(address) else { return self }
    return Artifact(location: location, sha256: sha256, bytes: bytes)
  }
}

extension Timestamp {
  /// What the clock of this machine says.
  fileprivate static var now: Timestamp { Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()) }
}
