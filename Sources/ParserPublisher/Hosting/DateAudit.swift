internal import OTAFeed
internal import OTAManifest

/// Looks for dates and numbers that would lock devices out: later releases must come after both.
enum DateAudit {
  /// Findings about the releases of a feed and the date of its newest signature.
  static func findings(
    _ releases: [VerifiedManifest], signedAt: Timestamp?, now: Timestamp
  ) -> [AuditFinding] {
    let manifests = releases.map(\.manifest)
    var findings: [AuditFinding] = []
    for manifest in manifests {
      let isLive = !manifests.contains { $0.channel == manifest.channel && $0.version > manifest.version }
      guard let released = manifest.released,
        let finding = ahead(
          released, now, "release \(manifest.version) is dated", place(manifest, isLive), isLive: isLive)
      else { continue }
      findings.append(finding)
    }
    if let signedAt,
      let finding = ahead(
        signedAt, now, "the timestamp was signed at a date", FeedLayout.timestamp, isLive: true)
    {
      findings.append(finding)
    }
    return findings + highNumber(manifests)
  }

  private static func place(_ manifest: Manifest, _ isLive: Bool) -> String {
    isLive ? manifest.channel.manifestPath : TargetsInventory.manifestPath(of: manifest.version)
  }

  /// An hour may be a poor clock, here or there; more than a day locks devices out that believe it.
  private static func ahead(
    _ moment: Timestamp, _ now: Timestamp, _ subject: String, _ place: String, isLive: Bool
  ) -> AuditFinding? {
    guard moment > now.advanced(bySeconds: ClockCheck.toleranceSeconds) else { return nil }
    let isFar = moment > now.advanced(bySeconds: ClockCheck.hostToleranceSeconds)
    return AuditFinding(
      severity: isFar && isLive ? .error : .warning, code: "dated-ahead", place: place,
      message: "\(subject) \(moment), ahead of this machine's clock (\(now))")
  }

  private static func highNumber(_ manifests: [Manifest]) -> [AuditFinding] {
    guard let newest = manifests.max(by: { $0.version < $1.version }),
      newest.version.number > ReleaseNumbering.cap
    else { return [] }
    return [
      AuditFinding(
        severity: .warning, code: "number-too-high", place: newest.channel.manifestPath,
        message:
          "release \(newest.version) is above \(ReleaseNumbering.cap), the largest number that publish accepts: "
          + "few or none can follow it")
    ]
  }
}
