internal import OTAFeed
internal import OTAManifest
internal import OTATransfer
internal import OTATrust

/// Looks at the signatures of a feed as a stranger does who has nothing but a root.
///
/// Every signed file is fetched under its consistent name and compared; every release and pointer must be signed.
struct SignedAudit {
  private let reader: FeedReader
  private let root: [UInt8]
  private let now: Timestamp
  /// The digests of files that were read and compared before, by their addresses.
  private let verified: [String: Digest]
  private let store = OverlayMetadataStore()
  private(set) var findings: [AuditFinding] = []
  private(set) var filesChecked = 0
  private(set) var bytesChecked: Int64 = 0
  /// When the newest timestamp was signed; `nil` when it does not say.
  private(set) var signedAt: Timestamp?

  /// How long metadata is signed for; the last third of it is the time to act in.
  private let policy: ExpiryPolicy
  /// The manifest of the release whose publisher has not finished.
  private let pending: Digest?

  init(
    reader: FeedReader, root: [UInt8], now: Timestamp, verified: [String: Digest], policy: ExpiryPolicy,
    pending: Digest?
  ) {
    self.reader = reader
    self.pending = pending
    self.policy = policy
    self.verified = verified
    self.root = root
    self.now = now
  }

  /// Checks all that is signed, and that these releases and pointers are.
  mutating func run(_ releases: [VerifiedManifest], channels: [Channel]) async -> TrustStatus {
    do throws(Problem) {
      var client = try await refreshed()
      signedAt = client.signedAt
      checkExpiries(client)
      if let timestamp = store.loaded(role: "timestamp") {
        let express = ExpressAudit(reader: reader, timestamp: timestamp, isPending: pending != nil)
        findings += [await express.finding()].compactMap(\.self)
      }
      for path in client.topTargets?.paths ?? [] { await checkTarget(path, &client) }
      for channel in channels { await checkPointer(of: channel, &client) }
      for release in releases { await checkRelease(release, &client) }
      return TrustStatus(name: Trust.root(root).name, client)
    } catch {
      reportMetadata(error)
      return TrustStatus(name: Trust.root(root).name, roles: [], obstacle: error)
    }
  }

  /// All metadata, verified; what has expired is an error, and the rest is looked at nevertheless.
  private mutating func refreshed() async throws(Problem) -> TUFClient {
    let repository = try reader.repository
    do throws(Problem) {
      var client = try TUFClient(repository: repository, store: store, shippedRoot: root, now: now)
      try await client.refresh()
      return client
    } catch  where error.code == .trustExpired {
      let past = Timestamp(secondsSinceEpoch: 0)
      var client = try TUFClient(repository: repository, store: store, shippedRoot: root, now: past)
      try await client.refresh()
      return client
    }
  }

  /// In a folder what stands in the place of a metadata file is named as what it is: no network had a part in it.
  private mutating func reportMetadata(_ error: Problem) {
    guard case .directory(let root) = reader.location else {
      return report(.error, error.code.rawValue, FeedLayout.metadataFolder + "/", error.message)
    }
    let host = DirectoryHost(root: root)
    let folder = FeedLayout.metadataFolder
    do throws(Problem) {
      for name in try host.list(folder).sorted() where name.hasSuffix(".json") {
        let path = "\(folder)/\(name)"
        let bytes = try host.read(path, maxBytes: TrustLimits.standard.maxTargetsBytes) ?? []
        guard let strange = StrangeContent(bytes) else { continue }
        return report(
          .error, ProblemCode.feedIncomplete.rawValue, path, "\(path) \(strange.message): \(strange.advice)")
      }
    } catch {
      // What cannot be read here is the fault already, or another one hides it.
    }
    report(.error, error.code.rawValue, FeedLayout.metadataFolder + "/", error.message)
  }

  private mutating func checkExpiries(_ client: TUFClient) {
    for (role, header) in client.headers {
      let place = role == "timestamp" ? FeedLayout.timestamp : FeedLayout.metadata(role, header.version)
      let left = header.expires.secondsSinceEpoch - now.secondsSinceEpoch
      if left <= 0 {
        report(
          .error, ProblemCode.trustExpired.rawValue, place,
          "\(role) expired at \(header.expires): clients install nothing new"
            + (role == "root" ? "; only the root keys can renew it" : ""))
      } else if role == "root", FeedSigning.isRootNearEnd(header.expires, at: now) {
        report(
          .warning, "expires-soon", place,
          "root expires at \(header.expires), in \(left / 86_400) days; only the root keys can renew it:"
            + " \(FeedSigning.nextRoot)")
      } else if role != "root", left < lifetimeSeconds(role) / 3 {
        report(
          .warning, "expires-soon", place,
          "\(role) expires at \(header.expires), in \(left / 86_400) days: renew it")
      }
    }
  }

  private func lifetimeSeconds(_ role: String) -> Int64 {
    Root.Role(rawValue: role).map { Int64(policy.days(of: $0)) * 86_400 } ?? 0
  }

  private mutating func checkTarget(_ path: String, _ client: inout TUFClient) async {
    do throws(Problem) {
      guard let target = try await client.targetInfo(path), !isVerified(target) else { return }
      try await client.download(target, into: NoSink())
      filesChecked += 1
      bytesChecked += Int64(target.length)
    } catch {
      // Devices do without a packed form.
      let isPacked = path.hasPrefix("releases/") && path.hasSuffix(".zst")
      report(
        isPacked ? .warning : .error, error.code.rawValue, "\(FeedLayout.targetsFolder)/ (\(path))",
        error.message)
    }
  }

  private func isVerified(_ target: TargetDescription) -> Bool {
    guard let digest = target.sha256 else { return false }
    var names = target.path.split(separator: "/").map(String.init)
    let name = "\(digest.hex).\(names.popLast() ?? "")"
    do {
      let address = try reader.address(
        of: ([FeedLayout.targetsFolder] + names + [name]).joined(separator: "/"))
      return verified[address] == digest
    } catch {
      // Not a path of a feed: the download says what is wrong with it.
      return false
    }
  }

  /// The name that old clients read must show what the signed metadata says.
  private mutating func checkPointer(of channel: Channel, _ client: inout TUFClient) async {
    let path = channel.manifestPath
    do throws(Problem) {
      guard let target = try await client.targetInfo(path) else {
        report(.error, ProblemCode.trustUnlisted.rawValue, path, "\(path) is not among the signed files")
        return
      }
      let pointer = try await Trust.checksumsOnly.authority.newestManifest(of: channel, from: reader)
      guard pointer.digest == target.sha256 else {
        reportDifference(of: path, isUnfinished: pending != nil && pending == target.sha256)
        return
      }
    } catch {
      report(.error, error.code.rawValue, path, error.message)
    }
  }

  /// The signed name moves before the one that old clients read, so an interrupted publish leaves a difference.
  private mutating func reportDifference(of path: String, isUnfinished: Bool) {
    if isUnfinished {
      report(
        .warning, "unfinished", path,
        "\(path) is not yet the signed file of this name: run the command that was interrupted again")
    } else {
      report(.error, "pointer-differs", path, "\(path) is not the signed file of this name")
    }
  }

  private mutating func checkRelease(_ release: VerifiedManifest, _ client: inout TUFClient) async {
    let path = "releases/\(release.manifest.version)/manifest.json"
    do throws(Problem) {
      guard let target = try await client.targetInfo(path) else {
        // Retention comes last: what is no longer signed waits to be removed.
        report(
          pending == nil ? .error : .warning, ProblemCode.trustUnlisted.rawValue, path,
          "\(path) is not among the signed files")
        return
      }
      guard target.sha256 == release.digest else {
        report(
          .error, ProblemCode.trustMismatch.rawValue, path,
          "release \(release.manifest.version) is signed with another manifest than the feed has")
        return
      }
      try await client.requireSignedFiles(of: release.manifest)
    } catch {
      report(.error, error.code.rawValue, path, error.message)
    }
  }

  private mutating func report(
    _ severity: AuditFinding.Severity, _ code: String, _ place: String, _ message: String
  ) {
    findings.append(AuditFinding(severity: severity, code: code, place: place, message: message))
  }
}

/// Takes bytes that only had to be compared.
private final class NoSink: FetchSink {
  func begin(_ response: FetchResponse) {}
  func receive(_ chunk: RawSpan) {}
}
