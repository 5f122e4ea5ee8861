internal import OTAManifest

extension CommandFailure {
  /// A problem of a library, with the status that says who must act.
  init(_ problem: Problem) {
    self.init(
      ExitStatus(problem.code.responsibility), code: problem.code.rawValue, message: problem.message,
      kept: problem.kept, hint: problem.advice)
    if let retryAfter = problem.retryAfter {
      payload.append(JSONMember("retryAfter", .string(retryAfter.printable())))
    }
    if let since = problem.since { payload.append(JSONMember("since", .string(since.description))) }
  }
}

extension ExitStatus {
  init(_ responsibility: Responsibility) {
    switch responsibility {
    case .notAchieved: self = .notAchieved
    case .misuse: self = .usage
    case .untrustedContent: self = .untrustedContent
    case .tryLater: self = .tryLater
    case .localDisk: self = .localDisk
    case .conflict: self = .conflict
    case .busy: self = .busy
    case .notPermitted: self = .notPermitted
    }
  }
}
