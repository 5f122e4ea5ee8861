public import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import OTATrust

extension Publisher {
  /// Checks every file of a feed, as a stranger would who only knows its address and perhaps its root.
  ///
  /// With a root, signatures, every signed file and every expiry are checked too. Without one, a folder is judged by
  /// its own `metadata/1.root.json`, and a feed on the network by its checksums alone; either is a finding. What is
  /// wrong becomes findings; only a newest manifest that cannot be had is thrown.
  public static func audit(
    _ location: FeedLocation, root: [UInt8]? = nil, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) -> AuditReport {
    let now = Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    // By such a clock nothing can be said about dates.
    if let impossible = ClockCheck(now: now).impossible { throw impossible }
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    return try await audit(reader, root: root, now: now)
  }

  /// The same for another reader and moment.
  package static func audit(
    _ reader: FeedReader, root: [UInt8]?, now: Timestamp
  ) async throws(Problem) -> AuditReport {
    if let archive = reader.archive {
      var audit = ArchiveAudit(archive, root: root, now: now)
      return await audit.run()
    }
    let caches = CacheAudit()
    let reader = caches.listening(to: reader)
    var audit = FeedAudit(reader: reader)
    var report = try await audit.run()
    let (root, note) = try await chooseRoot(root, reader)
    if let note { report.findings.append(note) }
    let isSigned = root != nil || note != nil
    if let finding = await FallbackAudit(reader: reader).finding(isSigned: isSigned) {
      report.findings.append(finding)
    }
    var mutable = report.channels.map(\.manifestPath)
    var signedAt: Timestamp?
    if let root {
      var signed = SignedAudit(
        reader: reader, root: root, now: now, verified: audit.verified, policy: expiryPolicy(reader),
        pending: try pending(reader))
      report.trust = await signed.run(audit.releases, channels: report.channels)
      report.findings += signed.findings
      report.filesChecked += signed.filesChecked
      report.bytesChecked += signed.bytesChecked
      signedAt = signed.signedAt
      mutable.append(FeedLayout.timestamp)
    }
    report.findings += DateAudit.findings(audit.releases, signedAt: signedAt, now: now)
    report.findings += try caches.findings(for: mutable, of: reader)
    return report
  }

  /// The release that a publisher in a folder has not finished; what it left behind is no damage.
  private static func pending(_ reader: FeedReader) throws(Problem) -> Digest? {
    guard case .directory(let root) = reader.location else { return nil }
    let host = DirectoryHost(root: root)
    guard let bytes = try host.read(FeedLayout.pending, maxBytes: 4096) else { return nil }
    return try FeedState.pendingName(bytes).manifest
  }

  /// How long this feed signs for: its settings say so in a folder, the usual days count elsewhere.
  private static func expiryPolicy(_ reader: FeedReader) -> ExpiryPolicy {
    guard case .directory(let root) = reader.location else { return ExpiryPolicy() }
    do {
      let host = DirectoryHost(root: root)
      let bytes = try host.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes)
      guard let bytes, case .signed(let policy) = try FeedSettings(decoding: bytes).trust else {
        return ExpiryPolicy()
      }
      return policy
    } catch {
      // A copy of a feed needs no settings; they only say when to warn.
      return ExpiryPolicy()
    }
  }

  /// The root to judge by, and what there is to say about it.
  private static func chooseRoot(
    _ given: [UInt8]?, _ reader: FeedReader
  ) async throws(Problem) -> ([UInt8]?, AuditFinding?) {
    if let given { return (given, nil) }
    if try isBeingSigned(reader) { return (nil, nil) }
    let path = FeedLayout.firstRoot
    let own = try await readRoot(path, reader)
    guard let own else {
      let isSigned = try await readRoot(FeedLayout.timestamp, reader) != nil
      return (nil, isSigned ? missingRoot(path, reader) : nil)
    }
    if reader.isFolder {
      return (
        own,
        AuditFinding(
          severity: .warning, code: "root-of-feed", place: path,
          message:
            "signatures were checked with the feed's own first root: its author could have made that too")
      )
    }
    return (
      nil,
      AuditFinding(
        severity: .warning, code: "signatures-not-checked", place: path,
        message: "the feed is signed, but no root was given: its signatures were not checked")
    )
  }

  /// A signed file that may be missing; a host may refuse what is not there, or have a page in its place.
  static func readRoot(_ path: String, _ reader: FeedReader) async throws(Problem) -> [UInt8]? {
    let absent: Set<ProblemCode> = [.notFound, .fileMissing]
    let bytes = try await reader.readIfThere(
      path, maxBytes: FeedLayout.maxRootBytes,
      absentWhen: reader.isFolder ? absent : absent.union([.forbidden]))
    return bytes.flatMap { Envelope.isReadable($0) || reader.isFolder ? $0 : nil }
  }

  /// Signatures without the root that they begin with: only who has that root elsewhere can check them.
  private static func missingRoot(_ path: String, _ reader: FeedReader) -> AuditFinding {
    AuditFinding(
      severity: reader.isFolder ? .error : .warning,
      code: reader.isFolder ? ProblemCode.feedIncomplete.rawValue : "signatures-not-checked", place: path,
      message: "the feed is signed, but its first root is missing: its signatures were not checked")
  }

  /// Whether the first signatures of a folder are on their way: until they are complete nobody reads them.
  static func isBeingSigned(_ reader: FeedReader) throws(Problem) -> Bool {
    guard case .directory(let root) = reader.location else { return false }
    let host = DirectoryHost(root: root)
    if let bytes = try host.read(FeedLayout.settings, maxBytes: Limits.standard.maxStateBytes) {
      guard try FeedSettings(decoding: bytes).trust == .checksumsOnly else { return false }
    } else {
      guard try host.read(FeedLayout.adopting, maxBytes: Limits.standard.maxManifestBytes) != nil else {
        return false
      }
    }
    return try !host.list(FeedLayout.metadataFolder).contains(FeedLayout.timestampName)
  }
}
