internal import OTAArchive
internal import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import OTATrust

extension Publisher {
  /// Puts a release into an archive, with all that a device needs to judge it without a network.
  ///
  /// The release and its metadata are verified first, as a new device verifies them. The same state of a feed gives the same
  /// bytes, wherever and whenever it is exported.
  public static func export(_ request: ExportRequest) async throws(Problem) -> ExportReport {
    try await export(request, now: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds()))
  }

  /// The same at another moment.
  package static func export(
    _ request: ExportRequest, now: Timestamp
  ) async throws(Problem) -> ExportReport {
    let reader = FeedReader(
      request.feed, allowsPlainHTTPOnLoopback: request.allowsPlainHTTPOnLoopback)
    let found = try await exported(request, from: reader, now: now)
    let content = ReleaseContent(reader: reader)
    var files = found.metadata + manifests(found)
    for file in [FeedLayout.ContentFile.sources, .bundle] {
      let bytes = try await content.bytes(of: file, in: found.release.manifest)
      if let refusal = ReleaseContent.refusal(file, bytes) { throw refusal }
      files.append(
        FeedWrite(path: TargetsInventory.content(file, of: found.release.manifest).path, bytes: bytes))
    }
    let archive = try packed(files, date: found.release.manifest.released)
    try await rehearse(archive, now)
    return ExportReport(
      archive: archive, digest: try ContentLookup.digest(of: archive), manifest: found.release.manifest,
      manifestDigest: found.release.digest, files: files.map { ($0.path, $0.bytes.count) },
      trust: found.trust)
  }

  /// Proves that a device that trusts the first root can take what is about to be written.
  private static func rehearse(_ archive: [UInt8], _ now: Timestamp) async throws(Problem) {
    let archive = try ReleaseArchive(archive, name: "the new archive")
    _ = try await ArchiveTrust(archive, root: nil).release(now: now)
  }

  private static func exported(
    _ request: ExportRequest, from reader: FeedReader, now: Timestamp
  ) async throws(Problem) -> ExportedRelease {
    guard let first = try await ownRoot(reader) else {
      guard request.root == nil else {
        throw Problem(
          .feedIncomplete, "\(request.feed.text) is not signed: it has no \(FeedLayout.firstRoot)",
          advice: "leave --root out for a feed that is not signed")
      }
      return try await ExportedRelease.unsigned(request, from: reader)
    }
    return try await ExportedRelease.signed(request, from: reader, firstRoot: first, now: now)
  }

  /// The first root of a feed; `nil` when the feed is not signed, or not yet.
  static func ownRoot(_ reader: FeedReader) async throws(Problem) -> [UInt8]? {
    if try isBeingSigned(reader) { return nil }
    if let own = try await readRoot(FeedLayout.firstRoot, reader) { return own }
    guard try await readRoot(FeedLayout.timestamp, reader) != nil else { return nil }
    throw Problem(
      .feedIncomplete, "\(reader.location.text) is signed, but its first root is missing",
      advice:
        "restore \(FeedLayout.firstRoot) from a backup of the feed, or with parser-ota repair --from DIR|URL")
  }

  private static func manifests(_ found: ExportedRelease) -> [FeedWrite] {
    let (release, newest) = (found.release, found.newest)
    let channel = newest.manifest.channel
    return [
      FeedWrite(path: channel.manifestPath, bytes: newest.bytes),
      FeedWrite(path: FeedLayout.pointerCopy(newest.digest, of: channel), bytes: newest.bytes),
      FeedWrite(
        path: FeedLayout.manifest(release.digest, of: release.manifest.version), bytes: release.bytes),
    ]
  }

  private static func packed(_ files: [FeedWrite], date: Timestamp?) throws(Problem) -> [UInt8] {
    do {
      var writer = try ArchiveWriter(
        date: date?.secondsSinceEpoch ?? 0, totalBytes: files.map(\.bytes.count).reduce(0, +))
      for file in files { try writer.add(file.path, file.bytes) }
      return try writer.finish()
    } catch {
      throw Problem(error, in: "the new archive")
    }
  }
}
