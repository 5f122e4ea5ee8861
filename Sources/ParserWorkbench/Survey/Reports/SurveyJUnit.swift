internal import OTAManifest

/// A survey as JUnit XML: a test for each source, failed when its parser has to be looked at.
///
/// A site that is down or that refuses this network is skipped: it says nothing about the parser.
public enum SurveyJUnit {
  /// The bytes of the document.
  public static func bytes(_ report: SurveyReport) -> [UInt8] {
    let failed = report.sources.count(where: \.needsWork)
    let skipped = report.sources.count { isSkipped($0) }
    let counts = "tests=\"\(report.sources.count)\" failures=\"\(failed)\" errors=\"0\""
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="parser-ota" \(counts)>
        <testsuite name="parser-ota survey" \(counts) skipped="\(skipped)" timestamp="\(report.surveyed)">
      \(report.sources.map(testCase).joined())  </testsuite>
      </testsuites>

      """.utf8)
  }

  private static func isSkipped(_ source: SurveyedSource) -> Bool {
    !source.needsWork && source.state != .ok
  }

  private static func testCase(_ source: SurveyedSource) -> String {
    let head =
      "    <testcase classname=\"\(MarkupText.escaped(source.family))\" name=\"\(MarkupText.escaped(source.id.text))\""
    let text = MarkupText.escaped(source.text)
    if source.needsWork {
      let steps = source.steps.map { "\($0.name.rawValue): \($0.verdict.rawValue), \($0.text)" }
      return """
        \(head)>
              <failure type="\(source.decisive?.verdict.rawValue ?? "")" message="\(text)">\
        \(MarkupText.escaped(steps.joined(separator: "\n")))</failure>
            </testcase>

        """
    }
    if isSkipped(source) { return "\(head)>\n      <skipped message=\"\(text)\"/>\n    </testcase>\n" }
    return "\(head)/>\n"
  }
}
