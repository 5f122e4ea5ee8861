internal import OTAManifest
internal import ParserPublisher

/// The findings as workflow commands of GitHub, which shows them at their lines.
enum Annotations {
  /// More than these nobody reads; GitHub itself shows ten of a kind for each step.
  private static let maxCount = 50

  static func lines(_ report: GateReport) -> [String] {
    report.findings.prefix(maxCount).map { finding in
      var properties: [String] = []
      func add(_ name: String, _ value: String?) {
        if let value { properties.append("\(name)=\(escaped(value, inProperty: true))") }
      }
      add("file", finding.place.file)
      add("line", finding.place.line?.description)
      add("col", finding.place.column?.description)
      add("title", finding.code.rawValue)
      let sources = finding.sourcesNote
      return "::\(command(finding)) \(properties.joined(separator: ","))::"
        + escaped(finding.message + sources, inProperty: false)
    }
  }

  private static func command(_ finding: Finding) -> String {
    if finding.refuses { return "error" }
    return finding.severity == .note ? "notice" : "warning"
  }

  /// What would end a command or a property becomes a code. Source: actions/toolkit, `command.ts`.
  static func escaped(_ text: String, inProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where inProperty: escaped += "%3A"
      case "," where inProperty: escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
