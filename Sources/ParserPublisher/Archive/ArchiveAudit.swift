internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Looks at an archive the way a new device sees it.
struct ArchiveAudit {
  let archive: ReleaseArchive
  /// The root to judge by; `nil` takes the archive's own first one.
  let root: [UInt8]?
  let now: Timestamp
  private var findings: [AuditFinding] = []

  init(_ archive: ReleaseArchive, root: [UInt8]?, now: Timestamp) {
    (self.archive, self.root, self.now) = (archive, root, now)
  }

  mutating func run() async -> AuditReport {
    let (trust, newest) = await checkTrust()
    await checkContent()
    if newest?.withdrawn.contains(archive.manifest.version) == true {
      report(
        .warning, "withdrawn", archive.manifest.channel.manifestPath,
        "release \(archive.manifest.version) was withdrawn by its feed: devices do not take it")
    }
    return AuditReport(
      channels: [archive.manifest.channel], releases: [archive.manifest.version],
      filesChecked: archive.files.count, bytesChecked: archive.files.map { Int64($0.bytes) }.reduce(0, +),
      findings: findings, trust: trust)
  }

  /// What the archive is authenticated by, and the newest manifest that it has of its channel.
  private mutating func checkTrust() async -> (TrustStatus, Manifest?) {
    let unsigned = TrustStatus(name: Trust.checksumsOnly.name, roles: [])
    guard archive.isSigned, let used = root ?? archive.firstRoot else {
      if root != nil {
        report(
          .error, ProblemCode.archiveInvalid.rawValue, FeedLayout.metadataFolder + "/",
          "the archive is not signed, but a root was given")
      }
      return (unsigned, nil)
    }
    if root == nil {
      report(
        .warning, "root-of-feed", FeedLayout.firstRoot,
        "signatures were checked with the archive's own first root: its author could have made that too")
    }
    let reading = ArchiveTrust(archive: archive, trust: .root(used))
    do throws(Problem) {
      let verified: VerifiedManifest
      do throws(Problem) {
        verified = try await reading.release(now: now)
      } catch  where error.code == .trustExpired {
        report(
          .error, error.code.rawValue, FeedLayout.metadataFolder + "/",
          "\(error.message): devices install nothing from it")
        verified = try await reading.release(now: nil)
      }
      return (try Trust.root(used).status(reading.store), verified.newest ?? verified.manifest)
    } catch {
      report(.error, error.code.rawValue, FeedLayout.metadataFolder + "/", error.message)
      return (TrustStatus(name: Trust.root(used).name, roles: [], obstacle: error), nil)
    }
  }

  private mutating func checkContent() async {
    let content = ReleaseContent(reader: FeedReader(.archive(archive)))
    for file in FeedLayout.ContentFile.allCases {
      do throws(Problem) {
        let bytes = try await content.bytes(of: file, in: archive.manifest)
        if let refusal = ReleaseContent.refusal(file, bytes) { throw refusal }
      } catch {
        report(.error, error.code.rawValue, file.rawValue, error.message)
      }
    }
  }

  private mutating func report(
    _ severity: AuditFinding.Severity, _ code: String, _ place: String, _ message: String
  ) {
    findings.append(AuditFinding(severity: severity, code: code, place: place, message: message))
  }
}

/// The release of an archive, authenticated by a client that has seen nothing yet.
struct ArchiveTrust: Sendable {
  let archive: ReleaseArchive
  let trust: Trust
  /// What the client accepted.
  let store = OverlayMetadataStore()

  /// The trust that was given, else that of the archive's own first root, else checksums alone.
  init(_ archive: ReleaseArchive, root: [UInt8]?) {
    self.init(archive: archive, trust: (root ?? archive.firstRoot).map { .root($0) } ?? .checksumsOnly)
  }

  init(archive: ReleaseArchive, trust: Trust) { (self.archive, self.trust) = (archive, trust) }

  /// The release, when it is signed by what the root trusts.
  ///
  /// - Parameter now: the moment that nothing may have expired at; `nil` lets expired metadata count, where nothing
  ///   goes to a device.
  func release(now: Timestamp?) async throws(Problem) -> VerifiedManifest {
    let clock = now ?? Timestamp(secondsSinceEpoch: 0)
    let memory = TrustMemory(metadata: store, moment: TrustMoment(clock: clock))
    return try await trust.authority(memory).newestManifest(
      of: archive.manifest.channel, from: FeedReader(.archive(archive)))
  }

  /// The newest root that the trusted one leads to; `nil` when the archive is not signed.
  var newestRoot: [UInt8]? {
    get throws(Problem) {
      do {
        return try store.load(.newest(role: "root"))
      } catch {
        throw Problem(error)
      }
    }
  }
}
