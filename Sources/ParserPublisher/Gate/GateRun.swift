internal import OTAManifest
internal import ParserEngine
internal import ParserWorkbench

/// The state of one run of the gate: what ran, how long, and what it found.
struct GateRun {
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var findings: [Finding] = []
  private var checks: [GateCode: GateReport.CheckRun.Outcome] = [:]
  /// What the engine found in the bundle, once it has looked.
  var inspection: BundleInspection?
  /// What became of recorded sources.
  var fixtures: FixtureReport?
  /// How much of each family's code ran on made-up pages.
  var coverage: [FamilyCoverage] = []
  /// What keeps the engine in; `nil` before it runs.
  var confinement: EngineConfinement?

  /// Whether the engine must be there for a release to go out.
  private let requiresEngine: Bool

  /// What findings call the bundle.
  private let bundleName: String

  init(requiresEngine: Bool, bundleName: String) {
    start = clock.now
    (self.requiresEngine, self.bundleName) = (requiresEngine, bundleName)
  }

  /// Runs a check that needs no waiting.
  mutating func record(_ code: GateCode, _ check: () -> [Finding]) {
    let begin = clock.now
    add(check())
    ran(code, since: begin)
  }

  /// Notes that a check ran from `begin` until now.
  mutating func ran(_ code: GateCode, since begin: ContinuousClock.Instant) {
    checks[code] = .ran(milliseconds: Self.milliseconds(clock.now - begin))
  }

  /// Notes how long a check took that ran beside others.
  mutating func ran(_ code: GateCode, milliseconds: Int64) {
    checks[code] = .ran(milliseconds: milliseconds)
  }

  /// Whether a check ran to its end.
  func hasRun(_ code: GateCode) -> Bool { if case .ran? = checks[code] { true } else { false } }

  mutating func add(_ found: [Finding]) { findings += found }

  /// Notes that a check could not run, unless it is known how it ended.
  mutating func skip(_ code: GateCode, _ reason: String) {
    if checks[code] == nil { checks[code] = .notRun(reason) }
  }

  /// Notes that the engine cannot be used, which holds a release back unless somebody allows it.
  mutating func withoutEngine(_ reason: String) {
    let codes = GateCode.allCases.filter { $0.needsEngine && checks[$0] == nil }
    for code in codes { skip(code, "it needs the engine") }
    let missed = codes.map(\.rawValue).joined(separator: ", ")
    add([
      Finding(
        .noEngine, requiresEngine ? .error : .warning,
        "the engine cannot be used: \(reason); not run: \(missed)",
        advice: "install parser-ota-engine, or name it with --engine FILE"
          + (requiresEngine ? "; to publish without these checks, add --allow no-engine" : ""))
    ])
    checks[.noEngine] = .ran(milliseconds: 0)
  }

  func report(
    _ allowances: [Allowance], catalogs: [SourceCatalog], comparedWith version: ReleaseVersion?
  ) -> GateReport {
    var rules = AllowanceRules(allowances, catalogs: catalogs)
    let findings = rules.apply(to: FindingTwins.removed(from: findings))
    let runs = GateCode.allCases.compactMap { code in
      checks[code].map { GateReport.CheckRun(code, $0) }
    }
    var seen: Set<Allowance> = []
    return GateReport(
      bundleName: bundleName, findings: Self.ordered(findings), checks: runs, comparedWith: version,
      sourceCount: catalogs.first?.entries.count ?? 0,
      unusedAllowances: allowances.filter { !rules.used.contains($0) && seen.insert($0).inserted },
      milliseconds: Self.milliseconds(clock.now - start), fixtures: fixtures,
      coverage: coverage, confinement: confinement)
  }

  /// What refuses first; the order of the checks within each group.
  private static func ordered(_ findings: [Finding]) -> [Finding] {
    func rank(_ finding: Finding) -> Int {
      switch finding.severity {
      case .error: finding.refuses ? 0 : 1
      case .warning: 2
      case .note: 3
      }
    }
    let codes = GateCode.allCases
    func order(_ finding: Finding) -> Int { codes.firstIndex(of: finding.code) ?? 0 }
    return findings.enumerated().sorted {
      (rank($0.element), order($0.element), $0.offset) < (rank($1.element), order($1.element), $1.offset)
    }.map(\.element)
  }

  static func milliseconds(_ duration: Duration) -> Int64 {
    duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
  }
}

extension GateRun {
  /// Gives the place of a syntax fault, of which the engine tells the line alone, its column.
  mutating func place(syntax: CodeReading.SyntaxFault) {
    findings = findings.map { finding in
      guard finding.code == .syntax, finding.place.column == nil,
        finding.place.line ?? syntax.line == syntax.line
      else {
        return finding
      }
      return finding.with {
        $0.place.line = syntax.line
        $0.place.column = syntax.column
      }
    }
  }
}
