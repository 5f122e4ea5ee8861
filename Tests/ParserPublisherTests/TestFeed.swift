import OTAFeed
import OTAManifest
import OTAStorage
import ParserPublisher
import TestSupport

/// A feed in a folder, and the inputs that are published into it.
final class TestFeed: Sendable {
  let folder: TemporaryDirectory
  let feed: String
  static let date = Timestamp(secondsSinceEpoch: 1_780_000_000)

  init(baseURL: String? = nil, keptReleases: Int? = nil) async throws {
    folder = try TemporaryDirectory()
    feed = folder.path("feed")
    _ = try await Publisher.initialise(
      InitRequest(
        directory: feed, baseURL: try baseURL.map { try WebAddress($0) }, keptReleases: keptReleases))
  }

  var publisher: Publisher { Publisher(feed: feed) { Self.date } }

  /// Writes an input file and returns its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try durablyReplaceFile(at: folder.path(name), with: bytes)
    return folder.path(name)
  }

  /// A request for a small bundle and a catalog with these ids.
  func request(
    _ marker: String, ids: [String] = ["ABC", "DEF"], change: (inout PublishRequest) -> Void = { _ in }
  ) throws -> PublishRequest {
    try request(
      bundle: Fixtures.bundle(marker: marker, bytes: 2000), sources: Fixtures.smallCatalog(ids: ids),
      change: change)
  }

  func request(
    bundle: [UInt8], sources: [UInt8], change: (inout PublishRequest) -> Void = { _ in }
  ) throws -> PublishRequest {
    var request = requestWithoutEngine(
      bundlePath: try write("parsers.bundle.js", bundle), sourcesPath: try write("sources.json", sources))
    request.date = Self.date
    change(&request)
    return request
  }

  @discardableResult
  func publish(
    _ marker: String, ids: [String] = ["ABC", "DEF"], change: (inout PublishRequest) -> Void = { _ in }
  ) async throws -> PublishReport {
    try await publisher.publish(try request(marker, ids: ids, change: change))
  }

  /// The bytes of a file of the feed.
  func read(_ path: String) throws -> [UInt8] { try readFile(at: "\(feed)/\(path)", maxBytes: 100_000_000) }

  func live(_ channel: Channel = .stable) throws -> Manifest {
    try Manifest.decode(read(channel.manifestPath))
  }

  /// Every file below the feed with its path, sorted.
  func tree() throws -> [String] { try listTree(feed) }

  /// What a client sees: the newest manifest and both of its files, verified.
  @discardableResult
  func checkAsClient() async throws -> Manifest {
    let root = try tree().contains("./metadata/1.root.json") ? read("metadata/1.root.json") : nil
    let report = try await Publisher.audit(
      FeedReader(.directory(feed)), root: root, now: TestFeed.date)
    guard report.findings.isEmpty else { throw Unsound(findings: report.findings) }
    return try live()
  }

  struct Unsound: Error { let findings: [AuditFinding] }
}

/// A request for tests of something else than the gate: there is no engine, and that is allowed.
func requestWithoutEngine(bundlePath: String, sourcesPath: String) -> PublishRequest {
  var request = PublishRequest(bundlePath: bundlePath, sourcesPath: sourcesPath)
  request.gate.allowances = [Allowance(.noEngine)]
  return request
}

/// Every file below a folder with its path, sorted.
func listTree(_ root: String) throws -> [String] {
  let result = try run("/usr/bin/find", [".", "-type", "f"], directory: root)
  return result.output.split(separator: "\n").map(String.init).sorted()
}

/// The problem that `body` throws; `nil` when it throws none.
func problem(_ body: () async throws -> Void) async -> Problem? {
  do {
    try await body()
    return nil
  } catch { return error as? Problem }
}

func version(_ number: Int64) -> ReleaseVersion {
  guard let version = ReleaseVersion(number) else { preconditionFailure("\(number) is no version") }
  return version
}
