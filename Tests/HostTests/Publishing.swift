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

/// A maintainer with keys and files, at work on any host.
final class Maintainer: Sendable {
  let folder: TemporaryDirectory
  let place: String
  let clock: Mutex<Timestamp>
  static let date = Timestamp(secondsSinceEpoch: 1_780_000_000)

  init(_ place: String) throws {
    folder = try TemporaryDirectory()
    self.place = place
    clock = Mutex(Self.date)
  }

  static func key(_ number: UInt8) throws -> KeySigner {
    try KeySigner(PrivateKey(seed: [UInt8](repeating: number, count: 32)))
  }

  func publisher(_ host: any FeedHost) -> Publisher {
    Publisher(host: host, place: place) { [self] in clock.withLock { $0 } }
  }

  /// Lets time go by.
  func wait(seconds: Int64) { clock.withLock { $0 = $0.advanced(bySeconds: seconds) } }

  func begin(_ host: any FeedHost, kept: Int? = nil, signed: Bool = true) async throws {
    let trust: InitTrust =
      signed
      ? .signed(rootSigners: [try Self.key(1)], releaseSigners: [try Self.key(2)]) : .checksumsOnly
    var request = InitRequest(
      directory: place, keptReleases: kept, trust: trust, date: Self.date, name: signed ? "parsers" : nil)
    request.host = host
    _ = try await Publisher.initialise(request)
  }

  func request(_ marker: String, keys: [UInt8] = [2]) throws -> PublishRequest {
    let (bundle, sources) = (folder.path("\(marker).js"), folder.path("\(marker).json"))
    try durablyReplaceFile(at: bundle, with: Fixtures.bundle(marker: marker, bytes: 2000))
    try durablyReplaceFile(at: sources, with: Fixtures.smallCatalog(ids: ["ABC", "DEF"]))
    var request = PublishRequest(bundlePath: bundle, sourcesPath: sources)
    request.gate.allowances = [Allowance(.noEngine)]
    request.signers = try keys.map(Self.key)
    return request
  }

  @discardableResult
  func publish(_ marker: String, _ host: any FeedHost, keys: [UInt8] = [2]) async throws -> PublishReport {
    try await publisher(host).publish(try request(marker, keys: keys))
  }
}

/// A device that was shipped with the first root of a feed, and looks at it through any host.
struct Device {
  let root: [UInt8]?
  let store = MemoryMetadataStore()

  /// The newest release with both files, verified; `nil` when nothing is published.
  func version(_ host: any FeedHost, at now: Timestamp = Maintainer.date) async throws -> Int64? {
    guard let root else { return try await plainVersion(host) }
    let repository = TUFRepository(
      fetcher: OverlayFetcher(host: host, writes: []), metadataBase: "feed:/metadata",
      targetsBase: "feed:/files")
    var client = try TUFClient(repository: repository, store: store, shippedRoot: root, now: now)
    try await client.refresh()
    guard let target = try await client.targetInfo("manifest.json") else { return nil }
    let manifest = try Manifest.decode(try await Self.download(target, &client))
    for file in FeedLayout.ContentFile.allCases {
      let path = TargetsInventory.content(file, of: manifest).target
      let target = try #require(try await client.targetInfo(path))
      #expect(try ContentLookup.matches(await Self.download(target, &client), file.artifact(of: manifest)))
    }
    return manifest.version.number
  }

  private func plainVersion(_ host: any FeedHost) async throws -> Int64? {
    guard let bytes = try await host.read("manifest.json", maxBytes: 1 << 20) else { return nil }
    let manifest = try Manifest.decode(bytes)
    for file in FeedLayout.ContentFile.allCases {
      _ = try await ContentLookup(host: host).bytes(of: file, in: manifest)
    }
    return manifest.version.number
  }

  private static func download(_ target: TargetDescription, _ client: inout TUFClient) async throws -> [UInt8]
  {
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return sink.bytes
  }
}

/// The problem that `body` throws; `nil` when it throws none.
func problem(_ body: () async throws -> Void) async -> Problem? {
  do {
    try await body()
    return nil
  } catch { return error as? Problem }
}

/// Reads the whole feed of a host as a stranger would, and expects nothing to be wrong with it.
func expectWhole(_ host: any FeedHost, at now: Timestamp, _ comment: Comment? = nil) async throws {
  let folder = try TemporaryDirectory()
  try await HostTree(host: host).copy(into: folder.path)
  let root = try await host.read(FeedLayout.firstRoot, maxBytes: FeedLayout.maxRootBytes)
  let report = try await Publisher.audit(FeedReader(.directory(folder.path)), root: root, now: now)
  #expect(report.findings.filter { $0.severity == .error }.isEmpty, comment)
}
