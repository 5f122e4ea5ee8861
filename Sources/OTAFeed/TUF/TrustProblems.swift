package import OTAManifest
package import OTATrust

extension Problem {
  /// Metadata or a file that is not trusted, with what to do about it.
  package init(_ error: TrustError) {
    self.init(Self.code(of: error.reason), error.message, advice: Self.advice(for: error.reason))
    since = error.expiry
    lag = error.lag
  }

  /// A login or maintenance page that came in place of a file: no sign of an attack.
  init(pageInsteadOf name: String) {
    self.init(
      .htmlInstead, "\(name.printable()) is not ours: an HTML page came in its place",
      advice: "a login or maintenance page answers in its place; try again later")
  }

  /// The same on a host that answers so for every file that is not there.
  init(missingOrPage name: String) {
    self.init(
      .htmlInstead,
      "\(name.printable()) is not ours: an HTML page came in its place, as for every file that is not there",
      advice: "a login page answers for all files, or the file is missing and \(Self.fallbackAdvice)")
  }

  /// A host that answers 200 for files that are not there: signed feeds ask for the next root and need to hear "no".
  package init(hostAnswersEverything folder: String) {
    self.init(
      .hostAnswersEverything, "\(folder.printable()) answers 200 for files that are not there",
      advice: Self.fallbackAdvice)
  }

  private static let fallbackAdvice =
    "the host's single-page fallback must be switched off, or a 404.html put at the top of the feed"

  /// A host that drips metadata.
  init(metadataTookLongerThan budget: Duration) {
    self.init(
      .timedOut, "the signed metadata took longer than \(budget.components.seconds) s in all",
      advice: "the host or the line is too slow; try again later")
  }

  private static func code(of reason: TrustError.Reason) -> ProblemCode {
    switch reason {
    case .malformed: .trustMalformed
    case .signature: .trustSignature
    case .cannotVerify: .trustCannotVerify
    case .weakKey: .trustWeakKey
    case .expired: .trustExpired
    case .rollback: .trustRollback
    case .mismatch: .trustMismatch
    case .otherFeed: .trustOtherFeed
    case .unlisted: .trustUnlisted
    case .limit: .trustLimit
    }
  }

  private static func advice(for reason: TrustError.Reason) -> String {
    switch reason {
    case .malformed, .weakKey, .unlisted, .limit: "tell the publisher of the feed"
    case .rollback:
      "the host lags behind, or an attacker replays old metadata; the next check tries again"
    case .signature:
      "do not work around this: ask the publisher over another channel what it should be"
    case .otherFeed: "check the address of the feed: another feed of the same keys answers there"
    case .cannotVerify: "update this app or its OpenSSL (libssl3)"
    case .expired:
      "the feed is stale or this clock is wrong; compare the date of this machine, then try again later"
    case .mismatch: "the feed may be in the middle of a change; try again later"
    }
  }
}
