internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Brings the signed metadata of a feed back: each file must be one that the trusted ones before it announce.
///
/// A root proves itself by the root before it, the timestamp by the root, snapshot and targets by their digests, so
/// that a copy can have no say in what is trusted.
struct MetadataRepair {
  let host: any FeedHost
  let sources: RepairSources
  /// What is to be written, in order; nothing when all is there.
  private(set) var found: [(write: FeedWrite, source: String)] = []

  init(host: any FeedHost, sources: RepairSources) { (self.host, self.sources) = (host, sources) }

  /// Finds what is lost or damaged; what is right already is left alone.
  mutating func run() async throws(Problem) {
    let chain = try await roots()
    var last: Problem?
    for trusted in chain.trusted.reversed() {
      do throws(Problem) {
        return try await follow(trusted)
      } catch {
        // A root that was made since replaced the keys: then an older one knows who signed.
        last = last ?? error
      }
    }
    throw last ?? Self.lost(FeedLayout.timestamp)
  }

  private mutating func roots() async throws(Problem) -> RootChain {
    let names = try await host.list(FeedLayout.metadataFolder)
    let last = names.compactMap { FeedLayout.metadataVersion("root", inName: $0) }.max() ?? 1
    var chain: RootChain?
    for version in 1...max(last, 1) {
      let known = chain
      let bytes = try await file(FeedLayout.metadata("root", version), TrustLimits.standard.maxRootBytes) {
        bytes in
        do throws(Problem) {
          guard var next = known else { return try RootChain(first: bytes).newest.version == 1 }
          try next.append(bytes)
          return true
        } catch {
          return false
        }
      }
      if chain == nil { chain = try RootChain(first: bytes) } else { try chain?.append(bytes) }
    }
    guard let chain else { throw Self.lost(FeedLayout.metadata("root", 1)) }
    return chain
  }

  private mutating func follow(_ trusted: TrustedMetadataSet) async throws(Problem) {
    var set = trusted
    let limits = TrustLimits.standard
    let timestamp = try await file(FeedLayout.timestamp, limits.maxTimestampBytes) { bytes in
      var trial = trusted
      return Self.holds { () throws(TrustError) in _ = try trial.updateTimestamp(bytes) }
    }
    do {
      _ = try set.updateTimestamp(timestamp)
      let snapshotPath = FeedLayout.metadata("snapshot", try set.freshTimestamp().snapshot.version)
      let before = set
      let snapshot = try await file(snapshotPath, limits.maxSnapshotBytes) { bytes in
        var trial = before
        return Self.holds { () throws(TrustError) in try trial.updateSnapshot(bytes) }
      }
      try set.updateSnapshot(snapshot)
      let targetsPath = FeedLayout.metadata("targets", try set.description(of: "targets").version)
      let middle = set
      _ = try await file(targetsPath, limits.maxTargetsBytes) { bytes in
        var trial = middle
        return Self.holds { () throws(TrustError) in _ = try trial.updateTargets(bytes, of: .top) }
      }
    } catch let problem as Problem {
      throw problem
    } catch let error as TrustError {
      throw Problem(onFeed: error, FeedLayout.metadataFolder)
    } catch {
      throw Self.lost(FeedLayout.metadataFolder)
    }
  }

  /// Whether a file is the one that is looked for; why not is of no use, since there are others.
  private static func holds(_ step: () throws(TrustError) -> Void) -> Bool {
    do {
      try step()
      return true
    } catch {
      return false
    }
  }

  /// The bytes of a file: as they are, with plain line ends, or from a copy.
  private mutating func file(
    _ path: String, _ maxBytes: Int, _ isRight: ([UInt8]) -> Bool
  ) async throws(Problem) -> [UInt8] {
    if let bytes = try await local(path, 2 * maxBytes) {
      if isRight(bytes) { return bytes }
      let plain = bytes.filter { $0 != 0x0D }
      if isRight(plain) {
        found.append((FeedWrite(path: path, bytes: plain), "\(path) with plain line ends"))
        return plain
      }
    }
    if let copy = try await sources.find([path], maxBytes: maxBytes, { isRight($0) ? $0 : nil }) {
      found.append((FeedWrite(path: path, bytes: copy.bytes), copy.source))
      return copy.bytes
    }
    let strange = try await local(path, 2 * maxBytes).flatMap { StrangeContent($0) }
    throw Self.lost(path, strange?.message ?? "is missing or damaged")
  }

  private func local(_ path: String, _ maxBytes: Int) async throws(Problem) -> [UInt8]? {
    do throws(Problem) {
      return try await host.read(path, maxBytes: maxBytes)
    } catch  where error.code == .tooLarge || error.code == .wrongKind {
      return nil
    }
  }

  private static func lost(_ path: String, _ fault: String = "is missing or damaged") -> Problem {
    Problem(
      .feedIncomplete, "\(path) \(fault), and nothing signed can be read without it",
      kept: "nothing was changed", advice: "give a copy of the feed with --from FOLDER|URL")
  }
}
