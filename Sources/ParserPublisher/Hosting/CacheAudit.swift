internal import OTAFeed
internal import OTAManifest

/// Looks at how long a server lets copies of the names live that change with every release.
struct CacheAudit {
  /// Five minutes: what a fix that is published now may wait for.
  private static let maxAgeSeconds: Int64 = 300

  let reader: FeedReader

  /// Findings for the mutable names of a feed; none for a folder.
  func run(_ paths: [String]) async -> [AuditFinding] {
    guard case .web = reader.location else { return [] }
    var findings: [AuditFinding] = []
    for path in paths {
      do {
        let header = try await reader.cacheControl(
          of: RelativePath(path), maxBytes: Limits.standard.maxManifestBytes)
        guard let fault = header.flatMap(Self.fault) else { continue }
        findings.append(
          AuditFinding(
            severity: .warning, code: "cached-too-long", place: path,
            message: "the server sends \(path) with \(fault): clients see a new release late"))
      } catch {
        // Missing or not to be had is what the rest of the audit reports.
      }
    }
    return findings
  }

  /// The part of a `Cache-Control` header that lets copies live too long.
  static func fault(_ header: String) -> String? {
    for part in header.asciiLowercased.split(separator: ",") {
      let text = part.drop { $0 == " " || $0 == "\t" }
      if text.hasPrefix("immutable") { return "immutable" }
      for name in ["max-age=", "s-maxage="] where text.hasPrefix(name) {
        let digits = text.dropFirst(name.utf8.count).prefix { $0.isNumber }
        guard let seconds = Int64(digits), seconds > maxAgeSeconds else { continue }
        return "\(name)\(seconds)"
      }
    }
    return nil
  }
}
