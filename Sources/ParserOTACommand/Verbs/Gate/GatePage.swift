internal import OTAManifest
internal import ParserEngine
internal import ParserPublisher
internal import ParserWorkbench

/// What the gate found, for people and for programs.
struct GatePage {
  private let report: GateReport

  init(_ report: GateReport) { self.report = report }

  // MARK: For people

  /// A line for each finding, then what ran.
  var lines: [String] { Self.rows(report.findings).lines() + (report.fixtures?.lines ?? []) + runLines }

  /// How much of each family's code ran on made-up pages, one line each.
  var coverageLines: [String] {
    let width = report.coverage.map(\.family.count).max() ?? 0
    return report.coverage.map { family in
      let text = family.family.printable()
      let name = text + String(repeating: " ", count: max(0, width - text.count))
      let missed = family.missed.prefix(6).map(String.init).joined(separator: ", ")
      let more = family.missed.count > 6 ? " and \(family.missed.count - 6) more" : ""
      let rest = missed.isEmpty ? "" : "; not run from lines \(missed)\(more)"
      return
        "coverage  \(name)  \(family.percent) % of \(family.lines) lines, \(family.sources) sources\(rest)"
    }
  }

  /// What keeps the release from going out, one line each; of many, the first ones.
  var refusalLines: [String] {
    // They are printed two columns further in.
    Self.rows(report.refusals, width: WrappedText.width - 2).lines(limit: 20)
  }

  /// Findings that let the release through, one line each.
  var passedLines: [String] {
    report.findings.filter { $0.severity == .error && !$0.refuses }.map { finding in
      let by = finding.allowedBy.map(\.text).joined(separator: ", ")
      return "  allowed  \(by): \(finding.message)"
    }
  }

  /// Warnings as sentences that begin with their code.
  var warnings: [String] {
    report.findings.filter { $0.severity == .warning && $0.allowedBy.isEmpty }.map { finding in
      let place = finding.place.text.map { "\($0): " } ?? ""
      let sources = finding.sourcesNote
      return "\(finding.code.rawValue): \(place)\(finding.message)\(sources)"
    }
  }

  /// Checks that could not run although nothing held them up but a missing part.
  var notRunWarnings: [String] {
    let missed = report.notRun.filter { $0.code.needsEngine }
    guard !missed.isEmpty, report.findings.contains(where: { $0.code == .noEngine }) else { return [] }
    return ["not run, for want of an engine: \(missed.map(\.code.rawValue).joined(separator: ", "))"]
  }

  private static func rows(_ findings: [Finding], width: Int = WrappedText.width) -> FindingRows {
    var rows = FindingRows(width: width)
    for finding in findings {
      let word =
        finding.refuses ? "refused" : finding.allowedBy.isEmpty ? finding.severity.rawValue : "allowed"
      rows.add(finding.code.rawValue, word, text(finding), more: waysOut(finding))
    }
    return rows
  }

  /// What to do about a finding that refuses alone; `nil` when there is nothing to say.
  static func hint(_ finding: Finding) -> String? {
    let allowance = finding.allowanceHint.map { "if it is meant, add \($0)" }
    let parts = [finding.advice, allowance].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Place, sentence and sources.
  private static func text(_ finding: Finding) -> String {
    let place = finding.place.text.map { "\($0): " } ?? ""
    return place + finding.message + finding.sourcesNote
  }

  /// What to do about a finding, each on a line of its own.
  private static func waysOut(_ finding: Finding) -> [String] {
    if !finding.allowedBy.isEmpty {
      return ["allowed by: \(finding.allowedBy.map(\.text).joined(separator: ", "))"]
    }
    guard finding.severity != .note else { return [] }
    let allowance = finding.refuses ? finding.allowanceHint.map { "if it is meant: \($0)" } : nil
    return [finding.advice.map { "to do: \($0)" }, allowance].compactMap(\.self)
  }

  private var runLines: [String] {
    let ran = report.checks.compactMap { check in
      if case .ran(let time) = check.outcome { "\(check.code.rawValue) \(time) ms" } else { nil }
    }
    var reasons: [(reason: String, codes: [String])] = []
    for (code, reason) in report.notRun {
      if let index = reasons.firstIndex(where: { $0.reason == reason }) {
        reasons[index].codes.append(code.rawValue)
      } else {
        reasons.append((reason, [code.rawValue]))
      }
    }
    return Self.wrapped("checked  \(ran.joined(separator: ", "))")
      + reasons.flatMap { Self.wrapped("not run  \($0.codes.joined(separator: ", ")): \($0.reason)") }
  }

  private static func wrapped(_ text: String) -> [String] {
    WrappedText.lines(text, firstIndent: 0, indent: "checked  ".count)
  }

  // MARK: For programs

  /// Members of an object; the schema is stable.
  var members: [JSONMember] {
    var members = [
      JSONMember("refused", .bool(report.isRefused)),
      JSONMember("sources", .integer(Int64(report.sourceCount))),
      JSONMember("comparedWith", report.comparedWith.map { .integer($0.number) } ?? .null),
      JSONMember("findings", .array(report.findings.map(Self.json))),
      JSONMember("checks", .array(report.checks.map(Self.json))),
      JSONMember("allowed", .array(report.usedAllowances.map { .string($0.text) })),
      JSONMember("unusedAllowances", .array(report.unusedAllowances.map { .string($0.text) })),
      JSONMember("milliseconds", .integer(report.milliseconds)),
    ]
    if let fixtures = report.fixtures { members.append(JSONMember("fixtures", Self.json(fixtures))) }
    if let held = report.confinement { members.append(JSONMember("confinement", held.json)) }
    return members
  }

  /// How much of each family's code ran on made-up pages.
  var coverageMember: JSONMember {
    JSONMember(
      "coverage",
      .array(
        report.coverage.map { family in
          .object([
            JSONMember("family", .string(family.family)),
            JSONMember("sources", .integer(Int64(family.sources))),
            JSONMember("lines", .integer(Int64(family.lines))),
            JSONMember("ranLines", .integer(Int64(family.ranLines))),
            JSONMember("missed", .array(family.missed.map { .integer(Int64($0)) })),
          ])
        }))
  }

  private static func json(_ fixtures: FixtureReport) -> JSONValue {
    .object([
      JSONMember("score", fixtures.score.json),
      JSONMember("sources", .array(fixtures.sources.map(json))),
      JSONMember("absent", .array(fixtures.absent.map { .string($0.text) })),
    ])
  }

  private static func json(_ source: FixtureComparison.Source) -> JSONValue {
    let steps = source.steps.map { step in
      JSONValue.object([
        JSONMember("method", .string(step.name)), JSONMember("verdict", .string(step.verdict.rawValue)),
        JSONMember("before", .string(step.before.summary)), JSONMember("now", .string(step.now.summary)),
      ])
    }
    return .object([
      JSONMember("id", .string(source.id.text)), JSONMember("verdict", .string(source.verdict.rawValue)),
      JSONMember("steps", .array(steps)),
    ])
  }

  static func json(_ finding: Finding) -> JSONValue {
    func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    func number(_ number: Int?) -> JSONValue { number.map { .integer(Int64($0)) } ?? .null }
    return .object([
      JSONMember("code", .string(finding.code.rawValue)),
      JSONMember("severity", .string(finding.severity.rawValue)),
      JSONMember("refuses", .bool(finding.refuses)), JSONMember("message", .string(finding.message)),
      JSONMember("sources", .array(finding.sources.map { .string($0) })),
      JSONMember("method", text(finding.method)), JSONMember("subject", text(finding.subject)),
      JSONMember("file", text(finding.place.file)), JSONMember("line", number(finding.place.line)),
      JSONMember("column", number(finding.place.column)), JSONMember("advice", text(finding.advice)),
      JSONMember("allow", text(finding.allowanceText)),
      JSONMember("allowedBy", .array(finding.allowedBy.map { .string($0.text) })),
      JSONMember("fingerprint", .string(finding.fingerprint)),
    ])
  }

  private static func json(_ check: GateReport.CheckRun) -> JSONValue {
    var members = [JSONMember("code", .string(check.code.rawValue))]
    switch check.outcome {
    case .ran(let time):
      members += [JSONMember("ran", .bool(true)), JSONMember("milliseconds", .integer(time))]
    case .notRun(let reason):
      members += [JSONMember("ran", .bool(false)), JSONMember("reason", .string(reason))]
    }
    return .object(members)
  }
}
