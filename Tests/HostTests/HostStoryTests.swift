import OTAFeed
import OTAManifest
import OTATrust
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// The life of a feed, with the same assertions wherever it is.
@Suite("A feed lives the same life on every host") struct HostStoryTests {
  @Test(
    "init, publish five times, roll back, rotate, refresh, prune, mirror", arguments: TestHost.Kind.allCases)
  func story(kind: TestHost.Kind) async throws {
    guard kind.isInstalled else { return }
    let place = try await TestHost.make(kind)
    let maintainer = try Maintainer(place.name)
    try await maintainer.begin(try place.connect(), kept: 3)
    for number in 1...5 as ClosedRange<Int64> {
      let report = try await maintainer.publish("release \(number)", try place.connect())
      #expect(report.manifest.version.number == number)
      maintainer.wait(seconds: 7200)
    }
    let root = try #require(try await place.connect().read(FeedLayout.firstRoot, maxBytes: 512_000))
    let device = Device(root: root)
    let now = maintainer.clock.withLock { $0 }
    #expect(try await device.version(try place.connect(), at: now) == 5)
    #expect(try await maintainer.publish("release 5", try place.connect()).outcome == .nothingToPublish)

    var back = RollbackRequest(channel: .stable)
    back.signers = [try Maintainer.key(2)]
    #expect(try await maintainer.publisher(try place.connect()).rollback(back).manifest.version.number == 6)
    #expect(try await device.version(try place.connect(), at: now) == 6)

    try await rotate(place, maintainer)
    #expect(
      try await maintainer.publish("release 7", try place.connect(), keys: [3]).manifest.version.number == 7)
    maintainer.wait(seconds: 86_400)
    let later = maintainer.clock.withLock { $0 }
    let refreshed = try await maintainer.publisher(try place.connect()).refresh(signers: [
      try Maintainer.key(3)
    ])
    #expect(refreshed.outcome == .refreshed)
    #expect(try await device.version(try place.connect(), at: later) == 7)

    try await prune(place, maintainer)
    try await expectWhole(try place.connect(), at: later, "\(kind)")
    try await mirror(place, maintainer, root, later)
  }

  private func rotate(_ place: TestHost, _ maintainer: Maintainer) async throws {
    let old = try Maintainer.key(2).publicKey.metadataID()
    let outcome = try await maintainer.publisher(try place.connect()).changeRoot(
      [.remove(keyID: old, from: .release), .add(try Maintainer.key(3).publicKey, to: .release)],
      signers: [try Maintainer.key(1), try Maintainer.key(3)])
    guard case .committed(let report) = outcome else {
      Issue.record("the root is not live: \(outcome)")
      return
    }
    #expect(report.version == 2)
  }

  /// What an interrupted publisher left goes, and only with a clear word.
  private func prune(_ place: TestHost, _ maintainer: Maintainer) async throws {
    let stray = "\(FeedLayout.releasesFolder)/4/\(String(repeating: "ab", count: 32)).parsers.bundle.js"
    let host = try place.connect()
    try await host.locked { () async throws(Problem) in _ = try await host.put(stray, [1, 2, 3]) }
    if host is GitHost {
      // Only steps that end are pushed.
      try await host.settle(.pointers)
    }
    let named = try await maintainer.publisher(try place.connect()).prune(isDryRun: true)
    #expect(named.paths.contains(stray) && !named.isDone)
    #expect(try await place.connect().read(stray, maxBytes: 10) == [1, 2, 3])
    #expect(try await maintainer.publisher(try place.connect()).prune(isDryRun: false).paths == named.paths)
    #expect(try await place.connect().read(stray, maxBytes: 10) == nil)
    #expect(try await maintainer.publisher(try place.connect()).prune(isDryRun: true).paths.isEmpty)
  }

  private func mirror(
    _ place: TestHost, _ maintainer: Maintainer, _ root: [UInt8], _ now: Timestamp
  ) async throws {
    let (source, copy) = (try TemporaryDirectory(), try await TestHost.make(.store))
    try await HostTree(host: try place.connect()).copy(into: source.path)
    let from = FeedLocation.directory(source.path)
    let publisher = maintainer.publisher(try copy.connect())
    let first = try await publisher.mirror(from: from, root: root, allowsPlainHTTPOnLoopback: false)
    #expect(first.version.number == 7 && first.writtenFiles.last == "manifest.json")
    #expect(try await Device(root: root).version(try copy.connect(), at: now) == 7)
    let again = try await publisher.mirror(from: from, root: root, allowsPlainHTTPOnLoopback: false)
    #expect(again.writtenFiles.isEmpty)
  }

  @Test(
    "ten publishers at once: one winner for each number, every loser is told, nothing is lost",
    arguments: TestHost.Kind.allCases)
  func race(kind: TestHost.Kind) async throws {
    guard kind.isInstalled else { return }
    let place = try await TestHost.make(kind)
    let maintainer = try Maintainer(place.name)
    try await maintainer.begin(try place.connect())
    try await maintainer.publish("first", try place.connect())
    let outcomes = await withTaskGroup(of: (Int, Result<Int64, Problem>).self) { group in
      for number in 0..<10 {
        group.addTask {
          do {
            let report = try await maintainer.publish("rival \(number)", try place.connect())
            return (number, .success(report.manifest.version.number))
          } catch {
            return (number, .failure(error as? Problem ?? Problem(.misuse, "\(error)")))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let won = outcomes.compactMap { try? $0.1.get() }.sorted()
    #expect(won == Array(2..<(2 + Int64(won.count))) && !won.isEmpty, "\(kind): \(won)")
    for case (_, .failure(let problem)) in outcomes {
      #expect([.conflict, .busy].contains(problem.code), "\(kind): \(problem)")
    }
    let root = try #require(try await place.connect().read(FeedLayout.firstRoot, maxBytes: 512_000))
    #expect(try await Device(root: root).version(try place.connect()) == won.last)
    try await expectWhole(try place.connect(), at: Maintainer.date, "\(kind)")
  }
}
