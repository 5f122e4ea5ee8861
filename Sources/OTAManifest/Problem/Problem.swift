/// Why something could not be done: a stable code, one sentence, what was kept, and what to do next.
///
/// The one error that the libraries `ParserUpdater` and `ParserPublisher` throw.
public struct Problem: Error, Equatable, Sendable {
  /// The stable code.
  public let code: ProblemCode
  /// One sentence that names the file or field; lower case, no full stop.
  public let message: String
  /// What stayed as it was; `nil` when nothing could have changed.
  public var kept: String?
  /// What to do next; `nil` when there is nothing to do but to read the message.
  public var advice: String?
  /// What a server asked for in `Retry-After`, unread.
  public var retryAfter: String?
  /// The moment from which on the feed is out of date, with the code `trust-expired`.
  public var since: Timestamp?
  /// How far the host lags behind what was seen before, with the code `trust-rollback`; `nil` where it cannot be a lag.
  public var lag: FeedLag?

  /// Describes a problem.
  public init(
    _ code: ProblemCode, _ message: String, kept: String? = nil, advice: String? = nil,
    retryAfter: String? = nil
  ) {
    self.code = code
    self.message = message
    self.kept = kept
    self.advice = advice
    self.retryAfter = retryAfter
  }

  /// The same problem with a note on what was kept, unless it has one.
  public func keeping(_ kept: String) -> Problem {
    var problem = self
    problem.kept = problem.kept ?? kept
    return problem
  }
}

extension Problem: CustomStringConvertible {
  /// The code, the sentence, and what to do: one line for logs.
  public var description: String {
    "\(code.rawValue): \(message)" + (advice.map { " (\($0))" } ?? "")
  }
}

/// Who or what must act on a problem; the exit status of the tool follows from it.
public enum Responsibility: String, Sendable, CaseIterable {
  /// The answer is "no": the request was understood and not carried out.
  case notAchieved = "not-achieved"
  /// The caller used an interface wrongly.
  case misuse
  /// Content from outside is not what it must be.
  case untrustedContent = "untrusted-content"
  /// The network or the server; the same call may work later.
  case tryLater = "try-later"
  /// A disk or file of this machine.
  case localDisk = "local-disk"
  /// Somebody or something else got there first.
  case conflict
  /// Another process is at work on the same store or feed.
  case busy
  /// The answer cannot be known, or is not allowed.
  case notPermitted = "not-permitted"
}

/// A host that serves an older state of a signed feed than the one that was seen before.
///
/// Edges and mirrors lag; as long as what they serve has not expired, that is no sign of an attack.
public struct FeedLag: Equatable, Sendable {
  /// The version of the timestamp that was seen before.
  public let seen: Int64
  /// The version of the timestamp that the host serves.
  public let served: Int64
  /// When the served state was signed; `nil` when it does not say so.
  public let signedAt: Timestamp?
  /// When the state that was seen before was signed; `nil` when it does not say so.
  public let seenAt: Timestamp?
  /// From this moment on the served state is no longer one that an honest host would serve.
  public let expires: Timestamp

  /// Describes a lag.
  public init(seen: Int64, served: Int64, signedAt: Timestamp?, seenAt: Timestamp?, expires: Timestamp) {
    self.seen = seen
    self.served = served
    self.signedAt = signedAt
    self.seenAt = seenAt
    self.expires = expires
  }
}
