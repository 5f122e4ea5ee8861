import OTAManifest
import OTAStorage
import ParserPublisher
import Testing
import TestSupport

@Suite struct RetentionTests {
  @Test("the newest releases of a channel stay with every file that they name; what nobody names goes")
  func prune() async throws {
    let feed = try await TestFeed(keptReleases: 2)
    let first = try await feed.publish("one").manifest
    #expect(try await feed.publish("two").removedReleases.isEmpty)
    let third = try await feed.publish("three")
    #expect(third.removedReleases == [version(1)])
    #expect(try await feed.publisher.releases().map(\.version.number) == [3, 2])
    let tree = try feed.tree()
    #expect(!tree.contains("./\(first.bundle.location.text)"))
    // All three releases share the first one's catalog.
    #expect(tree.contains("./\(first.sources.location.text)"))
    try await feed.checkAsClient()
  }

  @Test(
    "a release that is live in its channel stays, however old it is; so does content that a roll back uses")
  func live() async throws {
    let feed = try await TestFeed(keptReleases: 1)
    let beta = try #require(Channel("beta"))
    try await feed.publish("beta") { $0.channel = beta }
    for marker in ["one", "two", "three"] { try await feed.publish(marker) }
    #expect(try await feed.publisher.releases().map(\.version.number) == [4, 1])
    _ = try await Publisher.initialise(InitRequest(directory: feed.feed, keptReleases: 2))
    try await feed.publish("four")
    let back = try await feed.publisher.rollback(RollbackRequest())
    #expect(back.manifest.content == version(4) && back.removedReleases == [version(4)])
    try await feed.checkAsClient()
  }

  @Test("a pointer that somebody set back by hand keeps its release, and no number is ever given twice")
  func pointerSetBack() async throws {
    let feed = try await TestFeed(keptReleases: 1)
    let beta = try #require(Channel("beta"))
    try await feed.publish("one")
    let old = try feed.read("manifest.json")
    _ = try await Publisher.initialise(InitRequest(directory: feed.feed, keptReleases: 2))
    try await feed.publish("two")
    try durablyReplaceFile(at: "\(feed.feed)/manifest.json", with: old)
    _ = try await Publisher.initialise(InitRequest(directory: feed.feed, keptReleases: 1))
    #expect(try await feed.publish("three") { $0.channel = beta }.manifest.version == version(3))
    #expect(try await feed.checkAsClient().version == version(1))
    #expect(try await feed.publish("two").manifest.version == version(4))
    try await feed.checkAsClient()
  }

  @Test("files that are none of ours are left alone")
  func foreignFiles() async throws {
    let feed = try await TestFeed(keptReleases: 1)
    try await feed.publish("one")
    let notes = "\(feed.feed)/files/releases/1/NOTES.txt"
    #expect(try run("/bin/cp", ["/etc/hostname", notes]).status == .exited(0))
    try await feed.publish("two", ids: ["ABC", "DEF", "GHI"])
    #expect(try feed.tree().contains("./files/releases/1/NOTES.txt"))
    #expect(try feed.tree().filter { $0.hasPrefix("./files/releases/1/") }.count == 1)
  }

  @Test("releases beyond the standard twenty go, oldest first")
  func standard() async throws {
    let feed = try await TestFeed()
    for number in 1...22 { try await feed.publish("\(number)") }
    #expect(try await feed.publisher.releases().map(\.version.number) == Array((3...22).reversed()))
  }
}
