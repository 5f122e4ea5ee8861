public import OTAManifest
public import ParserEngine
public import ParserWorkbench

/// What the gate found out about a release, and whether it may go out.
public struct GateReport: Sendable {
  /// One check: how long it took, or why it could not run.
  public struct CheckRun: Sendable, Equatable {
    /// How a check ended; what it found stands among the findings.
    public enum Outcome: Sendable, Equatable {
      /// It ran to its end.
      case ran(milliseconds: Int64)
      /// It did not run, or not to its end; the text is the rest of a sentence.
      case notRun(String)
    }

    /// The check.
    public let code: GateCode
    /// How it ended.
    public let outcome: Outcome

    /// Describes a check that was asked for.
    public init(_ code: GateCode, _ outcome: Outcome) { (self.code, self.outcome) = (code, outcome) }
  }

  /// What findings call the bundle, for reports that want a file with each of them.
  public let bundleName: String
  /// What was found: what refuses first, then errors that are allowed, warnings and notes.
  public let findings: [Finding]
  /// The checks in the order in which they are documented, each once.
  public let checks: [CheckRun]
  /// The live release that the new one was compared with; `nil` when there was none.
  public let comparedWith: ReleaseVersion?
  /// How many sources the catalog has; 0 when it cannot be read.
  public let sourceCount: Int
  /// Allowances that let nothing through.
  public let unusedAllowances: [Allowance]
  /// The time from the first check to the last.
  public let milliseconds: Int64
  /// What became of recorded sources; `nil` when none were replayed.
  public let fixtures: FixtureReport?
  /// How much of each family's code ran on made-up pages; empty when none was called.
  public var coverage: [FamilyCoverage] = []
  /// What kept the bundle in while it ran; `nil` when it did not run.
  public var confinement: EngineConfinement?

  /// What keeps the release from going out.
  public var refusals: [Finding] { findings.filter(\.refuses) }
  /// Whether the release may not go out.
  public var isRefused: Bool { findings.contains(where: \.refuses) }

  /// The allowances that let an error through, in the order of their texts: what a manifest records.
  public var usedAllowances: [Allowance] {
    let used = Set(findings.filter { $0.severity == .error }.flatMap(\.allowedBy))
    return used.sorted { Array($0.text.utf8).lexicographicallyPrecedes(Array($1.text.utf8)) }
  }

  /// The checks that could not run, each with the reason.
  public var notRun: [(code: GateCode, reason: String)] {
    checks.compactMap { check in
      if case .notRun(let reason) = check.outcome { (check.code, reason) } else { nil }
    }
  }

  /// The verdict as one sentence.
  public var summary: String {
    let warnings = findings.count { $0.severity == .warning && $0.allowedBy.isEmpty }
    let counted = [
      Self.count(refusals.count, "error"), Self.count(findings.count { !$0.allowedBy.isEmpty }, "allowed"),
      Self.count(warnings, "warning"),
    ].compactMap(\.self)
    let tail = counted.isEmpty ? "nothing found" : counted.joined(separator: ", ")
    if isRefused { return "the release is refused: \(tail)" }
    guard findings.contains(where: { $0.code == .noEngine }) else { return "the release may go out: \(tail)" }
    return "nothing that was checked refuses the release, but the bundle was not run: \(tail)"
  }

  private static func count(_ number: Int, _ word: String) -> String? {
    switch number {
    case 0: nil
    case 1: "1 \(word)"
    default: word == "allowed" ? "\(number) allowed" : "\(number) \(word)s"
    }
  }
}
