import OTAManifest
import OTAStorage
import Testing
import TestSupport

@testable import ParserPublisher

@Suite struct ConcurrencyTests {
  @Test("B80: of publishers at work at once, each release has one winner, and the others are told")
  func race() async throws {
    let feed = try await TestFeed()
    try await feed.publish("start")
    let requests = try (0..<4).map { number in
      let bundle = try feed.write("\(number).js", Fixtures.bundle(marker: "\(number)", bytes: 2000))
      let sources = try feed.write("\(number).json", Fixtures.smallCatalog(ids: ["ABC", "DEF"]))
      return requestWithoutEngine(bundlePath: bundle, sourcesPath: sources)
    }
    let outcomes = await withTaskGroup(of: Result<ReleaseVersion, Problem>.self) { group in
      for request in requests {
        group.addTask {
          do throws(Problem) {
            return .success(try await feed.publisher.publish(request).manifest.version)
          } catch { return .failure(error) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var winners: [ReleaseVersion] = []
    for outcome in outcomes {
      switch outcome {
      case .success(let version): winners.append(version)
      case .failure(let problem):
        #expect(problem.code == .conflict, "\(problem)")
        #expect(problem.message.contains("meanwhile"))
      }
    }
    // Whoever read the feed after a winner was done wins the next number; no number is won twice.
    #expect(!winners.isEmpty && Set(winners).count == winners.count)
    let newest = try #require(winners.max())
    #expect(newest.number == 1 + Int64(winners.count))
    #expect(try await feed.checkAsClient().version == newest)
  }

  @Test("B80: a release that was prepared on an older head is refused when its turn comes")
  func overtaken() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let publisher = feed.publisher
    let state = try await publisher.readState()
    let inputs = try feed.request("slow")
    let builder = DraftBuilder(
      request: inputs,
      inputs: try ReleaseInputs(bundlePath: inputs.bundlePath, sourcesPath: inputs.sourcesPath), state: state,
      lookup: publisher.lookup)
    guard case .draft(let draft, _, _) = try await builder.build(released: TestFeed.date) else {
      Issue.record("nothing to publish")
      return
    }
    let other = try await feed.publish("fast")
    let before = try feed.tree()
    let refused = await problem { _ = try await publisher.finish(draft, on: state, nil, dryRun: false) }
    #expect(refused?.code == .conflict)
    #expect(refused?.message == "release 2 was published by another publisher meanwhile")
    #expect(try feed.live() == other.manifest)
    #expect(try feed.tree() == before)
  }

  @Test("B80: an expected parent that is not the newest manifest stops the publish")
  func expectedParent() async throws {
    let feed = try await TestFeed()
    let first = try await feed.publish("one")
    let second = try await feed.publish("two") { $0.expectedParent = first.manifestDigest }
    let refused = await problem {
      try await feed.publish("three") { $0.expectedParent = first.manifestDigest }
    }
    #expect(refused?.code == .conflict)
    #expect(refused?.message.contains("release 2 with \(second.manifestDigest)") == true)
    let empty = try await TestFeed()
    #expect(
      await problem { try await empty.publish("one") { $0.expectedParent = first.manifestDigest } }?.code
        == .conflict)
  }

  @Test("a feed whose lock somebody holds is busy once the wait is over, and free when it is released")
  func busy() async throws {
    let feed = try await TestFeed()
    let host = DirectoryHost(root: feed.feed)
    let lock = try await host.lock(wait: .zero)
    #expect(await problem { _ = try await host.lock(wait: .milliseconds(30)) }?.code == .busy)
    await lock.release()
    try await host.lock(wait: .zero).release()
  }

  @Test("unfinished files of a killed publisher are removed by the next one")
  func leftovers() async throws {
    let feed = try await TestFeed()
    try await feed.publish("one")
    let tree = try feed.tree()
    for folder in ["", "/files/releases/1", "/.parser-ota"] {
      try durablyReplaceFile(at: "\(feed.feed)\(folder)/\(Directory.temporaryPrefix)1234", with: [1])
    }
    try await DirectoryHost(root: feed.feed).lock(wait: .zero).release()
    #expect(try feed.tree() == tree)
  }
}
