public import OTAManifest

/// What a survey found, ready to be written, compared and shown.
public struct SurveyReport: Equatable, Sendable {
  /// When the survey began.
  public let surveyed: Timestamp
  /// The digest of the bundle whose parsers were called.
  public let bundle: Digest
  /// The sources, in the order of the catalog.
  public let sources: [SurveyedSource]
  /// Whether there is a survey to compare with.
  public let isCompared: Bool

  /// Looks at what was surveyed, together and beside the survey before.
  ///
  /// - Parameter last: the survey before; `nil` compares with nothing, and then all that is wrong is new.
  public init(
    surveyed: Timestamp, bundle: Digest, sources: [SurveyedSource], since last: SurveyReport? = nil
  ) {
    (self.surveyed, self.bundle, isCompared) = (surveyed, bundle, last != nil)
    self.sources = SurveyAssessment.assess(sources, surveyed: surveyed, since: last)
  }

  init(read surveyed: Timestamp, bundle: Digest, sources: [SurveyedSource], isCompared: Bool) {
    (self.surveyed, self.bundle, self.sources) = (surveyed, bundle, sources)
    self.isCompared = isCompared
  }

  /// The number of sources in a state.
  public func count(_ state: SurveyState) -> Int { sources.count { $0.state == state } }

  /// The sources with a change, in order.
  public func sources(_ change: SurveyChange) -> [SurveyedSource] { sources.filter { $0.change == change } }

  /// Whether no site at all could be reached, so that the fault is with the network from which was asked.
  public var isWithoutNetwork: Bool {
    let asked = sources.compactMap(\.decisive)
    return !sources.isEmpty && asked.count == sources.count
      && asked.allSatisfy { step in
        step.name == .list && [.dns, .timeout, .unreachable, .unknown, .tls].contains(step.verdict)
      } && sources.count > 1
  }

  /// The whole survey in one sentence.
  public var sentence: String {
    let counts = SurveyState.allCases.map { ($0, count($0)) }.filter { $0.1 > 0 }
    let total = sources.count == 1 ? "1 source" : "\(sources.count) sources"
    return "surveyed \(total): " + counts.map { "\($0.1) \($0.0.rawValue)" }.joined(separator: ", ")
  }
}
