/// The stable codes of problems, as they stand in `--json` output, in the history and in the documentation.
public enum ProblemCode: String, Sendable, CaseIterable {
  // Content from outside.
  case manifestInvalid = "manifest-invalid"
  case sourcesInvalid = "sources-invalid"
  case bundleInvalid = "bundle-invalid"
  case digestMismatch = "digest-mismatch"
  case sizeMismatch = "size-mismatch"
  case tooLarge = "too-large"
  case versionReused = "version-reused"
  case wrongChannel = "wrong-channel"
  case forbiddenURL = "forbidden-url"
  case feedIncomplete = "feed-incomplete"
  case embeddedUnusable = "embedded-unusable"
  case trustMalformed = "trust-malformed"
  case trustSignature = "trust-signature"
  case trustWeakKey = "trust-weak-key"
  case trustExpired = "trust-expired"
  case trustRollback = "trust-rollback"
  case trustMismatch = "trust-mismatch"
  case trustOtherFeed = "trust-other-feed"
  case trustUnlisted = "trust-unlisted"
  case trustLimit = "trust-limit"
  case fixtureInvalid = "fixture-invalid"
  case inputInvalid = "input-invalid"
  case keyUnusable = "key-unusable"
  case unexpectedEncoding = "unexpected-encoding"
  case archiveDamaged = "archive-damaged"
  case archiveUnsafe = "archive-unsafe"
  case archiveTooLarge = "archive-too-large"
  case expressInvalid = "express-invalid"
  case archiveInvalid = "archive-invalid"

  // The network and servers.
  case htmlInstead = "html-instead"
  case hostAnswersEverything = "host-answers-everything"
  case offline
  case dns
  case refused
  case unreachable
  case timedOut = "timed-out"
  case stalled
  case portal
  case tls
  case tlsExpired = "tls-expired"
  case tlsNotYetValid = "tls-not-yet-valid"
  case tlsWrongHost = "tls-wrong-host"
  case tlsUnknownAuthority = "tls-unknown-authority"
  case proxy
  case throttled
  case serverError = "server-error"
  case notFound = "not-found"
  case truncated
  case transferFailed = "transfer-failed"
  case libraryMissing = "library-missing"
  case cancelled
  case pageUnavailable = "page-unavailable"

  // This machine.
  case diskFull = "disk-full"
  case readOnly = "read-only"
  case storageFailed = "storage-failed"
  case fileMissing = "file-missing"
  case wrongKind = "wrong-kind"
  case cryptoUnavailable = "crypto-unavailable"
  case trustCannotVerify = "trust-cannot-verify"
  case clockUnreliable = "clock-unreliable"

  // Others at work.
  case conflict
  case busy

  // Not known or not allowed.
  case forbidden
  case noPermission = "no-permission"
  case cannotRead = "cannot-read"
  case fileUnreadable = "file-unreadable"
  case notPrivate = "not-private"

  // Answered with "no".
  case notUsable = "not-usable"
  case keyNotTrusted = "key-not-trusted"
  case signingFailed = "signing-failed"
  case nothingToRollBackTo = "nothing-to-roll-back-to"
  case noSuchRelease = "no-such-release"
  case rollbackAgain = "rollback-again"
  case rollbackDropsSources = "rollback-drops-sources"
  case withdrawnContent = "withdrawn-content"
  case clockImplausible = "clock-implausible"
  case otherLaunch = "other-launch"
  case pinned
  case inputRefused = "input-refused"
  case idsRemoved = "ids-removed"
  case gateRefused = "gate-refused"
  case noEngine = "no-engine"
  case aliasRefused = "alias-refused"
  case versionRefused = "version-refused"
  case liveFeedNewer = "live-feed-newer"
  case unresolved
  case parserFailed = "parser-failed"
  case notRecorded = "not-recorded"

  // Misuse: the command line or the call names what is not there, or something else.
  case misuse
  case foreignFolder = "foreign-folder"
  case inputMissing = "input-missing"
  case inputWrongKind = "input-wrong-kind"
  case notAFeed = "not-a-feed"
  case notAStore = "not-a-store"
  case configInvalid = "config-invalid"

  /// Who must act.
  public var responsibility: Responsibility {
    switch self {
    case .manifestInvalid, .sourcesInvalid, .bundleInvalid, .digestMismatch, .sizeMismatch, .tooLarge,
      .versionReused, .wrongChannel, .forbiddenURL, .feedIncomplete, .embeddedUnusable, .trustMalformed,
      .trustSignature, .trustWeakKey, .trustExpired, .trustRollback, .trustMismatch, .trustOtherFeed,
      .trustUnlisted, .trustLimit, .fixtureInvalid, .inputInvalid, .keyUnusable, .unexpectedEncoding,
      .archiveDamaged, .archiveUnsafe, .archiveTooLarge, .archiveInvalid, .expressInvalid:
      .untrustedContent
    case .htmlInstead, .hostAnswersEverything, .offline, .dns, .refused, .unreachable, .timedOut, .stalled,
      .portal, .tls, .tlsExpired, .tlsNotYetValid, .tlsWrongHost, .tlsUnknownAuthority, .proxy, .throttled,
      .serverError, .notFound, .truncated,
      .transferFailed, .libraryMissing, .cancelled, .pageUnavailable:
      .tryLater
    case .diskFull, .readOnly, .storageFailed, .fileMissing, .wrongKind, .cryptoUnavailable,
      .trustCannotVerify, .clockUnreliable:
      .localDisk
    case .conflict: .conflict
    case .busy: .busy
    case .forbidden, .noPermission, .cannotRead, .fileUnreadable, .notPrivate: .notPermitted
    case .notUsable, .keyNotTrusted, .signingFailed, .nothingToRollBackTo, .noSuchRelease,
      .rollbackAgain, .rollbackDropsSources, .withdrawnContent, .clockImplausible,
      .otherLaunch, .pinned,
      .inputRefused, .idsRemoved, .gateRefused, .noEngine, .aliasRefused, .versionRefused, .liveFeedNewer,
      .unresolved, .parserFailed, .notRecorded:
      .notAchieved
    case .misuse, .foreignFolder, .inputMissing, .inputWrongKind, .notAFeed, .notAStore,
      .configInvalid:
      .misuse
    }
  }
}
