internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Every root of a feed from the first on, each verified by the one before; what expired is read too.
struct RootChain: Sendable {
  /// The files from version 1 on; a client may have been shipped with any of them.
  private(set) var files: [[UInt8]]
  /// What is trusted after each root, at a moment when nothing has expired.
  private(set) var trusted: [TrustedMetadataSet]

  /// Starts with the first root.
  init(first bytes: [UInt8]) throws(Problem) {
    do {
      let first = try TrustedMetadataSet(trustedRoot: bytes, now: Timestamp(secondsSinceEpoch: 0))
      guard first.root.version == 1 else {
        throw TrustError(.mismatch, role: "root", "has version \(first.root.version), not 1")
      }
      trusted = [first]
      files = [bytes]
    } catch let error as TrustError {
      throw Problem(onFeed: error, FeedLayout.metadata("root", 1))
    } catch {
      throw Problem(.trustMalformed, "\(FeedLayout.metadata("root", 1)) cannot be read")
    }
  }

  /// The newest root, as clients will have it.
  var newest: Root { trusted[trusted.count - 1].root }
  /// The file of the newest root.
  var newestFile: [UInt8] { files[files.count - 1] }

  /// Adds the next root, signed by the keys of the newest one and by its own.
  mutating func append(_ bytes: [UInt8]) throws(Problem) {
    var next = trusted[trusted.count - 1]
    do {
      try next.updateRoot(bytes)
    } catch {
      throw Problem(onFeed: error, FeedLayout.metadata("root", newest.version + 1))
    }
    files.append(bytes)
    trusted.append(next)
  }

  /// Reads all roots; `nil` when the feed has none.
  static func read(from host: any FeedHost) async throws(Problem) -> RootChain? {
    let names = try await host.list(FeedLayout.metadataFolder)
    let last = names.compactMap { FeedLayout.metadataVersion("root", inName: $0) }.max()
    guard let last else { return nil }
    var chain: RootChain?
    var version: Int64 = 1
    while version <= last {
      let path = FeedLayout.metadata("root", version)
      guard let bytes = try await host.read(path, maxBytes: TrustLimits.standard.maxRootBytes) else {
        throw Problem(
          .feedIncomplete, "\(path) is missing: clients that know older roots get no further",
          advice: "restore the file from a backup of the feed")
      }
      try Problem.requireOrdinary(bytes, path)
      if chain == nil { chain = try RootChain(first: bytes) } else { try chain?.append(bytes) }
      version += 1
    }
    return chain
  }
}

extension Problem {
  /// Refuses what version control or a host left in place of metadata, by its name.
  static func requireOrdinary(_ bytes: [UInt8], _ path: String) throws(Problem) {
    guard let strange = StrangeContent(bytes) else { return }
    throw Problem(.trustMalformed, "\(path) \(strange.message)", advice: strange.advice)
  }

  /// Metadata on the feed that its own publisher cannot believe.
  init(onFeed error: TrustError, _ path: String) {
    self.init(
      Problem(error).code, "\(path): \(error.message)",
      advice: "restore \(FeedLayout.metadataFolder)/ from a backup of the feed")
  }
}
