internal import OTATransfer

/// A host that is known by its answers, and how its settings are called.
public enum HostKind: String, Sendable, CaseIterable {
  case githubPages = "GitHub Pages"
  case gitlabPages = "GitLab Pages"
  case cloudflare = "Cloudflare"
  case netlify = "Netlify"
  case vercel = "Vercel"
  case firebase = "Firebase Hosting"
  case s3 = "S3"
  case googleStorage = "Google Cloud Storage"
  case rawGitHub = "raw.githubusercontent.com"
  case nginx
  case apache = "Apache"
  case caddy = "Caddy"
  case other = "this host"

  /// The header fields that tell hosts apart, in lower case.
  static let fields: Set<String> = [
    "server", "x-amz-request-id", "x-amz-id-2", "x-goog-generation", "x-vercel-id", "x-nf-request-id",
    "x-github-request-id",
    "cf-ray", "x-served-by",
  ]

  /// What a host name and header fields show.
  init(host: String, fields: [String: String]) {
    let server = fields["server"]?.lowercased() ?? ""
    let names: [(String, HostKind)] = [
      (".github.io", .githubPages), ("raw.githubusercontent.com", .rawGitHub), (".gitlab.io", .gitlabPages),
      (".pages.dev", .cloudflare), (".netlify.app", .netlify), (".vercel.app", .vercel),
      (".web.app", .firebase),
      (".firebaseapp.com", .firebase), (".amazonaws.com", .s3), ("storage.googleapis.com", .googleStorage),
    ]
    let signs: [(Bool, HostKind)] = [
      (fields["x-github-request-id"] != nil || server == "github.com", .githubPages),
      (fields["x-nf-request-id"] != nil || server == "netlify", .netlify),
      (fields["x-vercel-id"] != nil || server == "vercel", .vercel),
      (fields["cf-ray"] != nil || server == "cloudflare", .cloudflare),
      (fields["x-amz-request-id"] != nil || fields["x-amz-id-2"] != nil || server == "amazons3", .s3),
      (fields["x-goog-generation"] != nil, .googleStorage), (server.hasPrefix("nginx"), .nginx),
      (server.hasPrefix("apache"), .apache), (server.hasPrefix("caddy"), .caddy),
    ]
    self =
      names.first { host.lowercased().hasSuffix($0.0) }?.1 ?? signs.first { $0.0 }?.1 ?? .other
  }
}

/// One thing that a host does with a feed, whom it hurts, and what mends it there.
public struct HostFinding: Equatable, Sendable {
  /// How much it hurts.
  public enum Severity: String, Sendable, CaseIterable {
    /// Devices cannot update, or not safely.
    case error
    /// Devices work, but late, slowly, or only these clients.
    case warning
    /// Good to know.
    case note
  }

  /// What was found, by a stable code.
  public enum Code: String, Sendable, CaseIterable {
    case answersEverything = "host-answers-everything"
    case missingRefused = "missing-refused"
    case transformed
    case unaskedEncoding = "unasked-encoding"
    case wrongEncodingLabel = "wrong-encoding-label"
    case wrongType = "wrong-type"
    case cachedTooLong = "cached-too-long"
    case notCached = "not-cached"
    case oldCopy = "old-copy"
    case noRanges = "no-ranges"
    case noConditions = "no-conditional-requests"
    case redirected
    case redirectedElsewhere = "redirected-elsewhere"
    case plainHTTP = "plain-http"
    case certificateEnds = "certificate-ends-soon"
    case clockDiffers = "clock-differs"
    case noHTTP2 = "no-http2"
    case noIPv6 = "no-ipv6"
    case brokenIPv6 = "ipv6-broken"
    case brokenIPv4 = "ipv4-broken"
    case noCORS = "no-cors"
    case rateLimited = "rate-limited"
    case oddStatus = "odd-status"
    case expiresSoon = "expires-soon"
    case expired = "trust-expired"
    case contentWrong = "content-wrong"
    case mirrorStale = "mirror-stale"
    case mirrorBroken = "mirror-broken"
    case noMissingPage = "no-missing-page"
    case noPlainHosting = "no-nojekyll"
    case noHeadersFile = "no-headers-file"

    /// How much it hurts.
    public var severity: Severity {
      switch self {
      case .missingRefused, .transformed, .unaskedEncoding, .redirectedElsewhere, .plainHTTP, .expired,
        .contentWrong, .rateLimited, .mirrorBroken, .answersEverything:
        .error
      case .wrongEncodingLabel, .cachedTooLong, .oldCopy, .certificateEnds, .clockDiffers, .brokenIPv6,
        .brokenIPv4, .expiresSoon, .mirrorStale, .noRanges, .redirected, .oddStatus,
        .noMissingPage:
        .warning
      case .wrongType, .notCached, .noConditions, .noHTTP2, .noIPv6, .noCORS, .noPlainHosting, .noHeadersFile:
        .note
      }
    }
  }

  /// What was found.
  public let code: Code
  /// How much it hurts here; a host that answers everything hurts devices of signed feeds alone.
  public let severity: Severity
  /// The path or address that it is about.
  public let place: String
  /// One sentence, lower case, no full stop.
  public let message: String
  /// Whom it hurts, and how.
  public let hurts: String
  /// What to do about it on this host.
  public let remedy: String

  init(_ code: Code, _ place: String, _ message: String, _ host: HostKind, severity: Severity? = nil) {
    self.code = code
    self.severity = severity ?? code.severity
    self.place = place
    self.message = message
    hurts = code.hurts
    remedy = code.remedy(on: host)
  }
}
