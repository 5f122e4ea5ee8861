import OTAManifest
import OTATrust
import Testing
import TrustFixtures

/// The rules of the workflow, one after the other, as values.
@Suite("Trusted metadata")
struct TrustedMetadataSetTests {
  private func start(_ feed: TestFeed) throws -> TrustedMetadataSet {
    try TrustedMetadataSet(trustedRoot: feed.rootBytes(), now: TestFeed.now)
  }

  /// A set that trusts all of a feed.
  private func complete(_ feed: TestFeed) throws -> TrustedMetadataSet {
    var set = try start(feed)
    #expect(try set.updateTimestamp(feed.timestampBytes()))
    try set.updateSnapshot(feed.snapshotBytes())
    try set.updateTargets(feed.targetsBytes(), of: .top)
    return set
  }

  private func reason(_ step: () throws -> Void) -> TrustError.Reason? {
    do {
      try step()
      return nil
    } catch {
      return (error as? TrustError)?.reason
    }
  }

  @Test("a whole feed is taken on, with and without digests", arguments: [false, true])
  func whole(hasHashes: Bool) throws {
    var feed = try TestFeed()
    feed.hasHashes = hasHashes
    let set = try complete(feed)
    let target = try #require(set.targets(of: .top)?.description(of: "a/file.txt"))
    #expect(target.length == 7)
    #expect(set.targets(of: .top)?.description(of: "a/other.txt") == nil)
  }

  // MARK: Root

  @Test("B82: the next root needs the old and the new keys")
  func rootRotation() throws {
    let feed = try TestFeed()
    var next = feed
    next.rootVersion = 2
    next.root = try TestFeed.Signers(11)
    var set = try start(feed)
    #expect(reason { try set.updateRoot(next.rootBytes()) } == .signature)
    #expect(reason { try set.updateRoot(signed(next.rootBody, by: feed.root.keys)) } == .signature)
    #expect(set.root.version == 1)
    try set.updateRoot(next.rootBytes(alsoBy: feed.root.keys))
    #expect(set.root.version == 2)
    var third = next
    third.rootVersion = 3
    #expect(reason { try set.updateRoot(signed(third.rootBody, by: feed.root.keys)) } == .signature)
    try set.updateRoot(third.rootBytes())
  }

  @Test("a root follows its predecessor by exactly one", arguments: [1, 2, 4, 100])
  func rootVersion(version: Int64) throws {
    var feed = try TestFeed()
    feed.rootVersion = 2
    var set = try start(feed)
    feed.rootVersion = version
    #expect(reason { try set.updateRoot(feed.rootBytes()) } == .rollback)
    #expect(set.root.version == 2)
  }

  @Test("an expired root leads to its successor, but to no timestamp")
  func expiredRoot() throws {
    var feed = try TestFeed()
    feed.expiry["root"] = "2026-06-01T00:00:00Z"
    var set = try start(feed)
    #expect(reason { try set.requireFreshRoot() } == .expired)
    #expect(reason { _ = try set.updateTimestamp(feed.timestampBytes()) } == .expired)
    feed.rootVersion = 2
    feed.expiry["root"] = "2026-06-01T00:00:01Z"
    try set.updateRoot(feed.rootBytes())
    #expect(try set.updateTimestamp(feed.timestampBytes()))
  }

  // MARK: Timestamp

  @Test("the same version again is nothing new, whatever it says")
  func sameTimestamp() throws {
    var feed = try TestFeed()
    feed.timestampVersion = 5
    var set = try start(feed)
    #expect(try set.updateTimestamp(feed.timestampBytes()))
    feed.announcedSnapshot = 100
    #expect(try !set.updateTimestamp(feed.timestampBytes()))
    #expect(set.timestamp?.snapshot.version == 1)
  }

  @Test("an older timestamp, or one with an older snapshot, is a rollback")
  func timestampRollback() throws {
    var feed = try TestFeed()
    (feed.timestampVersion, feed.snapshotVersion) = (5, 3)
    var set = try start(feed)
    _ = try set.updateTimestamp(feed.timestampBytes())
    feed.timestampVersion = 4
    #expect(reason { _ = try set.updateTimestamp(feed.timestampBytes()) } == .rollback)
    (feed.timestampVersion, feed.snapshotVersion) = (6, 2)
    #expect(reason { _ = try set.updateTimestamp(feed.timestampBytes()) } == .rollback)
    #expect(set.timestamp?.version == 5)
  }

  @Test("a stored timestamp that has expired still guards against rollback, and leads no further")
  func expiredStored() throws {
    var feed = try TestFeed()
    feed.timestampVersion = 5
    feed.expiry["timestamp"] = "2026-05-31T23:59:59Z"
    var set = try start(feed)
    try set.adoptStoredTimestamp(feed.timestampBytes())
    #expect(reason { try set.updateSnapshot(feed.snapshotBytes()) } == .expired)
    feed.expiry["timestamp"] = nil
    feed.timestampVersion = 4
    #expect(reason { _ = try set.updateTimestamp(feed.timestampBytes()) } == .rollback)
    feed.timestampVersion = 6
    #expect(try set.updateTimestamp(feed.timestampBytes()))
  }

  @Test("a leap second is the second after: metadata that expires in one is good until then")
  func leapSecond() throws {
    var feed = try TestFeed()
    for role in ["root", "timestamp", "snapshot", "targets"] { feed.expiry[role] = "2026-06-01T00:00:60Z" }
    _ = try complete(feed)
    feed.expiry["timestamp"] = "2026-05-31T23:59:60Z"
    #expect(reason { _ = try complete(feed) } == .expired, "that is midnight, which is now")
  }

  @Test("freeze: expired metadata of the feed is refused in every role, from the very second on")
  func freeze() throws {
    for role in ["timestamp", "snapshot", "targets"] {
      var feed = try TestFeed()
      feed.expiry[role] = "2026-06-01T00:00:00Z"
      #expect(reason { _ = try complete(feed) } == .expired)
      feed.expiry[role] = "2026-06-01T00:00:01Z"
      #expect(reason { _ = try complete(feed) } == nil)
    }
  }

  // MARK: Snapshot and targets

  @Test("mix and match: another version, or other bytes, than announced are refused")
  func mixAndMatch() throws {
    var feed = try TestFeed()
    feed.hasHashes = true
    var set = try start(feed)
    _ = try set.updateTimestamp(feed.timestampBytes())
    let spaced = try feed.snapshotBytes() + [0x20]
    #expect(reason { try set.updateSnapshot(spaced) } == .mismatch)
    try set.updateSnapshot(feed.snapshotBytes())
    var other = feed
    other.files["b"] = [1]
    #expect(reason { try set.updateTargets(other.targetsBytes(), of: .top) } == .mismatch)

    feed.hasHashes = false
    feed.announcedSnapshot = 2
    var second = try start(feed)
    _ = try second.updateTimestamp(feed.timestampBytes())
    #expect(reason { try second.updateSnapshot(feed.snapshotBytes()) } == .mismatch)
    var third = try start(TestFeed())
    _ = try third.updateTimestamp(TestFeed().timestampBytes())
    try third.updateSnapshot(TestFeed().snapshotBytes())
    var newer = try TestFeed()
    newer.targetsVersion = 2
    #expect(reason { try third.updateTargets(newer.targetsBytes(), of: .top) } == .mismatch)
  }

  @Test("a snapshot may neither take back a version nor forget a file")
  func snapshotRollback() throws {
    var feed = try TestFeed()
    (feed.snapshotVersion, feed.targetsVersion) = (3, 3)
    feed.delegated["other"] = [1]
    let stored = try feed.snapshotBytes()
    for change in [{ (feed: inout TestFeed) in feed.targetsVersion = 2 }, { $0.delegated = [:] }] {
      var next = feed
      (next.timestampVersion, next.snapshotVersion) = (2, 4)
      var set = try start(next)
      _ = try set.updateTimestamp(next.timestampBytes())
      #expect(try !set.adoptStoredSnapshot(stored))
      change(&next)
      #expect(reason { try set.updateSnapshot(next.snapshotBytes()) } == .rollback)
    }
  }

  @Test("a stored snapshot counts as the announced one only with its version, its digest and before its end")
  func storedSnapshot() throws {
    var feed = try TestFeed()
    feed.hasHashes = true
    var set = try start(feed)
    _ = try set.updateTimestamp(feed.timestampBytes())
    #expect(try set.adoptStoredSnapshot(feed.snapshotBytes()))
    #expect(try !set.adoptStoredSnapshot(feed.snapshotBytes() + [0x20]))
    feed.expiry["snapshot"] = "2026-05-01T00:00:00Z"
    #expect(try !set.adoptStoredSnapshot(feed.snapshotBytes()))
  }

  @Test("one role cannot speak for another")
  func otherRole() throws {
    let feed = try TestFeed()
    var set = try start(feed)
    let wrong = try signed(feed.snapshotBody(), by: feed.timestamp.keys)
    #expect(reason { _ = try set.updateTimestamp(wrong) } == .malformed)
    let unsigned = try signed(feed.timestampBody(), by: feed.snapshot.keys)
    #expect(reason { _ = try set.updateTimestamp(unsigned) } == .signature)
  }

  @Test("nothing is believed out of order")
  func order() throws {
    let feed = try TestFeed()
    var set = try start(feed)
    #expect(reason { try set.updateSnapshot(feed.snapshotBytes()) } == .unlisted)
    #expect(reason { try set.updateTargets(feed.targetsBytes(), of: .top) } == .unlisted)
    set = try complete(feed)
    #expect(reason { _ = try set.updateTimestamp(feed.timestampBytes()) } == .unlisted)
    #expect(reason { try set.updateRoot(feed.rootBytes()) } == .unlisted)
  }

  @Test("a stored snapshot that is not the announced one leads to no targets")
  func oldSnapshot() throws {
    var feed = try TestFeed()
    let stored = try feed.snapshotBytes()
    feed.snapshotVersion = 2
    var set = try start(feed)
    _ = try set.updateTimestamp(feed.timestampBytes())
    #expect(try !set.adoptStoredSnapshot(stored))
    #expect(set.snapshot == nil)
    #expect(reason { try set.updateTargets(feed.targetsBytes(), of: .top) } == .unlisted)
  }
}
