internal import OTAManifest
internal import ParserPublisher
internal import ParserWorkbench

/// The checks as JUnit XML: a test for each check, failed when it refuses, skipped when it could not run.
///
/// In the form that the xunit plugin of Jenkins describes (`junit-10.xsd`): skipped tests are counted for a suite, and
/// nowhere else.
struct JUnitDocument {
  private let report: GateReport

  init(_ report: GateReport) { self.report = report }

  var bytes: [UInt8] {
    let failures = report.checks.count { check in !refusals(check.code).isEmpty }
    let counts =
      "tests=\"\(report.checks.count)\" failures=\"\(failures)\" errors=\"0\" "
      + "time=\"\(Self.seconds(report.milliseconds))\""
    let cases = report.checks.map(testCase).joined()
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="parser-ota" \(counts)>
        <testsuite name="parser-ota check" \(counts) skipped="\(report.notRun.count)">
      \(cases)  </testsuite>
      </testsuites>

      """.utf8)
  }

  private func findings(_ code: GateCode) -> [Finding] { report.findings.filter { $0.code == code } }
  private func refusals(_ code: GateCode) -> [Finding] { findings(code).filter(\.refuses) }

  private func testCase(_ check: GateReport.CheckRun) -> String {
    var time: Int64 = 0
    var body = ""
    switch check.outcome {
    case .ran(let milliseconds): time = milliseconds
    case .notRun(let reason): body += "      <skipped message=\"\(MarkupText.escaped(reason))\"/>\n"
    }
    let refusals = refusals(check.code)
    if let first = refusals.first {
      body +=
        "      <failure type=\"\(check.code.rawValue)\" message=\"\(MarkupText.escaped(first.message))\">"
        + MarkupText.escaped(refusals.map(Self.text).joined(separator: "\n")) + "</failure>\n"
    }
    let others = findings(check.code).filter { !$0.refuses }
    if !others.isEmpty {
      body +=
        "      <system-out>\(MarkupText.escaped(others.map(Self.text).joined(separator: "\n")))</system-out>\n"
    }
    let head =
      "    <testcase classname=\"parser-ota.check\" name=\"\(check.code.rawValue)\" time=\"\(Self.seconds(time))\""
    return body.isEmpty ? head + "/>\n" : head + ">\n" + body + "    </testcase>\n"
  }

  private static func text(_ finding: Finding) -> String {
    let place = finding.place.text.map { "\($0): " } ?? ""
    let sources = finding.sourcesNote
    return "\(finding.severity.rawValue): \(place)\(finding.message)\(sources)"
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }
}
