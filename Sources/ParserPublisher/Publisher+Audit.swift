public import OTAFeed
public import OTAManifest

extension Publisher {
  /// Checks every file that a feed's manifests name, as a stranger would who only knows its address.
  ///
  /// What is wrong becomes findings; only a newest manifest that cannot be had is thrown.
  public static func audit(
    _ location: FeedLocation, allowsPlainHTTPOnLoopback: Bool
  ) async throws(Problem) -> AuditReport {
    let reader = FeedReader(location, allowsPlainHTTPOnLoopback: allowsPlainHTTPOnLoopback)
    var audit = FeedAudit(reader: reader)
    return try await audit.run()
  }
}
