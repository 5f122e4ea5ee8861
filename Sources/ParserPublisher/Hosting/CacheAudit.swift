internal import OTAFeed
internal import OTAManifest
internal import OTATransfer
internal import Synchronization

/// Notes how long a server lets copies of files live, while something else reads them.
final class CacheAudit: Sendable {
  /// Five minutes: what a fix that is published now may wait for.
  private static let maxAgeSeconds: Int64 = 300

  private let headers = Mutex<[String: String]>([:])

  /// The same reader, overheard.
  func listening(to reader: FeedReader) -> FeedReader {
    reader.observing { url, response in
      guard let header = response.cacheControl else { return }
      self.headers.withLock { $0[url] = header }
    }
  }

  /// Findings for the names that change with every release; none for a folder, which sends no headers.
  func findings(for paths: [String], of reader: FeedReader) throws(Problem) -> [AuditFinding] {
    var findings: [AuditFinding] = []
    for path in paths {
      let url = try reader.address(of: path)
      guard let fault = headers.withLock({ $0[url] }).flatMap(Self.fault) else { continue }
      findings.append(
        AuditFinding(
          severity: .warning, code: "cached-too-long", place: path,
          message: "the server sends \(path) with \(fault): clients see a new release late"))
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
