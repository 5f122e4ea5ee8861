internal import OTAManifest

extension DryRun {
  /// Reads the answer of the page, whose places are those of the instrumented text.
  init(_ value: JSONValue, of bundle: InstrumentedBundle?) throws(InputError) {
    let object = try JSONObject(value)
    self.init(calls: Int(try object.integer("calls", in: 0...JSONObject.maxExactInteger)))
    let reader = DryRunReader(bundle: bundle)
    failures = try object.array("failures").map { (item) throws(InputError) in try reader.failure(item) }
    asides = try object.array("problems").map { (item) throws(InputError) in try reader.aside(item) }
    let requests = try object.object("requests")
    addressFaults = try requests.array("faults").map { (item) throws(InputError) in
      try reader.addressFault(item)
    }
    hosts = try requests.array("hosts").map { (item) throws(InputError) in try reader.host(item) }
    results = try object.array("shapes").map { (item) throws(InputError) in try reader.result(item) }
    refusedSelectors = Set(try reader.texts(object, "refused"))
    ids = try object.array("ids").map { (item) throws(InputError) in try reader.givenID(item) }
    coveredBlocks = Set(
      try object.array("covered").map { (item) throws(InputError) in
        Int(try JSONObject.integer(item, path: "covered", in: 0...JSONObject.maxExactInteger))
      })
    var seen: Set<Unsettled> = []
    for item in try object.array("unsettled") {
      let object = try JSONObject(item)
      let call = Unsettled(source: try object.string("source"), method: try object.string("method"))
      if seen.insert(call).inserted { unsettled.append(call) }
    }
  }
}

/// Reads the parts of the page's answer.
private struct DryRunReader {
  let bundle: InstrumentedBundle?

  func failure(_ item: JSONValue) throws(InputError) -> DryRun.Failure {
    let object = try JSONObject(item)
    let told = try object.object("error")
    var error = try PageError(told)
    if let line = error.line, let column = error.column, error.isInBundle, let bundle {
      error = PageError(
        name: error.name, message: error.message.withoutInstruments, line: line,
        column: bundle.column(column, inLine: line), script: error.script)
    }
    return DryRun.Failure(
      method: try object.string("method"), error: error, labels: try texts(object, "labels"),
      sources: try texts(object, "sources"), isCaught: try object.bool("isCaught"),
      isMethodOfData: try told.optional("isMethodOfData") { (name) throws(InputError) in try told.bool(name) }
    )
  }

  func aside(_ item: JSONValue) throws(InputError) -> DryRun.Aside {
    let object = try JSONObject(item)
    guard let kind = DryRun.Aside.Kind(rawValue: try object.string("kind")) else {
      throw InputError(.malformed, field: "kind", "is none that the probe gives")
    }
    let place = try place(object)
    return DryRun.Aside(
      kind: kind, text: try object.string("text"), method: try object.string("method"), line: place.line,
      column: place.column, sources: try texts(object, "sources"))
  }

  func addressFault(_ item: JSONValue) throws(InputError) -> DryRun.AddressFault {
    let object = try JSONObject(item)
    let place = try place(object)
    return DryRun.AddressFault(
      fault: try object.string("fault"), url: try object.string("url"), method: try object.string("method"),
      line: place.line, column: place.column, sources: try texts(object, "sources"),
      goodCount: Int(try object.integer("good", in: 0...JSONObject.maxExactInteger)),
      isFirst: try object.bool("isFirst"))
  }

  func host(_ item: JSONValue) throws(InputError) -> DryRun.Host {
    let object = try JSONObject(item)
    let place = try place(object)
    return DryRun.Host(
      name: try object.string("host"), method: try object.string("method"), line: place.line,
      column: place.column, sources: try texts(object, "sources"))
  }

  func result(_ item: JSONValue) throws(InputError) -> DryRun.Result {
    let object = try JSONObject(item)
    return DryRun.Result(
      method: try object.string("method"), shape: try shape(object.object("shape")),
      sources: try texts(object, "sources"))
  }

  func givenID(_ item: JSONValue) throws(InputError) -> DryRun.GivenID {
    guard case .array(let parts) = item, parts.count == 4 else {
      throw InputError(.malformed, field: "ids", "is no list of four")
    }
    var texts: [String] = []
    for part in parts {
      guard case .string(let text) = part else { throw InputError(.wrongType, field: "ids", "is no text") }
      texts.append(text)
    }
    return DryRun.GivenID(source: texts[0], part: texts[1], url: texts[2], id: texts[3])
  }

  private func shape(_ object: JSONObject) throws(InputError) -> ResultShape {
    var shape = ResultShape()
    shape.kinds = Set(try texts(object, "kinds"))
    shape.most = Int(try object.integer("most", in: -1...JSONObject.maxExactInteger))
    let fields = try object.object("fields")
    for name in fields.members.map(\.key) { shape.fields[name] = Set(try texts(fields, name)) }
    if object["chapters"] != nil { shape.chapters = [try self.shape(object.object("chapters"))] }
    return shape
  }

  private func place(_ object: JSONObject) throws(InputError) -> (line: Int?, column: Int?) {
    func number(_ name: String) throws(InputError) -> Int? {
      guard let value = object[name], value != .null else { return nil }
      return Int(try object.integer(name, in: 0...JSONObject.maxExactInteger))
    }
    let (line, column) = (try number("line"), try number("column"))
    guard let line, let column, let bundle else { return (line, column) }
    return (line, bundle.column(column, inLine: line))
  }

  func texts(_ object: JSONObject, _ name: String) throws(InputError) -> [String] {
    try object.array(name).map { (item) throws(InputError) in
      guard case .string(let text) = item else {
        throw InputError(.wrongType, field: object.path(of: name), "is no list of texts")
      }
      return text
    }
  }
}

extension PageError {
  /// Whether it was made by code of the bundle itself; also true when the engine does not say where.
  var isInBundle: Bool {
    if let script { return script.hasSuffix(EngineExamination.scriptName) }
    return line == nil
  }
}

extension String {
  /// A message that quotes code, without what was put into the code.
  fileprivate var withoutInstruments: String {
    guard contains(Instruments.blocks) || contains(Instruments.caught) || contains(Instruments.thrown) else {
      return self
    }
    let parts = [
      "\(Instruments.blocks)\\[\\d+\\]=1;", "\(Instruments.caught)\\([^)]*\\);",
      "\\(\(Instruments.thrown)\\)",
    ]
    do {
      return replacing(try Regex(parts.joined(separator: "|")), with: "")
    } catch {
      // The pattern is made of letters and digits only, so it is always one.
      return self
    }
  }
}
