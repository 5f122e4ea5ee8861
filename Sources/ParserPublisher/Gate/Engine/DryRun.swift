internal import OTAManifest

/// What calling every parser on made-up pages gave.
struct DryRun {
  /// One way in which calls failed.
  struct Failure: Equatable {
    let method: String
    let error: PageError
    /// The kinds of made-up pages with which it failed.
    let pages: [String]
    let sources: [String]
  }

  let calls: Int
  let failures: [Failure]
  /// Calls whose promise never settled, once for each source and method.
  let unsettled: [(source: String, method: String)]

  init(calls: Int, failures: [Failure], unsettled: [(source: String, method: String)] = []) {
    (self.calls, self.failures, self.unsettled) = (calls, failures, unsettled)
  }

  init(_ value: JSONValue) throws(InputError) {
    let object = try JSONObject(value)
    calls = Int(try object.integer("calls", in: 0...JSONObject.maxExactInteger))
    failures = try object.array("failures").map { (item) throws(InputError) in
      let object = try JSONObject(item)
      return Failure(
        method: try object.string("method"), error: try PageError(object.object("error")),
        pages: try Self.texts(object, "pages"), sources: try Self.texts(object, "sources"))
    }
    var seen: Set<String> = []
    var open: [(source: String, method: String)] = []
    for item in try object.array("unsettled") {
      let object = try JSONObject(item)
      let call = (source: try object.string("source"), method: try object.string("method"))
      if seen.insert("\(call.source)\n\(call.method)").inserted { open.append(call) }
    }
    unsettled = open
  }

  private static func texts(_ object: JSONObject, _ name: String) throws(InputError) -> [String] {
    try object.array(name).map { (item) throws(InputError) in
      guard case .string(let text) = item else {
        throw InputError(.wrongType, field: object.path(of: name), "is no list of texts")
      }
      return text
    }
  }

  /// The sources that meet a fault of the code.
  var faultySources: Set<String> {
    Set(failures.lazy.filter { FaultClass($0.error) == .programming }.flatMap(\.sources))
  }

  /// Faults of the code as they are compared between releases: by source, call and words, since lines move.
  var faults: Set<String> {
    var faults: Set<String> = []
    for failure in failures where FaultClass(failure.error) == .programming {
      for source in failure.sources { faults.insert(Self.key(failure, source)) }
    }
    return faults
  }

  static func key(_ failure: Failure, _ source: String) -> String {
    "\(source)\n\(failure.method)\n\(failure.error.text)"
  }
}

/// Turns a dry run into findings, beside that of the live release.
struct DryRunCheck {
  let bundleName: String
  /// The faults of the live release, which are no reason to hold back a new one; `nil` when there is none.
  let liveFaults: Set<String>?

  func findings(_ run: DryRun) -> [Finding] {
    faultFindings(run) + stubFindings(run) + unsettledFindings(run)
  }

  private func faultFindings(_ run: DryRun) -> [Finding] {
    run.failures.filter { FaultClass($0.error) == .programming }.flatMap { failure in
      let known = failure.sources.filter { liveFaults?.contains(DryRun.key(failure, $0)) == true }
      let new = failure.sources.filter { liveFaults?.contains(DryRun.key(failure, $0)) != true }
      return [finding(failure, new, .error), finding(failure, known, .warning)].compactMap(\.self)
    }
  }

  private func finding(
    _ failure: DryRun.Failure, _ sources: [String], _ severity: Finding.Severity
  ) -> Finding? {
    guard !sources.isEmpty else { return nil }
    let error = failure.error
    let isInBundle = error.script?.hasSuffix(EngineExamination.scriptName) ?? true
    let old = severity == .warning ? ", as it does in the live release" : ""
    return Finding(
      .dryRun, severity, "\(failure.method) fails with \(error.text)\(old)",
      place: .init(
        file: bundleName, line: isInBundle ? error.line : nil, column: isInBundle ? error.column : nil),
      advice: "correct the code: no page could make it work"
    ).with {
      $0.sources = sources
      $0.method = failure.method
    }
  }

  /// Sources of which a call fails on every page because nobody wrote the method: their family is missing.
  private func stubFindings(_ run: DryRun) -> [Finding] {
    let stubs = run.failures.filter { FaultClass($0.error) == .notImplemented }
    var order: [String] = []
    var methods: [String: [String]] = [:]
    for stub in stubs {
      for source in stub.sources {
        if methods[source] == nil { order.append(source) }
        if methods[source]?.contains(stub.method) != true { methods[source, default: []].append(stub.method) }
      }
    }
    let groups = Dictionary(grouping: order) { methods[$0] ?? [] }
    return groups.sorted { $0.value[0] < $1.value[0] }.map { methods, sources in
      Finding(
        .catalogMatch, .error,
        "the parser only inherits \(methods.joined(separator: ", ")), which nobody implemented: its family is not in the bundle",
        place: .init(file: bundleName),
        advice: "put the family into the bundle, or take the sources out of the catalog"
      ).with { $0.sources = sources }
    }
  }

  private func unsettledFindings(_ run: DryRun) -> [Finding] {
    let groups = Dictionary(grouping: run.unsettled, by: \.method)
    return groups.sorted { $0.key < $1.key }.map { method, calls in
      Finding(
        .dryRun, .warning, "\(method) neither returned nor failed in the time that it was given",
        place: .init(file: bundleName), advice: "every promise must settle, or an app waits for its own limit"
      ).with {
        $0.sources = calls.map(\.source)
        $0.method = method
      }
    }
  }
}
