internal import OTAManifest
internal import OTATrust

/// Moves the commit point of a signed feed; the caller holds the lock and has written everything else.
struct MetadataCommit {
  let host: any FeedHost

  /// Replaces the timestamp unless somebody else did since `live` was read.
  func moveTimestamp(_ plan: MetadataPlan, from live: MetadataState?) async throws(Problem) {
    let path = plan.timestamp.path
    let current = try await host.read(path, maxBytes: TrustLimits.standard.maxTimestampBytes)
    guard current == live?.timestamp.bytes else { throw ReleaseCommit.signedMeanwhile }
    try await host.replacePointer(path, with: plan.timestamp.bytes)
  }

  /// Writes files whose names carry versions or digests, and reads them back.
  func write(_ files: [FeedWrite]) async throws(Problem) -> [String] {
    var written: [String] = []
    for file in files where try await host.putImmutable(file.path, file.bytes) {
      guard try await host.read(file.path, maxBytes: file.bytes.count) == file.bytes else {
        throw Problem(
          .digestMismatch, "\(file.path) does not have the bytes that were written to it",
          advice: "check the disk and other programs that write to the feed, then run the same command again")
      }
      written.append(file.path)
    }
    return written
  }
}
