public import OTAManifest

/// A survey as JSON: `survey.json`, and line by line the journal of one that is on its way.
public enum SurveyDocument {
  /// The version of the format that this code writes and reads.
  public static let format: Int64 = 1
  /// Larger than a survey of 10 000 sources.
  public static let maxBytes = 64 << 20
  private static let maxSources = 20_000

  /// The bytes of `survey.json`; the same for the same survey.
  public static func bytes(_ report: SurveyReport) -> [UInt8] { value(report).encoded(indented: true) }

  /// The survey as one JSON object.
  public static func value(_ report: SurveyReport) -> JSONValue {
    let states = SurveyState.allCases.map { JSONMember($0.rawValue, .integer(Int64(report.count($0)))) }
    return .object([
      JSONMember("format", .integer(format)), JSONMember("surveyed", .string(report.surveyed.description)),
      JSONMember("bundle", .string(report.bundle.hex)), JSONMember("compared", .bool(report.isCompared)),
      JSONMember("states", .object(states)), JSONMember("sources", .array(report.sources.map(value))),
    ])
  }

  /// Reads `survey.json`.
  ///
  /// - Throws: `InputError` with the path of the field.
  public static func read(_ bytes: [UInt8]) throws(InputError) -> SurveyReport {
    let object = try JSONObject(JSONReader.read(bytes, maxBytes: maxBytes, maxDepth: 8))
    let format = try object.integer("format")
    guard format == Self.format else {
      throw InputError(.outOfRange, field: "format", "is \(format); this version reads \(Self.format)")
    }
    let items = try object.array("sources")
    guard items.count <= maxSources else {
      throw InputError(.outOfRange, field: "sources", "has \(items.count) items, more than \(maxSources)")
    }
    var sources: [SurveyedSource] = []
    for (index, item) in items.enumerated() {
      sources.append(try source(JSONObject(item, path: "sources[\(index)]")))
    }
    return SurveyReport(
      read: try object.parsed("surveyed", "is not a moment such as 2026-06-11T09:12:44Z") { Timestamp($0) },
      bundle: try object.parsed("bundle", "is not 64 hexadecimal digits") { Digest(hex: $0) },
      sources: sources, isCompared: try object.bool("compared"))
  }

  // MARK: A source

  static func value(_ source: SurveyedSource) -> JSONValue {
    var members = [
      JSONMember("id", .string(source.id.text)), JSONMember("title", .string(source.title)),
      JSONMember("locale", .string(source.locale)), JSONMember("family", .string(source.family)),
      JSONMember("domain", .string(source.domain)), JSONMember("state", .string(source.state.rawValue)),
      JSONMember("blame", .string(source.blame.rawValue)), JSONMember("text", .string(source.text)),
      JSONMember("suspicious", .bool(source.isSuspicious)),
    ]
    if let change = source.change { members.append(JSONMember("change", .string(change.rawValue))) }
    let days = source.history.map { day in
      JSONValue.object([
        JSONMember("surveyed", .string(day.surveyed.description)),
        JSONMember("state", .string(day.state.rawValue)),
      ])
    }
    return .object(
      members + [
        JSONMember("steps", .array(source.steps.map(value))), JSONMember("history", .array(days)),
      ])
  }

  static func source(_ object: JSONObject) throws(InputError) -> SurveyedSource {
    var steps: [SurveyStep] = []
    for (index, item) in try object.array("steps").enumerated() {
      steps.append(try step(JSONObject(item, path: "\(object.path(of: "steps"))[\(index)]")))
    }
    var source = SurveyedSource(
      id: try object.parsed("id", "is not the id of a source") { SourceID($0) },
      names: (try object.string("title"), try object.string("locale")),
      family: try object.string("family"), domain: try object.string("domain"), steps: steps)
    source.isSuspicious = try object.bool("suspicious")
    source.change = try object.optional("change") { (name) throws(InputError) in
      try object.parsed(name, "is not new, fixed or still") { SurveyChange(rawValue: $0) }
    }
    for (index, item) in try object.array("history").suffix(SurveyedSource.maxHistory).enumerated() {
      let day = try JSONObject(item, path: "\(object.path(of: "history"))[\(index)]")
      source.history.append(
        SurveyedSource.Day(
          surveyed: try day.parsed("surveyed", "is not a moment") { Timestamp($0) },
          state: try day.parsed("state", "is not a state") { SurveyState(rawValue: $0) }))
    }
    return source
  }

  // MARK: A step

  private static func value(_ step: SurveyStep) -> JSONValue {
    var members = [
      JSONMember("step", .string(step.name.rawValue)), JSONMember("verdict", .string(step.verdict.rawValue)),
      JSONMember("text", .string(step.text)), JSONMember("found", .integer(Int64(step.found))),
      JSONMember("fields", .array(step.fields.map { .string($0) })),
    ]
    if !step.missing.isEmpty {
      members.append(JSONMember("missing", .array(step.missing.map { .string($0) })))
    }
    for (name, number) in [("line", step.line), ("column", step.column), ("status", step.status)] {
      if let number { members.append(JSONMember(name, .integer(Int64(number)))) }
    }
    if let domain = step.domain { members.append(JSONMember("domain", .string(domain))) }
    return .object(members)
  }

  private static func step(_ object: JSONObject) throws(InputError) -> SurveyStep {
    func number(_ name: String) throws(InputError) -> Int? {
      try object.optional(name) { (name) throws(InputError) in Int(try object.integer(name)) }
    }
    var step = SurveyStep(
      try object.parsed("step", "is not a step") { SurveyStep.Name(rawValue: $0) },
      try object.parsed("verdict", "is not a verdict") { SurveyVerdict(rawValue: $0) },
      try object.string("text"))
    step.found = Int(try object.integer("found", in: 0...JSONObject.maxExactInteger))
    step.fields = try object.texts("fields")
    step.missing = try object.optional("missing", object.texts) ?? []
    (step.line, step.column, step.status) = (try number("line"), try number("column"), try number("status"))
    step.domain = try object.optional("domain", object.string)
    return step
  }
}

extension JSONObject {
  /// A string member that `read` makes something of.
  fileprivate func parsed<Value>(
    _ name: String, _ refusal: String, _ read: (String) -> Value?
  ) throws(InputError) -> Value {
    guard let value = read(try string(name)) else {
      throw InputError(.malformed, field: path(of: name), refusal)
    }
    return value
  }

  /// An array of strings.
  fileprivate func texts(_ name: String) throws(InputError) -> [String] {
    var texts: [String] = []
    for (index, value) in try array(name).prefix(1000).enumerated() {
      guard case .string(let text) = value else {
        throw InputError(
          .wrongType, field: "\(path(of: name))[\(index)]", "is \(value.kindName), not a string")
      }
      texts.append(text)
    }
    return texts
  }
}
