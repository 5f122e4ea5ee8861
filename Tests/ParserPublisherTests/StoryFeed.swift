import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import Synchronization
import TestSupport

/// A feed of either trust with a clock that the test moves: key 1 signs roots, key 2 releases.
final class StoryFeed: Sendable {
  let folder: TemporaryDirectory
  let feed: String
  let isSigned: Bool
  private let clock: Mutex<Timestamp>

  init(
    signed: Bool, keptReleases: Int? = nil, baseURL: WebAddress? = nil, start: Timestamp = TestFeed.date
  ) async throws {
    clock = Mutex(start)
    folder = try TemporaryDirectory()
    feed = folder.path("feed")
    isSigned = signed
    _ = try await Publisher.initialise(
      InitRequest(
        directory: feed, baseURL: baseURL, keptReleases: keptReleases,
        trust: signed
          ? .signed(rootSigners: [try signer(1)], releaseSigners: [try signer(2)]) : .checksumsOnly,
        date: start))
  }

  var now: Timestamp { clock.withLock { $0 } }
  var publisher: Publisher { Publisher(feed: feed) { [self] in now } }
  var signers: [any MetadataSigner] { get throws { isSigned ? [try signer(2)] : [] } }

  func wait(minutes: Int64) { clock.withLock { $0 = $0.advanced(bySeconds: minutes * 60) } }
  func wait(days: Int64) { wait(minutes: days * 1440) }

  func request(
    _ marker: String, ids: [String] = ["ABC", "DEF"], change: (inout PublishRequest) -> Void = { _ in }
  ) throws -> PublishRequest {
    try signedRequest(folder, marker, ids: ids, keys: isSigned ? [2] : [], change: change)
  }

  @discardableResult
  func publish(
    _ marker: String, ids: [String] = ["ABC", "DEF"], change: (inout PublishRequest) -> Void = { _ in }
  ) async throws -> Manifest {
    try await publisher.publish(try request(marker, ids: ids, change: change)).manifest
  }

  @discardableResult
  func rollback(
    to target: Int64? = nil, change: (inout RollbackRequest) -> Void = { _ in }
  ) async throws -> Manifest {
    var request = RollbackRequest(to: target.map(version), signers: try signers)
    change(&request)
    return try await publisher.rollback(request).manifest
  }

  func live() throws -> Manifest {
    try Manifest.decode(readFile(at: "\(feed)/manifest.json", maxBytes: 1 << 20))
  }

  /// What `verify` finds at this moment, as codes.
  func audit() async throws -> [String] {
    let root =
      isSigned ? try readFile(at: "\(feed)/metadata/1.root.json", maxBytes: 1 << 20) : nil
    return try await Publisher.audit(FeedReader(.directory(feed)), root: root, now: now).findings.map(\.code)
  }
}
