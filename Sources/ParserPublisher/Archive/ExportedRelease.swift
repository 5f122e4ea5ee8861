internal import OTAFeed
internal import OTAManifest
internal import OTAStorage
internal import OTATransfer
internal import OTATrust
internal import Synchronization

/// A release on its way into an archive, verified, with the metadata that speaks for it.
struct ExportedRelease {
  let release: VerifiedManifest
  /// The newest manifest of the same channel: the release itself, or a newer one.
  let newest: VerifiedManifest
  /// Every root from the first on, timestamp, snapshot and targets; none on a feed that is not signed.
  let metadata: [FeedWrite]
  let trust: TrustStatus
}

// MARK: Signed

extension ExportedRelease {
  /// Reads a signed feed as a device that was shipped with its first root.
  static func signed(
    _ request: ExportRequest, from reader: FeedReader, firstRoot: [UInt8], now: Timestamp
  ) async throws(Problem) -> ExportedRelease {
    let store = CollectedMetadata(firstRoot: firstRoot)
    var client = try TUFClient(
      repository: try reader.repository, store: store, shippedRoot: firstRoot, now: now)
    try await client.refresh()
    if let given = request.root, !store.roots.contains(given) {
      throw Problem(
        .trustOtherFeed,
        "the given root is none of the \(store.roots.count) roots of \(reader.location.text)",
        advice: "give a root of this feed, as parser-ota embed writes it")
    }
    let release = try await signedRelease(request, &client)
    let channel = release.manifest.channel
    guard let pointer = try await manifest(channel.manifestPath, &client) else {
      throw Problem(.trustUnlisted, "\(channel.manifestPath) is not among the signed files")
    }
    try await client.requireSignedFiles(of: release.manifest)
    return ExportedRelease(
      release: release, newest: pointer, metadata: try store.files(client),
      trust: TrustStatus(name: Trust.root(firstRoot).name, client))
  }

  private static func signedRelease(
    _ request: ExportRequest, _ client: inout TUFClient
  ) async throws(Problem) -> VerifiedManifest {
    guard let version = request.version else {
      guard let live = try await manifest(request.channel.manifestPath, &client) else {
        throw noRelease(in: request.channel)
      }
      return live
    }
    guard let release = try await manifest(TargetsInventory.manifestPath(of: version), &client) else {
      let kept = client.topTargets?.paths.compactMap { TargetsInventory.version(ofManifest: $0) } ?? []
      throw noRelease(version, kept: kept)
    }
    return release
  }

  private static func manifest(
    _ path: String, _ client: inout TUFClient
  ) async throws(Problem) -> VerifiedManifest? {
    guard let target = try await client.targetInfo(path) else { return nil }
    let sink = MemorySink()
    try await client.download(target, into: sink)
    return try VerifiedManifest(unsigned: sink.bytes, name: path)
  }
}

// MARK: Not signed

extension ExportedRelease {
  static func unsigned(
    _ request: ExportRequest, from reader: FeedReader
  ) async throws(Problem) -> ExportedRelease {
    var release: VerifiedManifest?
    if let version = request.version {
      release = try await kept(version, reader)
      guard release != nil else { throw noRelease(version, kept: try await versions(reader)) }
    }
    let channel = release?.manifest.channel ?? request.channel
    let newest: VerifiedManifest
    do throws(Problem) {
      newest = try await Trust.checksumsOnly.authority.newestManifest(of: channel, from: reader)
    } catch  where [.fileMissing, .notFound].contains(error.code) && reader.isFolder {
      try await requireFeed(reader)
      throw noRelease(in: channel)
    }
    return ExportedRelease(
      release: release ?? newest, newest: newest, metadata: [],
      trust: TrustStatus(name: Trust.checksumsOnly.name, roles: []))
  }

  /// A release by its number: in a folder by its name, at an address by the manifests that lead to it.
  private static func kept(
    _ version: ReleaseVersion, _ reader: FeedReader
  ) async throws(Problem) -> VerifiedManifest? {
    let live = try await pointers(reader)
    if let found = live.first(where: { $0.manifest.version == version }) { return found }
    if case .directory(let root) = reader.location {
      let host = DirectoryHost(root: root)
      let name = try await FeedState.listReleases(host).filter { $0.version == version }
        .min { $0.manifest.hex < $1.manifest.hex }
      guard let name else { return nil }
      return try await FeedState.readRelease(name, host)
    }
    return try await chain(live, reader).first { $0.manifest.version == version }
  }

  /// The newest manifests of all channels that can be found.
  private static func pointers(_ reader: FeedReader) async throws(Problem) -> [VerifiedManifest] {
    var channels = [Channel.stable]
    if case .directory(let root) = reader.location {
      channels += try DirectoryHost(root: root).list(FeedLayout.channelsFolder).compactMap { Channel($0) }
    }
    var found: [VerifiedManifest] = []
    for channel in channels {
      do throws(Problem) {
        found.append(try await Trust.checksumsOnly.authority.newestManifest(of: channel, from: reader))
      } catch  where [.fileMissing, .notFound].contains(error.code) {
        continue
      }
    }
    return found
  }

  private static func chain(
    _ live: [VerifiedManifest], _ reader: FeedReader
  ) async throws(Problem) -> [VerifiedManifest] {
    guard let newest = live.max(by: { $0.manifest.version < $1.manifest.version }) else { return [] }
    return [newest] + (try await ReleaseChain.before(newest.manifest, reader))
  }

  private static func versions(_ reader: FeedReader) async throws(Problem) -> [ReleaseVersion] {
    let live = try await pointers(reader).map(\.manifest.version)
    guard case .directory(let root) = reader.location else {
      return try await chain(try await pointers(reader), reader).map(\.manifest.version)
    }
    try await requireFeed(reader)
    return live + (try await FeedState.listReleases(DirectoryHost(root: root))).map(\.version)
  }

  /// A folder without a release may be a feed that waits for its first one, or no feed at all.
  private static func requireFeed(_ reader: FeedReader) async throws(Problem) {
    guard case .directory(let root) = reader.location else { return }
    _ = try await FeedState.settings(of: DirectoryHost(root: root), place: root)
  }
}

// MARK: Refusals

extension ExportedRelease {
  private static func noRelease(in channel: Channel) -> Problem {
    Problem(
      .noSuchRelease, "channel \(channel) has no releases yet",
      advice: "parser-ota releases lists them with their channels")
  }

  private static func noRelease(_ version: ReleaseVersion, kept: [ReleaseVersion]) -> Problem {
    let list = Set(kept).sorted(by: >).prefix(20).map(\.description).joined(separator: ", ")
    return Problem(
      .noSuchRelease, "release \(version) is not on the feed; available: \(list.isEmpty ? "none" : list)",
      advice: "parser-ota releases lists them with their channels")
  }
}

/// Takes down each file of metadata that a client accepts, byte for byte, every root among them.
final class CollectedMetadata: TrustedMetadataStore {
  private let items = Mutex<[StoredMetadata: [UInt8]]>([:])
  private let chain: Mutex<[[UInt8]]>

  init(firstRoot: [UInt8]) { chain = Mutex([firstRoot]) }

  /// The roots in the order of their versions, from the first on.
  var roots: [[UInt8]] { chain.withLock { $0 } }

  func load(_ item: StoredMetadata) -> [UInt8]? { items.withLock { $0[item] } }
  func remove(_ item: StoredMetadata) { items.withLock { $0[item] = nil } }

  func store(_ bytes: [UInt8], as item: StoredMetadata) {
    items.withLock { $0[item] = bytes }
    guard item == .newest(role: "root") else { return }
    chain.withLock { roots in
      if roots.last != bytes { roots.append(bytes) }
    }
  }

  /// All of it under the names of a feed, roots first.
  func files(_ client: TUFClient) throws(Problem) -> [FeedWrite] {
    var files = roots.enumerated().map { index, bytes in
      FeedWrite(path: FeedLayout.metadata("root", Int64(index + 1)), bytes: bytes)
    }
    for (role, header) in client.headers where role != "root" {
      guard let bytes = load(.newest(role: role)) else {
        throw Problem(.feedIncomplete, "the \(role) metadata is missing")
      }
      let path = role == "timestamp" ? FeedLayout.timestamp : FeedLayout.metadata(role, header.version)
      files.append(FeedWrite(path: path, bytes: bytes))
    }
    return files
  }
}
