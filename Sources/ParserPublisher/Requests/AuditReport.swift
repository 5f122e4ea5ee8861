public import OTAFeed
public import OTAManifest

/// What a stranger finds who checks every file of a feed.
public struct AuditReport: Equatable, Sendable {
  /// The channels whose newest manifest was read.
  public let channels: [Channel]
  /// The releases whose manifests were read, newest first.
  public let releases: [ReleaseVersion]
  /// The number of files that were read; files that several releases share count once.
  public internal(set) var filesChecked: Int
  /// The size of these files.
  public internal(set) var bytesChecked: Int64
  /// What is wrong or odd, in the order in which it was found.
  public internal(set) var findings: [AuditFinding]
  /// What the feed was judged by: signatures and their expiries, or checksums only.
  public internal(set) var trust: TrustStatus

  /// Whether no finding is an error.
  public var isSound: Bool { !findings.contains { $0.severity == .error } }
}

/// One thing that is wrong or odd on a feed.
public struct AuditFinding: Equatable, Sendable {
  /// Whether clients are hurt.
  public enum Severity: String, Sendable {
    /// A client would refuse a release, or not find it.
    case error
    /// Clients work; a person should know.
    case warning
  }

  /// Whether clients are hurt.
  public let severity: Severity
  /// A stable code: one of `ProblemCode`, or `no-immutable-manifest`, `pointer-differs`, `foreign-url`,
  /// `expires-soon`, `dated-ahead`, `number-too-high`, `root-of-feed`, `signatures-not-checked`, `cached-too-long`,
  /// `no-express`, `express-stale`, `express-differs`, `unfinished`.
  public let code: String
  /// The path or URL that it is about.
  public let place: String
  /// One sentence, lower case, no full stop.
  public let message: String
}
