internal import OTAManifest
internal import ParserPublisher

/// The findings as SARIF 2.1.0, which code scanning reads.
struct SARIFDocument {
  private let report: GateReport

  init(_ report: GateReport) { self.report = report }

  var bytes: [UInt8] {
    JSONValue.object([
      JSONMember("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")),
      JSONMember("version", .string("2.1.0")), JSONMember("runs", .array([run])),
    ]).encoded(indented: true)
  }

  private var run: JSONValue {
    .object([
      JSONMember("tool", .object([JSONMember("driver", driver)])),
      JSONMember("columnKind", .string("utf16CodeUnits")), JSONMember("invocations", .array([invocation])),
      JSONMember("results", .array(report.findings.map(result))),
    ])
  }

  private var driver: JSONValue {
    .object([
      JSONMember("name", .string("parser-ota")),
      JSONMember(
        "rules",
        .array(
          GateCode.allCases.map { code in
            .object([
              JSONMember("id", .string(code.rawValue)),
              JSONMember("shortDescription", Self.text(code.summary)),
              JSONMember("defaultConfiguration", .object([JSONMember("level", .string("error"))])),
            ])
          })),
    ])
  }

  /// The run succeeded whatever it found; what could not run is told as a notification.
  private var invocation: JSONValue {
    .object([
      JSONMember("executionSuccessful", .bool(true)),
      JSONMember(
        "toolExecutionNotifications",
        .array(
          report.notRun.map { code, reason in
            .object([
              JSONMember("level", .string("note")), JSONMember("message", Self.text("not run: \(reason)")),
              JSONMember("associatedRule", Self.rule(code)),
            ])
          })),
    ])
  }

  private func result(_ finding: Finding) -> JSONValue {
    var members = [
      JSONMember("ruleId", .string(finding.code.rawValue)),
      JSONMember("ruleIndex", .integer(Self.index(finding.code))),
      JSONMember("level", .string(finding.severity.rawValue)), JSONMember("message", Self.message(finding)),
    ]
    // Code scanning takes no result without a place; what concerns the release as a whole stands at its bundle.
    let place = finding.place.file == nil ? Finding.Place(file: report.bundleName) : finding.place
    if let location = Self.location(place) {
      members.append(JSONMember("locations", .array([location])))
    }
    members.append(
      JSONMember(
        "partialFingerprints", .object([JSONMember("parserOTA/v1", .string(finding.fingerprint))])))
    if !finding.allowedBy.isEmpty {
      members.append(
        JSONMember(
          "suppressions",
          .array([
            .object([
              JSONMember("kind", .string("external")),
              JSONMember(
                "justification",
                .string("--allow " + finding.allowedBy.map(\.text).joined(separator: " --allow "))),
            ])
          ])))
    }
    members.append(JSONMember("properties", Self.properties(finding)))
    return .object(members)
  }

  private static func message(_ finding: Finding) -> JSONValue {
    let sources = finding.sourcesNote
    return text(finding.message + sources + (finding.advice.map { "; \($0)" } ?? ""))
  }

  private static func location(_ place: Finding.Place) -> JSONValue? {
    guard let file = place.file else { return nil }
    var physical = [JSONMember("artifactLocation", .object([JSONMember("uri", .string(uri(file)))]))]
    if let line = place.line, line > 0 {
      var region = [JSONMember("startLine", .integer(Int64(line)))]
      if let column = place.column, column > 0 {
        region.append(JSONMember("startColumn", .integer(Int64(column))))
      }
      physical.append(JSONMember("region", .object(region)))
    }
    return .object([JSONMember("physicalLocation", .object(physical))])
  }

  private static func properties(_ finding: Finding) -> JSONValue {
    var members = [JSONMember("sources", .array(finding.sources.map { .string($0) }))]
    if let method = finding.method { members.append(JSONMember("method", .string(method))) }
    return .object(members)
  }

  private static func rule(_ code: GateCode) -> JSONValue {
    .object([JSONMember("id", .string(code.rawValue)), JSONMember("index", .integer(index(code)))])
  }

  private static func index(_ code: GateCode) -> Int64 { Int64(GateCode.allCases.firstIndex(of: code) ?? 0) }

  private static func text(_ text: String) -> JSONValue { .object([JSONMember("text", .string(text))]) }

  /// A path as a URI reference: what has a meaning in one is written as its code.
  private static func uri(_ path: String) -> String {
    let plain = path.hasPrefix("/") ? "file://" + path : path
    var uri = ""
    for byte in plain.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
        || ["/", ".", "-", "_", "~"].contains(scalar) || scalar == ":" && path.hasPrefix("/")
      uri +=
        isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return uri
  }
}
