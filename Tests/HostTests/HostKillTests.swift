import Glibc
import OTAFeed
import OTAManifest
import OTATransfer
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// A publisher that is killed on its way, at each of its requests in turn, and one that comes after it.
@Suite struct HostKillTests {
  @Test(
    "killed at any request and run again: readers never go back and never miss a file, and the release is there",
    arguments: [false, true])
  func killed(isSigned: Bool) async throws {
    let place = FakeStore()
    let maintainer = try Maintainer("store")
    try await maintainer.begin(try TestHost.objectStore(place), kept: 4, signed: isSigned)
    try await maintainer.publish("release 1", try TestHost.objectStore(place), keys: isSigned ? [2] : [])
    let reader = try TestHost.objectStore(place)
    let root = isSigned ? try await reader.read(FeedLayout.firstRoot, maxBytes: 512_000) : nil
    let device = Device(root: root)
    var (stop, newest): (Int, Int64) = (0, 1)
    // About as many as a publish has; each further one kills a little later.
    for _ in 0..<200 {
      let line = MortalTransport(place, diesAfter: stop)
      let marker = "release \(newest + 1)"
      let died = await problem {
        try await maintainer.publish(marker, try TestHost.objectStore(line), keys: isSigned ? [2] : [])
      }
      let seen = try #require(try await device.version(try TestHost.objectStore(place)))
      #expect(seen == newest || seen == newest + 1, "stop \(stop)")
      guard line.isDead else {
        #expect(died == nil, "stop \(stop): \(String(describing: died))")
        break
      }
      _ = try await maintainer.publish(marker, try TestHost.objectStore(place), keys: isSigned ? [2] : [])
      newest += 1
      #expect(try await device.version(try TestHost.objectStore(place)) == newest, "stop \(stop)")
      // Steps of more than one, so that the default run stays short; the long one takes each.
      stop += HostLength.isLong ? 1 : 7
    }
    #expect(stop > 20)
    try await expectWhole(try TestHost.objectStore(place), at: Maintainer.date)
  }

  @Test(
    "killed at any step on any host and run again: nothing is lost, and readers see the old or the new release",
    arguments: HostLength.isLong ? TestHost.Kind.allCases : [.git, .deploy])
  func steps(kind: TestHost.Kind) async throws {
    guard kind.isInstalled else { return }
    let place = try await TestHost.make(kind)
    let maintainer = try Maintainer(place.name)
    try await maintainer.begin(try place.connect(), kept: 3)
    try await maintainer.publish("release 1", try place.connect())
    let root = try #require(try await place.connect().read(FeedLayout.firstRoot, maxBytes: 512_000))
    let device = Device(root: root)
    var (stop, newest): (Int, Int64) = (0, 1)
    for _ in 0..<100 {
      let marker = "release \(newest + 1)"
      let mortal = MortalHost(try place.connect(), diesAfter: stop)
      _ = await problem { try await maintainer.publish(marker, mortal) }
      let seen = try await device.version(try place.connect())
      #expect(seen == newest || seen == newest + 1, "\(kind), stop \(stop)")
      guard mortal.isDead else { break }
      _ = try await maintainer.publish(marker, try place.connect())
      newest += 1
      #expect(try await device.version(try place.connect()) == newest, "\(kind), stop \(stop)")
      stop += HostLength.isLong ? 1 : 4
    }
    #expect(stop > 8)
    try await expectWhole(try place.connect(), at: Maintainer.date, "\(kind)")
  }

  @Test(
    "a reader that never stops finds a whole feed while others publish",
    arguments: HostLength.isLong ? TestHost.Kind.allCases : [.folder, .store, .git])
  func reader(kind: TestHost.Kind) async throws {
    guard kind.isInstalled else { return }
    let place = try await TestHost.make(kind)
    let maintainer = try Maintainer(place.name)
    try await maintainer.begin(try place.connect(), kept: 4)
    try await maintainer.publish("release 1", try place.connect())
    let root = try #require(try await place.connect().read(FeedLayout.firstRoot, maxBytes: 512_000))
    let isOver = Mutex(false)
    async let seen: Int = {
      let device = Device(root: root)
      var (last, count): (Int64, Int) = (0, 0)
      while !isOver.withLock({ $0 }) {
        let version = try #require(try await device.version(try place.connect()))
        #expect(version >= last)
        (last, count) = (version, count + 1)
        // A loop without a pause would leave the publisher no thread to work on.
        try await Task.sleep(for: .milliseconds(5))
      }
      return count
    }()
    for number in 2...(HostLength.isLong ? 101 : 8) {
      try await maintainer.publish("release \(number)", try place.connect())
    }
    isOver.withLock { $0 = true }
    #expect(try await seen > 0)
  }

  @Test("the lock of a killed publisher is waited for, and that of a living one is busy")
  func locks() async throws {
    let place = FakeStore()
    let slow = { (line: any HostTransport) throws in try TestHost.objectStore(line, lease: .seconds(60)) }
    let living = try await slow(place).lock(wait: .zero)
    #expect(await problem { _ = try await slow(place).lock(wait: .milliseconds(300)) }?.code == .busy)
    await living.release()
    let line = MortalTransport(place)
    let dead = try TestHost.objectStore(line)
    let lock = try await dead.lock(wait: .zero)
    line.kill()
    let begin = ContinuousClock.now
    await (try TestHost.objectStore(place).lock(wait: .milliseconds(300))).release()
    #expect(.now - begin > .milliseconds(300))
    // What comes of it too late changes nothing.
    await lock.release()
  }

  @Test("a publisher that stalled for longer than its lock lasts writes nothing over the release of another")
  func stalled() async throws {
    let place = FakeStore()
    let maintainer = try Maintainer("store")
    try await maintainer.begin(try TestHost.objectStore(place), signed: false)
    let slow = try TestHost.objectStore(place)
    _ = try await slow.read("manifest.json", maxBytes: 1 << 20)
    try await maintainer.publish("release 1", try TestHost.objectStore(place), keys: [])
    // What it read is not what is there: the store refuses to replace it.
    let refused = await problem { try await slow.replace("manifest.json", with: [1]) }
    // Without a lock the store was never asked what it honours, so only a probed host can be sure.
    let probed = try TestHost.objectStore(place)
    let lock = try await probed.lock(wait: .seconds(1))
    _ = try await probed.read("manifest.json", maxBytes: 1 << 20)
    _ = try await TestHost.objectStore(place).replace("manifest.json", with: Array("{}".utf8))
    #expect(await problem { try await probed.replace("manifest.json", with: [1]) }?.code == .conflict)
    await lock.release()
    #expect(refused == nil || refused?.code == .conflict)
  }
}

/// Whether the long form of the stories was asked for, as `ci/hosts` does.
enum HostLength {
  static let isLong = getenv("PARSER_OTA_HOSTS_LONG") != nil
}
