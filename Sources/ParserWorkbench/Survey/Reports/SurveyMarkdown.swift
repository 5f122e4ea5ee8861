internal import OTAManifest

/// A survey as the text of one issue, which a pipeline opens, edits and closes.
public enum SurveyMarkdown {
  /// What the pipeline finds its issue by.
  public static let mark = "<!-- parser-ota survey -->"
  /// Hosts of issues cut longer texts off, or refuse them.
  private static let maxBytes = 60_000
  private static let maxRows = 150

  /// The text; what does not fit is counted.
  public static func text(_ report: SurveyReport) -> String {
    var parts = [mark, "Survey of \(report.surveyed): \(report.sentence.dropFirst("surveyed ".count)).\n"]
    parts += section("New", report.sources(.new))
    parts += section("Still", report.sources(.still))
    let fixed = report.sources(.fixed)
    if !fixed.isEmpty {
      let names = fixed.prefix(maxRows).map { MarkupText.markdownCell($0.id.text) }
      parts.append("**Fixed (\(fixed.count)):** \(names.joined(separator: ", "))\n")
    }
    let unknown = report.sources.filter { $0.state == .unknown }
    if !unknown.isEmpty {
      parts.append(
        "\(unknown.count) could not be surveyed from here: the site asks for a browser, or refuses this network.\n"
      )
    }
    if report.sources(.new).isEmpty && report.sources(.still).isEmpty {
      parts.append("Nothing has to be done.\n")
    }
    let text = parts.joined(separator: "\n")
    guard text.utf8.count > maxBytes else { return text }
    return String(decoding: text.utf8.prefix(maxBytes), as: UTF8.self) + "\n\n… and more: see the table.\n"
  }

  private static func section(_ title: String, _ sources: [SurveyedSource]) -> [String] {
    guard !sources.isEmpty else { return [] }
    var lines = [
      "### \(title) (\(sources.count))", "", "| source | state | family | what |", "|---|---|---|---|",
    ]
    lines += sources.prefix(maxRows).map { source in
      let cells = [source.id.text, source.state.rawValue, source.family, source.text]
      return "| " + cells.map(MarkupText.markdownCell).joined(separator: " | ") + " |"
    }
    if sources.count > maxRows { lines += ["", "and \(sources.count - maxRows) more"] }
    return [lines.joined(separator: "\n") + "\n"]
  }
}
