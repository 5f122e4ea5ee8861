internal import OTAFeed
internal import OTAManifest

extension Publisher {
  /// Lets a release through the gate, or throws a problem that names everything that holds it back.
  func pass(
    _ candidate: GateCandidate, _ live: GateBaseline?, _ request: PublishRequest,
    _ settings: FeedSettings
  ) async throws(Problem) -> GateReport {
    var gate = request.gate
    gate.allowances += request.allowedRemovals.map { Allowance(.idsRemoved, $0) }
    if gate.engines.isEmpty { gate.engines = settings.engines }
    let report = await gate.check(candidate, against: live)
    // An engine that was killed on the way says nothing about the release.
    guard !Task.isCancelled else {
      throw Problem(.cancelled, "publish was interrupted before anything was written")
    }
    request.observeGate?(report)
    guard report.isRefused else { return report }
    throw Self.problem(report.refusals)
  }

  /// The same as a value, for a gate that works beside something else.
  func passing(
    _ candidate: GateCandidate, _ live: GateBaseline?, _ request: PublishRequest,
    _ settings: FeedSettings
  ) async -> Result<GateReport, Problem> {
    do throws(Problem) {
      return .success(try await pass(candidate, live, request, settings))
    } catch {
      return .failure(error)
    }
  }

  /// The code of the check when a single check refuses and has one among the problems, else `gate-refused`.
  private static func problem(_ refusals: [Finding]) -> Problem {
    let codes = Set(refusals.map(\.code))
    if codes.count == 1, let first = refusals.first, let code = problemCodes[first.code] {
      return Problem(
        code, first.message + (first.sources.isEmpty ? "" : ": \(first.sourcesPhrase)"), advice: first.advice)
    }
    let named = refusals.prefix(maxNamed).map { finding in
      let place = finding.place.text.map { " (\($0.printable(maxCharacters: 200)))" } ?? ""
      let sources = finding.sources.isEmpty ? "" : ": \(finding.sourcesPhrase)"
      return "\(finding.code.rawValue): \(finding.message)\(sources)\(place)"
    }
    let rest = refusals.count > maxNamed ? "; and \(refusals.count - maxNamed) more" : ""
    let count = refusals.count == 1 ? "1 finding" : "\(refusals.count) findings"
    return Problem(
      .gateRefused, "the release is refused for \(count): \(named.joined(separator: "; "))\(rest)",
      advice: "parser-ota check shows everything; --allow CODE[:ID] permits a finding")
  }

  private static let maxNamed = 5
  private static let problemCodes: [GateCode: ProblemCode] = [
    .idsRemoved: .idsRemoved, .noEngine: .noEngine, .withdrawnContent: .withdrawnContent,
  ]

  /// Says that an allowance was of no use, which may be a slip in its name.
  static func unused(_ allowance: Allowance) -> String {
    guard allowance.code == .idsRemoved, let name = allowance.name else {
      return "\(allowance.text.printable()) was allowed, and nothing of that kind was found"
    }
    return "\(name.printable()) was allowed to be removed, but this release does not remove it"
  }
}
