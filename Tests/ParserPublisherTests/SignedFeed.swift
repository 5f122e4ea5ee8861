import OTACrypto
import OTAFeed
import OTAManifest
import OTAStorage
import OTATransfer
import OTATrust
import Synchronization
import TestSupport
import Testing

@testable import ParserPublisher

/// A key that is the same in every run.
func signer(_ number: UInt8) throws -> KeySigner {
  try KeySigner(PrivateKey(seed: [UInt8](repeating: number, count: 32)))
}

/// A signed feed in a folder: key 1 signs roots, key 2 releases.
final class SignedFeed: Sendable {
  let folder: TemporaryDirectory
  let feed: String
  let now = Mutex(TestFeed.date)

  init(
    keptReleases: Int? = nil, releaseKeys: [UInt8] = [2], releaseThreshold: Int = 1,
    expiry: ExpiryPolicy = ExpiryPolicy(), name: String? = "parsers"
  ) async throws {
    folder = try TemporaryDirectory()
    feed = folder.path("feed")
    _ = try await Publisher.initialise(
      InitRequest(
        directory: feed, keptReleases: keptReleases,
        trust: .signed(
          rootSigners: [try signer(1)], releaseSigners: try releaseKeys.map(signer), rootThreshold: 1,
          releaseThreshold: releaseThreshold, expiry: expiry), date: TestFeed.date, name: name))
  }

  var publisher: Publisher { Publisher(feed: feed) { [self] in now.withLock { $0 } } }
  var host: DirectoryHost { DirectoryHost(root: feed) }

  /// Lets days go by.
  func wait(days: Int64) { now.withLock { $0 = $0.advanced(bySeconds: days * 86_400) } }

  func request(
    _ marker: String, ids: [String] = ["ABC", "DEF"], keys: [UInt8] = [2],
    change: (inout PublishRequest) -> Void = { _ in }
  ) throws -> PublishRequest {
    try signedRequest(folder, marker, ids: ids, keys: keys, change: change)
  }

  @discardableResult
  func publish(
    _ marker: String, ids: [String] = ["ABC", "DEF"], keys: [UInt8] = [2],
    change: (inout PublishRequest) -> Void = { _ in }
  ) async throws -> PublishReport {
    try await publisher.publish(try request(marker, ids: ids, keys: keys, change: change))
  }

  func read(_ path: String) throws -> [UInt8] { try readFile(at: "\(feed)/\(path)", maxBytes: 100_000_000) }
  func tree() throws -> [String] { try listTree(feed) }

  /// Every file with its bytes, without the lock.
  func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for path in try tree() where path != "./.parser-ota/lock" {
      contents[String(path.dropFirst(2))] = try read(String(path.dropFirst(2)))
    }
    return contents
  }

  /// What a client finds that starts from the first root.
  func clientVersion(_ channel: Channel = .stable, days: Int64 = 0) async throws -> ReleaseVersion? {
    let moment = now.withLock { $0 }.advanced(bySeconds: days * 86_400)
    return try await SignedClient(firstRoot: try read("metadata/1.root.json")).version(
      host, channel, at: moment)
  }
}

func signedRequest(
  _ folder: TemporaryDirectory, _ marker: String, ids: [String], keys: [UInt8],
  change: (inout PublishRequest) -> Void = { _ in }
) throws -> PublishRequest {
  let bundle = folder.path("\(marker).js")
  let sources = folder.path("\(marker).json")
  try durablyReplaceFile(at: bundle, with: Fixtures.bundle(marker: marker, bytes: 2000))
  try durablyReplaceFile(at: sources, with: Fixtures.smallCatalog(ids: ids))
  var request = requestWithoutEngine(bundlePath: bundle, sourcesPath: sources)
  request.signers = try keys.map(signer)
  change(&request)
  return request
}

/// A device with a signed feed: it keeps what it trusted between runs.
struct SignedClient {
  let firstRoot: [UInt8]
  let store = MemoryMetadataStore()

  /// The newest release with both files fetched and verified; `nil` when nothing is published.
  func version(
    _ host: any FeedHost, _ channel: Channel = .stable, at now: Timestamp = TestFeed.date
  ) async throws -> ReleaseVersion? {
    let repository = TUFRepository(
      fetcher: OverlayFetcher(host: host, writes: []), metadataBase: "feed:/metadata",
      targetsBase: "feed:/files")
    var client = try TUFClient(repository: repository, store: store, shippedRoot: firstRoot, now: now)
    try await client.refresh()
    guard let target = try await client.targetInfo(channel.manifestPath) else { return nil }
    let manifest = try Manifest.decode(await Self.download(target, &client))
    for file in FeedLayout.ContentFile.allCases {
      let path = TargetsInventory.content(file, of: manifest).target
      let target = try #require(try await client.targetInfo(path))
      #expect(try ContentLookup.matches(await Self.download(target, &client), file.artifact(of: manifest)))
    }
    return manifest.version
  }

  private static func download(_ target: TargetDescription, _ client: inout TUFClient) async throws -> [UInt8]
  {
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return sink.bytes
  }
}
