internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATransfer

/// What single answers of a host show; pure.
struct HostChecks {
  let base: WebAddress
  let host: HostKind
  let now: Timestamp

  func finding(
    _ code: HostFinding.Code, _ place: String, _ message: String, severity: HostFinding.Severity? = nil
  ) -> HostFinding {
    HostFinding(code, place, message, host, severity: severity)
  }

  // MARK: The connection

  /// Scheme, version, certificate, clock.
  func connection(_ answer: SiteResponse) -> [HostFinding] {
    var findings: [HostFinding] = []
    if base.scheme == "http", !base.isLoopback {
      findings.append(finding(.plainHTTP, base.text, "the feed is served over plain http"))
    }
    if let version = answer.connection?.httpVersion, version.hasPrefix("1."), base.scheme == "https" {
      findings.append(finding(.noHTTP2, base.text, "the host speaks HTTP/\(version) only"))
    }
    if let end = answer.connection?.certificateEnd.flatMap(Timestamp.init(openSSL:)) {
      let days = (end.secondsSinceEpoch - now.secondsSinceEpoch) / 86_400
      if days < 14 {
        findings.append(
          finding(.certificateEnds, base.text, "the certificate ends at \(end), in \(days) days"))
      }
    }
    if let date = answer.fields["date"].flatMap({ Timestamp(httpDate: $0) }) {
      let age = answer.fields["age"].flatMap { Int64($0) } ?? 0
      let off = date.secondsSinceEpoch + max(0, age) - now.secondsSinceEpoch
      if abs(off) > 300 {
        findings.append(
          finding(
            .clockDiffers, base.text, "the host says \(date), which is \(abs(off) / 60) min off this clock"))
      }
    }
    return findings
  }

  /// What the two families of addresses gave: `nil` for an answer.
  func families(v4: TransferError?, v6: TransferError?) -> [HostFinding] {
    var findings: [HostFinding] = []
    if v4 == nil, let v6 { findings += family("IPv6", v6, broken: .brokenIPv6, absent: .noIPv6) }
    if v6 == nil, let v4 { findings += family("IPv4", v4, broken: .brokenIPv4, absent: .brokenIPv4) }
    return findings
  }

  private func family(
    _ name: String, _ error: TransferError, broken: HostFinding.Code, absent: HostFinding.Code
  ) -> [HostFinding] {
    switch error.kind {
    // This machine has no way by these addresses, so nothing is known of the host.
    case .offline: []
    case .unknownHost:
      [finding(absent, base.host, "the host has no \(name) address that this machine can use")]
    default: [finding(broken, base.host, "the host does not answer over \(name): \(error.detail)")]
    }
  }

  // MARK: Answers

  /// What every answer with a file shows: redirects, status, type, age, cache.
  func answer(_ answer: SiteResponse, path: String, isPointer: Bool) -> [HostFinding] {
    var findings = redirects(answer, path)
    if answer.status != 200, answer.status / 100 == 2 {
      findings.append(finding(.oddStatus, path, "the host sends the file with status \(answer.status)"))
    }
    findings += type(answer, path) + cache(answer, path, isPointer: isPointer)
    if let coding = coding(of: answer), isPointer {
      let isText = !answer.body.prefix(512).contains { $0 < 0x09 }
      findings.append(
        isText
          ? finding(.wrongEncodingLabel, path, "the file is whole, and labelled as \"\(coding)\"")
          : finding(.unaskedEncoding, path, "the file comes as \"\(coding)\", which was not asked for"))
    }
    if path == "manifest.json", answer.fields["access-control-allow-origin"] == nil {
      findings.append(finding(.noCORS, path, "the host sends no Access-Control-Allow-Origin"))
    }
    return findings
  }

  private func redirects(_ answer: SiteResponse, _ path: String) -> [HostFinding] {
    guard !answer.redirects.isEmpty else { return [] }
    if answer.finalURL.hasPrefix("http://"), base.scheme == "https" {
      return [finding(.redirectedElsewhere, path, "it is redirected to plain http: \(answer.finalURL)")]
    }
    return [finding(.redirected, path, "it is redirected to \(answer.finalURL)")]
  }

  private func type(_ answer: SiteResponse, _ path: String) -> [HostFinding] {
    let type = (answer.fields["content-type"] ?? "").asciiLowercased
    let isRight =
      path.hasSuffix(".js")
      ? ["javascript", "ecmascript"].contains { type.contains($0) } : type.contains("json")
    guard !isRight else { return [] }
    return [finding(.wrongType, path, "the type is \(type.isEmpty ? "missing" : "\"\(type)\"")")]
  }

  private func cache(_ answer: SiteResponse, _ path: String, isPointer: Bool) -> [HostFinding] {
    let header = answer.fields["cache-control"]
    guard isPointer else {
      let isLong =
        header.map { $0.asciiLowercased.contains("immutable") || CacheAudit.fault($0) != nil } ?? false
      return isLong
        ? [] : [finding(.notCached, path, "\"\(header ?? "no Cache-Control")\" on a file that never changes")]
    }
    var findings: [HostFinding] = []
    if let fault = header.flatMap(CacheAudit.fault) {
      findings.append(finding(.cachedTooLong, path, "the host sends \(fault) with a file that changes"))
    }
    if let age = answer.fields["age"].flatMap({ Int64($0) }), age > 300 {
      findings.append(finding(.oldCopy, path, "an edge sends a copy that is \(age / 60) min old"))
    }
    return findings
  }

  /// A coding that was not asked for; `nil` for none.
  private func coding(of answer: SiteResponse) -> String? {
    let claimed = answer.fields["content-encoding"]?.asciiLowercased ?? ""
    return claimed.isEmpty || claimed == "identity" ? nil : String(claimed.prefix(20))
  }

  // MARK: What is not there

  /// What the host says of a name that cannot exist.
  func missing(_ answer: SiteResponse, isSigned: Bool) -> [HostFinding] {
    let place = "\(FeedLayout.metadataFolder)/*.root.json"
    switch answer.status {
    case 400, 403, 404, 410, 424, 451: return []
    case 200..<300:
      return [
        finding(
          .answersEverything, place, "the host answers \(answer.status) for a file that cannot be there",
          severity: isSigned ? .error : .warning)
      ]
    case 429: return [finding(.rateLimited, place, "the host asks for fewer requests (HTTP 429)")]
    default:
      return [
        finding(
          .missingRefused, place, "the host answers \(answer.status) for a file that is not there",
          severity: isSigned ? .error : .warning)
      ]
    }
  }

  // MARK: Files

  /// Whether a file of a release comes as it was published.
  func file(_ answer: SiteResponse, _ artifact: Artifact, _ name: String) -> [HostFinding] {
    guard answer.status / 100 == 2 else {
      let code: HostFinding.Code = answer.status == 429 ? .rateLimited : .contentWrong
      return [finding(code, name, "the host does not send it (HTTP \(answer.status))")]
    }
    var findings = self.answer(answer, path: name, isPointer: false)
    let isWhole = answer.body.count == artifact.bytes && digest(answer.body) == artifact.sha256
    if let coding = coding(of: answer) {
      findings.append(
        isWhole
          ? finding(.wrongEncodingLabel, name, "the file is whole, and labelled as \"\(coding)\"")
          : finding(.unaskedEncoding, name, "the file comes as \"\(coding)\", which was not asked for"))
    } else if !isWhole {
      findings.append(finding(.transformed, name, change(answer.body, artifact)))
    }
    return findings
  }

  private func change(_ bytes: [UInt8], _ artifact: Artifact) -> String {
    if let strange = StrangeContent(bytes, insteadOf: artifact.sha256, bytes: artifact.bytes) {
      return strange.message
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "a byte-order mark stands before the file" }
    if bytes.count == artifact.bytes { return "bytes were changed; the length is right" }
    return bytes.count < artifact.bytes
      ? "it has \(bytes.count) bytes in place of \(artifact.bytes): minified, or cut"
      : "it has \(bytes.count) bytes in place of \(artifact.bytes): something was added"
  }

  private func digest(_ bytes: [UInt8]) -> Digest? {
    do { return try sha256(bytes) } catch {
      // Then nothing is said of the content.
      return nil
    }
  }

  /// Whether a part came when a part was asked for.
  func range(_ answer: SiteResponse, _ name: String) -> [HostFinding] {
    if answer.status == 206, answer.body.count == 16 { return [] }
    return [
      finding(
        .noRanges, name, "16 bytes were asked for, and \(answer.body.count) came (HTTP \(answer.status))")
    ]
  }

  // MARK: Signatures

  /// What the check of every file says, without what was found here already.
  func audit(_ findings: [AuditFinding]) -> [HostFinding] {
    let known: Set<String> = ["host-answers-everything", "cached-too-long", "unexpected-encoding"]
    return findings.filter { !known.contains($0.code) }.compactMap { audit in
      switch audit.code {
      case "expires-soon": return finding(.expiresSoon, audit.place, audit.message)
      case "trust-expired": return finding(.expired, audit.place, audit.message)
      default:
        return audit.severity == .error
          ? finding(.contentWrong, audit.place, "\(audit.code): \(audit.message)") : nil
      }
    }
  }
}

extension Timestamp {
  /// Reads the form of OpenSSL, `Jun  1 12:00:00 2027 GMT`; `nil` for others.
  init?(openSSL text: String) {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 5, let month = months.firstIndex(of: parts[0]) else { return nil }
    func two(_ text: String) -> String { text.utf8.count == 1 ? "0\(text)" : text }
    self.init("\(parts[3])-\(two("\(month + 1)"))-\(two(parts[1]))T\(parts[2])Z")
  }
}
