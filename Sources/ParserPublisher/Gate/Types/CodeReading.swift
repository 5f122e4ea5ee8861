internal import OTAFeed
internal import OTAManifest

/// What the reader found in a bundle.
struct CodeReading: Sendable {
  /// One thing that it found.
  struct Message: Sendable, Equatable {
    let check: GateCode
    let rule: String
    /// Whether it must go wrong when the line runs.
    let isSure: Bool
    /// Whether the live bundle has it as well.
    let isOld: Bool
    let text: String
    let advice: String
    let subject: String
    let owner: String
    let method: String
    let line: Int
    let column: Int
    /// The place in the source that the bundle was built from, as compilers write it.
    let origin: Finding.Place?
    /// The bytes of the bundle that are the texts of methods through which the place is reached.
    let methods: [Range<Int>]
    /// Whether the place is reached while the bundle loads.
    let isAtLoad: Bool
  }

  /// Where the bundle does not parse.
  struct SyntaxFault: Sendable, Equatable {
    let message: String
    let line: Int
    let column: Int
  }

  let messages: [Message]
  /// Checks that could not run, each with the reason.
  let notRun: [GateCode: String]
  let syntax: SyntaxFault?
  /// What is wrong with the declarations that were given, as the end of a sentence.
  let contractFault: String?
  let milliseconds: [GateCode: Int64]
  /// The classes above each class, by name.
  let above: [String: [String]]
}

extension CodeReading {
  init(_ bytes: [UInt8], maxBytes: Int) throws(InputError) {
    let object = try JSONObject(JSONReader.read(bytes, maxBytes: maxBytes, maxDepth: 12))
    messages = try object.array("findings").map { (item) throws(InputError) in
      try Self.message(JSONObject(item))
    }
    var notRun: [GateCode: String] = [:]
    var times: [GateCode: Int64] = [:]
    let (reasons, spent) = (try object.object("notRun"), try object.object("milliseconds"))
    for code in [GateCode.names, .types, .engines] {
      if reasons[code.rawValue] != nil { notRun[code] = try reasons.string(code.rawValue) }
      if spent[code.rawValue] != nil {
        times[code] = try spent.integer(code.rawValue, in: 0...JSONObject.maxExactInteger)
      }
    }
    (self.notRun, milliseconds) = (notRun, times)
    syntax = try object.optional("syntax") { (name) throws(InputError) in
      let fault = try object.object(name)
      return SyntaxFault(
        message: try fault.string("message"), line: try Self.number(fault, "line"),
        column: try Self.number(fault, "column"))
    }
    contractFault = try object.optional("contractFault") { (name) throws(InputError) in
      let fault = try object.object(name)
      let place =
        "\(try fault.string("name")):\(try Self.number(fault, "line")):\(try Self.number(fault, "column"))"
      return "\(place): \(try fault.string("text"))"
    }
    above = try Self.above(object)
  }

  private static func number(_ object: JSONObject, _ name: String) throws(InputError) -> Int {
    Int(try object.integer(name, in: 0...1_000_000_000))
  }

  private static func above(_ object: JSONObject) throws(InputError) -> [String: [String]] {
    guard case .object(let members)? = object["classes"] else { return [:] }
    var above: [String: [String]] = [:]
    for member in members {
      guard case .array(let names) = member.value else { continue }
      above[member.key] = names.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
    return above
  }

  private static func message(_ object: JSONObject) throws(InputError) -> Message {
    guard let check = GateCode(rawValue: try object.string("check")) else {
      throw InputError(.malformed, field: "check", "is none of the reader's")
    }
    return Message(
      check: check, rule: try object.string("rule"), isSure: try object.bool("sure"),
      isOld: try object.bool("old"),
      text: try object.string("text"), advice: try object.string("advice"),
      subject: try object.string("subject"),
      owner: try object.string("class"), method: try object.string("method"),
      line: try number(object, "line"),
      column: try number(object, "column"), origin: try origin(object),
      methods: try object.array("methods").map { (item) throws(InputError) in try range(item) },
      isAtLoad: try object.bool("isAtLoad"))
  }

  private static func origin(_ object: JSONObject) throws(InputError) -> Finding.Place? {
    try object.optional("source") { (name) throws(InputError) in
      let place = try object.object(name)
      return Finding.Place(
        file: try place.string("file").printable(maxCharacters: 200), line: try number(place, "line"),
        column: try number(place, "column"))
    }
  }

  private static func range(_ value: JSONValue) throws(InputError) -> Range<Int> {
    guard case .array(let ends) = value, ends.count == 2 else {
      throw InputError(.malformed, field: "methods", "is no list of ranges")
    }
    let numbers = try ends.map { (item) throws(InputError) in
      Int(try JSONObject.integer(item, path: "methods", in: 0...1_000_000_000))
    }
    guard numbers[0] <= numbers[1] else {
      throw InputError(.malformed, field: "methods", "has a range that is none")
    }
    return numbers[0]..<numbers[1]
  }
}
