public import OTAManifest

/// One thing that apps ask of a source, and what it came to.
public struct SurveyStep: Equatable, Sendable {
  /// What is asked, in the order in which apps do.
  public enum Name: String, Sendable, CaseIterable {
    case list, search, details, pages, picture

    /// Whether a source cannot be read without it.
    public var isEssential: Bool { self == .list || self == .details || self == .pages }
  }

  /// What was asked.
  public let name: Name
  /// What it came to.
  public var verdict: SurveyVerdict
  /// The same in a few words, such as `24 titles`; one line.
  public var text: String
  /// How much of what a reader needs was found: titles, chapters, pages.
  public var found = 0
  /// The fields that most items had, sorted.
  public var fields: [String] = []
  /// The fields that the last survey had and this one does not, sorted.
  public var missing: [String] = []
  /// The line in the bundle, from 1, where a parser failed and says where.
  public var line: Int?
  /// The column, from 1.
  public var column: Int?
  /// The status of the site's answer, where it is to blame.
  public var status: Int?
  /// Where the site moved to.
  public var domain: String?

  /// Describes a step.
  public init(_ name: Name, _ verdict: SurveyVerdict, _ text: String) {
    (self.name, self.verdict) = (name, verdict)
    self.text = text.printable(maxCharacters: 300)
  }
}

/// One source with what its steps came to.
public struct SurveyedSource: Equatable, Sendable {
  /// A survey of the past and what it said.
  public struct Day: Equatable, Sendable {
    /// When the survey began.
    public let surveyed: Timestamp
    /// What it said.
    public let state: SurveyState

    /// Describes a day.
    public init(surveyed: Timestamp, state: SurveyState) { (self.surveyed, self.state) = (surveyed, state) }
  }

  /// How many surveys are remembered.
  public static let maxHistory = 30

  /// The id of the source.
  public let id: SourceID
  /// The name that people read.
  public let title: String
  /// The language; empty when there is none.
  public let locale: String
  /// The family of its parser.
  public let family: String
  /// The host that the catalog names.
  public let domain: String
  /// The steps, in the order in which apps ask.
  public var steps: [SurveyStep]
  /// Whether the parser is to blame where it found nothing: others of its family find something.
  public var isSuspicious = false
  /// What became of it since the survey before; `nil` without one, when it is well as before, or when nothing is known.
  public var change: SurveyChange?
  /// The surveys before this one and this one, oldest first.
  public var history: [Day] = []

  /// Describes a source of a catalog.
  public init(_ entry: SourceEntry, steps: [SurveyStep]) {
    (id, title, locale) = (entry.id, entry.title, entry.locale)
    (family, domain, self.steps) = (entry.family, entry.domain, steps)
  }

  init(
    id: SourceID, names: (title: String, locale: String), family: String, domain: String,
    steps: [SurveyStep]
  ) {
    (self.id, title, locale) = (id, names.title, names.locale)
    (self.family, self.domain, self.steps) = (family, domain, steps)
  }

  /// The step of this name; `nil` when it was not surveyed.
  public func step(_ name: SurveyStep.Name) -> SurveyStep? { steps.first { $0.name == name } }

  /// The step that decides: the first essential one that is not well, else the first other one.
  public var decisive: SurveyStep? {
    let wrong = steps.filter { $0.verdict != .ok && $0.verdict != .skipped }
    return wrong.first { $0.name.isEssential && $0.verdict != .fewer && $0.verdict != .moved }
      ?? wrong.first { $0.verdict == .moved } ?? wrong.first { $0.verdict == .fewer } ?? wrong.first
  }

  /// What readers can do.
  public var state: SurveyState {
    guard let decisive else { return .ok }
    switch decisive.verdict {
    case .ok, .skipped: return .ok
    case .moved: return steps.allSatisfy { $0.verdict != .moved || $0.found > 0 } ? .moved : .broken
    case .fewer: return .degraded
    case .challenge, .blocked, .unknown: return decisive.name.isEssential ? .unknown : .ok
    case .timeout, .unreachable, .answer: return .degraded
    case .status where (decisive.status ?? 0) >= 500: return .degraded
    case .empty, .fault, .login, .status, .dns, .tls:
      return decisive.name.isEssential ? .broken : .degraded
    }
  }

  /// Whether the maintainer has to do something: a site that is down for the moment comes back by itself.
  public var needsWork: Bool {
    state == .broken || state == .moved || (state == .degraded && blame == .parser)
  }

  /// Who has to act.
  public var blame: SurveyVerdict.Blame {
    guard let decisive else { return .none }
    switch decisive.verdict {
    case .empty: return isSuspicious ? .parser : .site
    case .status where [404, 410].contains(decisive.status): return .parser
    default: return decisive.verdict.blame
    }
  }

  /// What is wrong in one line, such as `list: TypeError: … (120:7)`; `ok` when nothing is.
  public var text: String {
    guard let decisive else { return "ok" }
    var place = ""
    if let line = decisive.line { place = " (\(line)\(decisive.column.map { ":\($0)" } ?? ""))" }
    let doubt =
      decisive.verdict == .empty && isSuspicious ? "; others of \(family.printable()) find something" : ""
    return "\(decisive.name.rawValue): \(decisive.text)\(place)\(doubt)"
  }
}
