internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

extension CommandFailure {
  /// A failure with a stable code, whose status follows from who must act.
  init(_ code: ProblemCode, _ message: String, kept: String? = nil, hint: String? = nil) {
    self.init(
      ExitStatus(code.responsibility), code: code.rawValue, message: message, kept: kept, hint: hint)
  }

  /// A problem of a library, with the status that says who must act.
  init(_ problem: Problem) {
    self.init(problem.code, problem.message, kept: problem.kept, hint: problem.advice)
    if let retryAfter = problem.retryAfter {
      payload.append(JSONMember("retryAfter", .string(retryAfter.printable())))
    }
    if let since = problem.since { payload.append(JSONMember("since", .string(since.description))) }
  }

  /// A file or folder of the command line that cannot be used; names the option and the path.
  init(_ error: StorageError, of option: String, hint: String) {
    let problem = Problem(ofInput: error)
    let isSlip = [.inputMissing, .inputWrongKind, .tooLarge].contains(problem.code)
    self.init(
      problem.code, "\(option): \(problem.message)", hint: isSlip ? hint : problem.advice ?? hint)
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
