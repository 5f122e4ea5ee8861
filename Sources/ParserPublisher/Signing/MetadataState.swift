internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// The signed metadata of a feed as it is live, verified from the first root on; what expired is read too.
struct MetadataState: Sendable {
  /// One file of metadata.
  struct File: Sendable {
    let version: Int64
    let expires: Timestamp
    let bytes: [UInt8]

    init(_ header: MetadataHeader, _ bytes: [UInt8]) {
      self.init(version: header.version, expires: header.expires, bytes: bytes)
    }

    init(version: Int64, expires: Timestamp, bytes: [UInt8]) {
      self.version = version
      self.expires = expires
      self.bytes = bytes
    }
  }

  let chain: RootChain
  let timestamp: File
  let snapshot: File
  let targets: File
  /// The files that the targets speak of, by their paths.
  let files: [String: FileEntry]
  /// When the timestamp says that it was signed; `nil` when it does not.
  let signedAt: Timestamp?
  /// How many seconds the feed wants between two checks; `nil` when it does not say.
  let checkInterval: Int64?
  /// Whether the keys of the newest root signed all of it; else a root was made since, and clients wait for new ones.
  let isTrustedByNewestRoot: Bool

  /// Reads strictly: what cannot be read or verified stops everything, and nothing is ever taken for "not there".
  static func read(from host: any FeedHost) async throws(Problem) -> MetadataState {
    guard let chain = try await RootChain.read(from: host) else {
      throw Problem(
        .feedIncomplete, "\(FeedLayout.metadata("root", 1)) is missing, although the feed is signed",
        advice: "restore \(FeedLayout.metadataFolder)/ from a backup of the feed")
    }
    let bytes = try await read(FeedLayout.timestamp, TrustLimits.standard.maxTimestampBytes, host)
    for (index, trusted) in chain.trusted.enumerated().reversed() {
      do {
        var set = trusted
        _ = try set.updateTimestamp(bytes)
        return try await read(bytes, set, chain, isNewest: index == chain.trusted.count - 1, host)
      } catch let error as TrustError where [.signature, .otherFeed].contains(error.reason) && index > 0 {
        // A root that was made since replaced the keys or named the feed; then an older one knows who signed.
        continue
      } catch let error as TrustError {
        throw Problem(onFeed: error, FeedLayout.timestamp)
      } catch let problem as Problem {
        throw problem
      } catch {
        break
      }
    }
    throw Problem(.trustMalformed, "\(FeedLayout.timestamp) cannot be read")
  }

  private static func read(
    _ timestamp: [UInt8], _ trusted: TrustedMetadataSet, _ chain: RootChain, isNewest: Bool,
    _ host: any FeedHost
  ) async throws(Problem) -> MetadataState {
    var set = trusted
    var place = FeedLayout.timestamp
    do {
      let newest = try set.freshTimestamp()
      // From before the feed was named, but never of another feed.
      if newest.header.feedName != nil { try newest.header.requireFeed(of: chain.newest, role: "timestamp") }
      place = FeedLayout.metadata("snapshot", newest.snapshot.version)
      let snapshot = try await read(place, TrustLimits.standard.maxSnapshotBytes, host)
      try set.updateSnapshot(snapshot)
      let announced = try set.description(of: "targets").version
      place = FeedLayout.metadata("targets", announced)
      let targets = try await read(place, TrustLimits.standard.maxTargetsBytes, host)
      let content = try set.updateTargets(targets, of: .top)
      guard let snapshotHeader = set.snapshot?.header else {
        throw TrustError(.unlisted, role: "snapshot", "is not there")
      }
      return MetadataState(
        chain: chain, timestamp: File(newest.header, timestamp), snapshot: File(snapshotHeader, snapshot),
        targets: File(content.header, targets), files: try entries(of: content),
        signedAt: newest.signedAt, checkInterval: newest.checkInterval, isTrustedByNewestRoot: isNewest)
    } catch let error as TrustError {
      throw Problem(onFeed: error, place)
    } catch let problem as Problem {
      throw problem
    } catch {
      throw Problem(.trustMalformed, "\(place) cannot be read")
    }
  }

  private static func read(
    _ path: String, _ maxBytes: Int, _ host: any FeedHost
  ) async throws(Problem) -> [UInt8] {
    if let bytes = try await host.read(path, maxBytes: maxBytes) {
      try Problem.requireOrdinary(bytes, path)
      return bytes
    }
    throw Problem(
      .feedIncomplete, "\(path) is missing, although the feed is signed",
      advice:
        "run the same command again; when that does not help, restore the file from a backup of the feed")
  }

  private static func entries(of targets: Targets) throws(TrustError) -> [String: FileEntry] {
    var entries: [String: FileEntry] = [:]
    for path in targets.paths {
      guard let target = targets.description(of: path), let bytes = target.hashes.known[.sha256],
        let digest = Digest(bytes: bytes)
      else {
        throw TrustError(.malformed, role: "targets", "gives no SHA-256 digest of \(path.printable())")
      }
      entries[path] = FileEntry(length: target.length, sha256: digest)
    }
    return entries
  }
}
