import OTAFeed
import OTAManifest
import OTAStorage
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

@Suite struct SignedInterruptionTests {
  /// A signed feed in memory with release 1 live, and clients that know it.
  struct Setting {
    let folder: TemporaryDirectory
    let host = MemoryHost()
    let newcomerRoot: [UInt8]
    let client: SignedClient
    var publisher: Publisher { Publisher(host: host, place: "memory") { TestFeed.date } }
    /// All but the page for people, which after an interruption does not know what a release changed.
    var withoutPage: [String: [UInt8]] {
      host.files.filter { ![FeedLayout.page, FeedLayout.pageMemory].contains($0.key) }
    }

    init() async throws {
      let feed = try await SignedFeed()
      folder = feed.folder
      let contents = try feed.contents()
      host.state.withLock { $0.files = contents }
      newcomerRoot = try feed.read("metadata/1.root.json")
      client = SignedClient(firstRoot: newcomerRoot)
      _ = try await publisher.publish(signedRequest(folder, "one", ids: ["ABC"], keys: [2]))
      #expect(try await client.version(host) == version(1))
    }

    func second() throws -> PublishRequest {
      try signedRequest(folder, "two", ids: ["ABC", "DEF"], keys: [2])
    }

    /// What a client that was here before, one that is new and one that knows no signatures find.
    func versions() async throws -> [Int64?] {
      [
        try await client.version(host)?.number,
        try await SignedClient(firstRoot: newcomerRoot).version(host)?.number,
        try host.clientVersion()?.number,
      ]
    }
  }

  @Test(
    "B41: whichever write fails, every client sees a whole release, and the same command finishes the job",
    arguments: 1...10)
  func failure(number: Int) async throws {
    let undisturbed = try await Setting()
    undisturbed.host.failAtPut(nil)
    _ = try await undisturbed.publisher.publish(undisturbed.second())
    // The page for people and what it remembers are written when all else is out.
    #expect(undisturbed.host.puts.count == 12)

    let setting = try await Setting()
    setting.host.failAtPut(number)
    let refused = await problem { _ = try await setting.publisher.publish(setting.second()) }
    #expect(refused?.code == .storageFailed)
    #expect(try await setting.versions() == (number >= 9 ? [2, 2, 1] : [1, 1, 1]))
    #expect(
      refused?.kept?.hasPrefix(number >= 9 ? "release 2 is signed and live" : "release 1 is still live")
        == true)
    setting.host.failAtPut(nil)
    let report = try await setting.publisher.publish(setting.second())
    #expect(report.outcome == (number >= 9 ? .nothingToPublish : .published))
    #expect(report.manifest.version == version(2) && report.writtenFiles.last == "manifest.json")
    #expect(try await setting.versions() == [2, 2, 2])
    #expect(setting.withoutPage == undisturbed.withoutPage)
  }

  @Test("an interrupted roll back is finished once, not done a second time", arguments: 1...8)
  func rollback(number: Int) async throws {
    func prepared() async throws -> Setting {
      let setting = try await Setting()
      _ = try await setting.publisher.publish(setting.second())
      _ = try await setting.publisher.publish(
        signedRequest(setting.folder, "three", ids: ["ABC", "DEF"], keys: [2]))
      #expect(try await setting.versions() == [3, 3, 3])
      return setting
    }
    let undisturbed = try await prepared()
    undisturbed.host.failAtPut(nil)
    _ = try await undisturbed.publisher.rollback(RollbackRequest(signers: [try signer(2)]))
    #expect(undisturbed.host.puts.count == 10)

    let setting = try await prepared()
    setting.host.failAtPut(number)
    #expect(await problem { try await roll(setting) }?.code == .storageFailed)
    #expect(try await setting.versions() == (number >= 7 ? [4, 4, 3] : [3, 3, 3]))
    setting.host.failAtPut(nil)
    try await roll(setting)
    #expect(try await setting.versions() == [4, 4, 4])
    #expect(setting.withoutPage == undisturbed.withoutPage)
  }

  private func roll(_ setting: Setting) async throws {
    _ = try await setting.publisher.rollback(RollbackRequest(signers: [try signer(2)]))
  }

  @Test("other content after an interruption takes the number and the versions of the metadata")
  func otherContent() async throws {
    let setting = try await Setting()
    setting.host.failAtPut(8)
    #expect(await problem { _ = try await setting.publisher.publish(setting.second()) } != nil)
    setting.host.failAtPut(nil)
    let other = try signedRequest(setting.folder, "other", ids: ["ABC"], keys: [2])
    #expect(try await setting.publisher.publish(other).manifest.version == version(2))
    #expect(try await setting.versions() == [2, 2, 2])
    #expect(setting.host.files["metadata/4.targets.json"] == nil)
  }

  @Test(
    "a refresh that fails at any write leaves the old signatures, and works the next time", arguments: 1...3)
  func refresh(number: Int) async throws {
    let setting = try await Setting()
    let before = setting.host.files
    setting.host.failAtPut(number)
    let keys = [try signer(2)]
    #expect(await problem { _ = try await setting.publisher.refresh(signers: keys, force: true) } != nil)
    #expect(setting.host.files["metadata/timestamp.json"] == before["metadata/timestamp.json"])
    #expect(try await setting.versions() == [1, 1, 1])
    setting.host.failAtPut(nil)
    #expect(try await setting.publisher.refresh(signers: keys, force: true).roles.count == 3)
    #expect(try await setting.versions() == [1, 1, 1])
  }

  @Test("somebody who signs meanwhile is a conflict, found by the timestamp")
  func signedMeanwhile() async throws {
    let setting = try await Setting()
    let keys = [try signer(2)]
    let state = try await setting.publisher.readState()
    _ = try await setting.publisher.refresh(signers: keys, force: true)
    var request = try setting.second()
    request.dryRun = true
    let signing = try #require(try setting.publisher.signing(keys, nil, state, isDryRun: false))
    let inputs = try ReleaseInputs(bundlePath: request.bundlePath, sourcesPath: request.sourcesPath)
    let builder = DraftBuilder(
      request: request, inputs: inputs, state: state, lookup: setting.publisher.lookup)
    guard case .draft(let draft, _, _) = try await builder.build(released: TestFeed.date) else {
      Issue.record("no draft")
      return
    }
    let refused = await problem { _ = try await setting.publisher.commit(signing).run(draft, basedOn: state) }
    #expect(refused?.code == .conflict)
    #expect(try await setting.versions() == [1, 1, 1])
  }
}
