internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// Compares the express file of a feed with the files that it stands for.
struct ExpressAudit {
  let reader: FeedReader
  /// The newest timestamp, verified.
  let timestamp: [UInt8]
  /// Whether a publisher has not finished.
  let isPending: Bool

  private static let advice = "run parser-ota refresh, or publish"

  /// What is wrong with it; `nil` when nothing is, also on a feed that has none.
  func finding() async -> AuditFinding? {
    let isAnnounced = TimestampMetadata.announcesExpress(timestamp)
    do throws(Problem) {
      guard let bytes = try await read(FeedLayout.express, ExpressFile.maxPackedBytes), !bytes.isEmpty else {
        return isAnnounced ? missing : nil
      }
      let express = try ExpressFile(decoding: bytes)
      guard express.parts[FeedLayout.timestamp] == timestamp else { return stale }
      for (path, part) in express.parts.sorted(by: { $0.key < $1.key }) {
        guard try await read(path, max(part.count, 1)) != part else { continue }
        return finding(
          .error, "express-differs", "\(FeedLayout.express) has another \(path) than the feed: \(Self.advice)"
        )
      }
      return nil
    } catch {
      return finding(.warning, error.code.rawValue, "\(error.message): devices take more requests")
    }
  }

  private func read(_ path: String, _ maxBytes: Int) async throws(Problem) -> [UInt8]? {
    do throws(Problem) {
      return try await reader.readIfThere(
        path, maxBytes: maxBytes, absentWhen: [.notFound, .fileMissing, .forbidden])
    } catch  where error.code == .tooLarge {
      return []
    }
  }

  private var missing: AuditFinding {
    finding(
      .warning, "no-express",
      "\(FeedLayout.express) is missing: devices take more requests. The next publish or refresh writes it")
  }

  private var stale: AuditFinding {
    finding(
      .warning, isPending ? "unfinished" : "express-stale",
      "\(FeedLayout.express) is older than the timestamp, so devices learn of the newest release up to a day late: "
        + Self.advice)
  }

  private func finding(_ severity: AuditFinding.Severity, _ code: String, _ message: String) -> AuditFinding {
    AuditFinding(severity: severity, code: code, place: FeedLayout.express, message: message)
  }
}
