internal import OTACrypto
public import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import OTATransfer

/// What a host does with a feed.
public struct HostReport: Equatable, Sendable {
  /// The address of the feed.
  public let address: String
  /// The kind of host, as far as its answers show it.
  public internal(set) var host = HostKind.other
  /// What was found, the worst first.
  public internal(set) var findings: [HostFinding] = []
  /// The bytes on the wire of the files that a device asks for, by path.
  public internal(set) var wireBytes: [String: Int] = [:]
  /// What the feed is judged by, and until when; `nil` without a root.
  public internal(set) var trust: TrustStatus?

  /// Whether a host was asked, and not only a folder looked at.
  public var isOfHost: Bool { !wireBytes.isEmpty }
  /// Whether devices can update.
  public var isSound: Bool { !findings.contains { $0.severity == .error } }
}

/// Asks a host the way devices and browsers do, and says what it does with the feed.
///
/// Some twenty requests; with a root also every file of the feed.
public struct HostExamination: Sendable {
  let base: WebAddress
  let root: [UInt8]?
  let mirrors: [WebAddress]
  let now: Timestamp
  let ask: @Sendable (SiteRequest, SitePolicy) async throws(TransferError) -> SiteResponse

  /// Examines a feed over the network.
  ///
  /// - Parameters:
  ///   - root: the root that ships in apps; `nil` leaves signatures and their expiry out.
  ///   - mirrors: copies of the feed whose state is compared with it.
  public init(_ base: WebAddress, root: [UInt8]? = nil, mirrors: [WebAddress] = []) {
    self.init(
      base, root: root, mirrors: mirrors, now: Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    ) { (request, policy) throws(TransferError) in
      try await CurlSiteFetcher(policy: policy).fetch(request)
    }
  }

  init(
    _ base: WebAddress, root: [UInt8]?, mirrors: [WebAddress], now: Timestamp,
    ask: @escaping @Sendable (SiteRequest, SitePolicy) async throws(TransferError) -> SiteResponse
  ) {
    self.base = base.asFolder
    self.root = root
    self.mirrors = mirrors.map(\.asFolder)
    self.now = now
    self.ask = ask
  }

  private static let fields: Set<String> = HostKind.fields.union([
    "cache-control", "age", "content-encoding", "etag", "last-modified", "accept-ranges", "content-range",
    "date",
    "access-control-allow-origin", "content-length",
  ])

  /// Looks at the host.
  ///
  /// - Throws: the codes of the network when the host cannot be reached, and `html-instead` or `not-found` when no feed is
  ///   there.
  public func run() async throws(Problem) -> HostReport {
    var report = HostReport(address: base.text)
    let pointer = try await pointer()
    let host = HostKind(host: base.host, fields: pointer.fields)
    report.host = host
    let checks = HostChecks(base: base, host: host, now: now)
    report.findings +=
      checks.connection(pointer) + checks.answer(pointer, path: "manifest.json", isPointer: true)
    report.wireBytes["manifest.json"] = pointer.body.count
    let isSigned = try await timestamp(&report, checks)
    report.findings += await missing(checks, isSigned: isSigned)
    report.findings += try await files(of: pointer, &report, checks)
    report.findings += await conditions(pointer, checks)
    report.findings += await families(checks)
    if isSigned, let root { report.findings += await signatures(root, &report, checks) }
    for mirror in mirrors { report.findings += await compare(mirror, pointer, checks) }
    report.findings = Self.sorted(report.findings)
    return report
  }

  private static func sorted(_ findings: [HostFinding]) -> [HostFinding] {
    HostFinding.Severity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
  }

  // MARK: Requests

  private func policy(_ addresses: SitePolicy.Addresses = .all) -> SitePolicy {
    var policy = SitePolicy()
    policy.allowsLoopback = base.isLoopback
    policy.allowsLocalNetworks = true
    policy.decodes = false
    policy.wantsFacts = true
    policy.addresses = addresses
    policy.maxBodyBytes = Int(Limits.standard.maxBundleBytes)
    policy.keptFields = Self.fields
    return policy
  }

  private func get(
    _ path: String, _ fields: [SiteRequest.Field] = [], from base: WebAddress? = nil
  ) async throws(TransferError) -> SiteResponse {
    try await ask(SiteRequest(url: (base ?? self.base).text + path, fields: fields), policy())
  }

  /// The pointer of the feed, without which there is nothing to look at.
  private func pointer() async throws(Problem) -> SiteResponse {
    let answer: SiteResponse
    do {
      answer = try await get("manifest.json")
    } catch {
      throw Problem(error)
    }
    switch answer.status {
    case 200..<300 where ReleaseContentCheck.looksLikeHTML(answer.body):
      throw Problem(
        .htmlInstead, "\(base)manifest.json is an HTML page: this is not the folder of a feed",
        advice: "give the address of the folder with manifest.json")
    case 200..<300: return answer
    case 404, 410:
      throw Problem(
        .notFound, "\(base)manifest.json is not there (HTTP \(answer.status))",
        advice: "give the address of the folder with manifest.json, or publish a release")
    case 429: throw Problem(.throttled, "\(base)manifest.json: the host asks for fewer requests (HTTP 429)")
    case 500...: throw Problem(.serverError, "\(base)manifest.json: the server fails (HTTP \(answer.status))")
    default: throw Problem(.forbidden, "\(base)manifest.json cannot be read (HTTP \(answer.status))")
    }
  }

  /// Whether the feed is signed, and what the host does with its timestamp.
  private func timestamp(_ report: inout HostReport, _ checks: HostChecks) async throws(Problem) -> Bool {
    let path = FeedLayout.timestamp
    do throws(TransferError) {
      let answer = try await get(path)
      guard answer.status / 100 == 2, !ReleaseContentCheck.looksLikeHTML(answer.body) else { return false }
      report.wireBytes[path] = answer.body.count
      report.findings += checks.answer(answer, path: path, isPointer: true)
      return true
    } catch {
      throw Problem(error)
    }
  }

  private func missing(_ checks: HostChecks, isSigned: Bool) async -> [HostFinding] {
    let path = "\(FeedLayout.metadataFolder)/\(String(UInt64.random(in: .min ... .max), radix: 16)).root.json"
    do throws(TransferError) {
      return checks.missing(try await get(path), isSigned: isSigned)
    } catch {
      return []
    }
  }

  /// What the host does with the files of the newest release.
  private func files(
    of pointer: SiteResponse, _ report: inout HostReport, _ checks: HostChecks
  ) async throws(Problem) -> [HostFinding] {
    let manifest: Manifest
    do {
      manifest = try Manifest.decode(pointer.body)
    } catch {
      return [
        checks.finding(
          StrangeContent(pointer.body) == nil ? .contentWrong : .transformed, "manifest.json",
          StrangeContent(pointer.body)?.message ?? error.message)
      ]
    }
    var findings: [HostFinding] = []
    for (artifact, name) in [(manifest.bundle, "parsers.bundle.js"), (manifest.sources, "sources.json")] {
      findings += try await file(artifact, name, &report, checks)
    }
    return findings
  }

  private func file(
    _ artifact: Artifact, _ name: String, _ report: inout HostReport, _ checks: HostChecks
  ) async throws(Problem) -> [HostFinding] {
    let address = try FeedReader(
      .web(base), allowsPlainHTTPOnLoopback: base.isLoopback
    ).address(of: artifact.location)
    do throws(TransferError) {
      let answer = try await ask(SiteRequest(url: address), policy())
      report.wireBytes[name] = answer.body.count
      var findings = checks.file(answer, artifact, name)
      if answer.status / 100 == 2, artifact.bytes > 64 {
        let part = try await ask(
          SiteRequest(url: address, fields: [SiteRequest.Field("Range", "bytes=16-31")]), policy())
        findings += checks.range(part, name)
      }
      return findings
    } catch {
      return [checks.finding(.contentWrong, name, "\(error.detail)")]
    }
  }

  private func conditions(_ pointer: SiteResponse, _ checks: HostChecks) async -> [HostFinding] {
    guard let tag = pointer.fields["etag"] else {
      return pointer.fields["last-modified"] == nil
        ? [checks.finding(.noConditions, "manifest.json", "the host sends neither ETag nor Last-Modified")]
        : []
    }
    do throws(TransferError) {
      let answer = try await get("manifest.json", [SiteRequest.Field("If-None-Match", tag)])
      return answer.status == 304
        ? []
        : [
          checks.finding(
            .noConditions, "manifest.json", "the host sends the file again although its ETag is known")
        ]
    } catch {
      return []
    }
  }

  /// Whether the host can be reached by each family of addresses alone.
  private func families(_ checks: HostChecks) async -> [HostFinding] {
    guard !base.host.contains(":"), !base.host.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) })
    else {
      return []
    }
    let (v4, v6) = (await reach(.v4), await reach(.v6))
    return checks.families(v4: v4, v6: v6)
  }

  private func reach(_ addresses: SitePolicy.Addresses) async -> TransferError? {
    do throws(TransferError) {
      _ = try await ask(SiteRequest(method: .head, url: base.text + "manifest.json"), policy(addresses))
      return nil
    } catch {
      return error
    }
  }

  // MARK: Signatures and mirrors

  private func signatures(
    _ root: [UInt8], _ report: inout HostReport, _ checks: HostChecks
  ) async -> [HostFinding] {
    do throws(Problem) {
      let audit = try await Publisher.audit(
        FeedReader(.web(base), allowsPlainHTTPOnLoopback: base.isLoopback), root: root, now: now)
      report.trust = audit.trust
      return checks.audit(audit.findings)
    } catch {
      return [checks.finding(.contentWrong, "manifest.json", error.message)]
    }
  }

  private func compare(
    _ mirror: WebAddress, _ pointer: SiteResponse, _ checks: HostChecks
  ) async -> [HostFinding] {
    do throws(TransferError) {
      let copy = try await get("manifest.json", from: mirror)
      guard let (own, other) = Self.versions(pointer, copy) else {
        return [
          checks.finding(.mirrorBroken, mirror.text, "the mirror has no manifest.json (HTTP \(copy.status))")
        ]
      }
      guard other < own else { return [] }
      return [
        checks.finding(
          .mirrorStale, mirror.text, "the mirror has release \(other), and the feed release \(own)")
      ]
    } catch {
      return [checks.finding(.mirrorBroken, mirror.text, error.detail)]
    }
  }

  private static func versions(
    _ one: SiteResponse, _ other: SiteResponse
  ) -> (ReleaseVersion, ReleaseVersion)? {
    do {
      return (try Manifest.decode(one.body).version, try Manifest.decode(other.body).version)
    } catch {
      // Not a manifest: the caller says so.
      return nil
    }
  }
}
