internal import OTAManifest
internal import ParserEngine
internal import ParserPages

/// Says what a step came to, from what the parser gave and from what its site answered; pure.
///
/// A parser that fails after its site did is not to blame, whatever it made of the failure.
struct SurveyJudge {
  /// What the parser gave.
  let outcome: StepOutcome
  /// The requests of the step with their answers, in order.
  let exchanges: [Exchange]
  /// The host that the catalog names, in lower case.
  let host: String

  /// The step with its verdict; fields are added by the caller.
  func step(_ name: SurveyStep.Name) -> SurveyStep {
    let found = outcome.richness
    if let target = movedHost {
      var step = SurveyStep(
        name, .moved,
        found > 0 ? "moved to \(target): \(outcome.summary)" : "moved to \(target), and \(nothing)")
      (step.domain, step.found) = (target, found)
      return step
    }
    if found > 0 {
      var step = SurveyStep(name, .ok, outcome.summary)
      step.found = found
      return step
    }
    return siteFault.map { Self.step(name, $0) } ?? ownFault(name)
  }

  private var nothing: String {
    if case .failed(let failure) = outcome { failure.summary } else { "nothing was found there" }
  }

  /// The host to which permanent redirects lead from the source's own.
  private var movedHost: String? {
    for exchange in exchanges where SiteAddress.host(of: exchange.url) == host {
      if case .page(let page) = exchange.answer, page.isMoved { return Self.authority(of: page.finalURL) }
    }
    return nil
  }

  /// The host with its port, as a catalog writes it.
  private static func authority(of url: String) -> String {
    guard let mark = url.firstRange(of: "://") else { return url }
    return String(url[mark.upperBound...].prefix { !"/?#".contains($0) }).printable()
  }

  // MARK: The site

  private struct SiteFault {
    let verdict: SurveyVerdict
    let text: String
    var status: Int?
  }

  private static func step(_ name: SurveyStep.Name, _ fault: SiteFault) -> SurveyStep {
    var step = SurveyStep(name, fault.verdict, fault.text)
    step.status = fault.status
    return step
  }

  /// What the site did wrong: what the parser says, else the last request that failed.
  private var siteFault: SiteFault? {
    if case .failed(let failure) = outcome, let page = failure.page { return Self.fault(page) }
    for (index, exchange) in exchanges.enumerated().reversed() {
      guard let fault = Self.fault(exchange) else { continue }
      // A page that is not there says something about a parser that goes on with others.
      if fault.verdict == .status, [404, 410].contains(fault.status), index < exchanges.count - 1 {
        continue
      }
      return fault
    }
    return nil
  }

  private static func fault(_ exchange: Exchange) -> SiteFault? {
    switch exchange.answer {
    case .fault(let fault): return self.fault(fault)
    case .page(let page) where page.status >= 400: return fault(status: page.status, exchange.url)
    case .page(let page):
      guard isLogin(page.finalURL), !isLogin(exchange.url) else { return nil }
      return SiteFault(verdict: .login, text: "the site leads to \(page.finalURL)", status: page.status)
    }
  }

  private static func fault(status: Int, _ url: String) -> SiteFault {
    let verdict: SurveyVerdict =
      switch status {
      case 401: .login
      case 403, 429, 451: .blocked
      default: .status
      }
    return SiteFault(verdict: verdict, text: "HTTP \(status) from \(url)", status: status)
  }

  private static func fault(_ page: PageFault) -> SiteFault? {
    let verdict: SurveyVerdict
    switch PageFaultCode(rawValue: page.code) {
    case .httpStatus: return fault(status: page.status ?? 0, page.url)
    case .challenge: verdict = .challenge
    case .timedOut: verdict = .timeout
    case .unknownHost: verdict = .dns
    case .unreachable: verdict = .unreachable
    case .tls: verdict = .tls
    case .truncated, .tooLarge, .tooManyRedirects, .undecodable, .protocolViolation: verdict = .answer
    case .refusedURL where page.status != nil: verdict = .answer
    case .refusedURL, .refusedRequest: return nil
    case .proxy, .notRecorded, .libraryMissing, .overBudget, .cancelled, nil: verdict = .unknown
    }
    return SiteFault(verdict: verdict, text: page.message, status: page.status)
  }

  private static func isLogin(_ url: String) -> Bool {
    guard let mark = url.firstRange(of: "://") else { return false }
    let path = url[mark.upperBound...].drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }.lowercased()
    let words = path.split { !$0.isLetter && $0 != "-" }
    return words.contains { ["login", "log-in", "signin", "sign-in", "wp-login"].contains($0) }
  }

  // MARK: The parser

  private func ownFault(_ name: SurveyStep.Name) -> SurveyStep {
    guard case .failed(let failure) = outcome else {
      return SurveyStep(name, .empty, "found nothing (\(outcome.summary))")
    }
    var step = SurveyStep(name, .fault, failure.message)
    (step.line, step.column) = (failure.line, failure.column)
    return step
  }
}
