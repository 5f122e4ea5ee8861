internal import OTAFeed
internal import OTAManifest

/// An error as the page describes it.
struct PageError: Equatable {
  let name: String
  let message: String
  let line: Int?
  let column: Int?
  /// The script in which it was made.
  let script: String?

  init(name: String, message: String, line: Int? = nil, column: Int? = nil, script: String? = nil) {
    (self.name, self.message, self.line, self.column, self.script) = (name, message, line, column, script)
  }

  init(_ object: JSONObject) throws(InputError) {
    func number(_ name: String) throws(InputError) -> Int? {
      guard let value = object[name], value != .null else { return nil }
      return Int(try object.integer(name, in: 0...JSONObject.maxExactInteger))
    }
    func text(_ name: String) throws(InputError) -> String? {
      guard let value = object[name], value != .null else { return nil }
      return try object.string(name)
    }
    self.init(
      name: try object.string("name"), message: try object.string("message"), line: try number("line"),
      column: try number("column"), script: try text("script"))
  }

  /// The error in one line, such as `TypeError: x is not a function`.
  var text: String { "\(name): \(message)".printable(maxCharacters: 240) }
}

/// One member of a parser or of one of its classes.
struct InspectedMember: Hashable {
  let name: String
  /// The type in JavaScript's words, `null`, or `accessor`.
  let type: String
  /// The number of its source text; `nil` when it is no function of the bundle.
  let text: Int?

  init(name: String, type: String, text: Int? = nil) {
    (self.name, self.type, self.text) = (name, type, text)
  }

  var isCallable: Bool { type == "function" || type == "accessor" }
}

/// One class of the bundle: what its instances inherit from it.
struct InspectedClass: Equatable {
  let name: String
  let members: [InspectedMember]
}

/// What the bundle builds for one id.
struct InspectedParser: Equatable {
  enum State: Equatable {
    /// A parser with its own members, and the numbers of its classes, the nearest first.
    case parser(own: [InspectedMember], chain: [Int])
    case none
    /// Something that is no object; carries its type.
    case other(String)
    case threw(PageError)
  }

  let id: String
  let state: State
}

/// A value in the bundle's own catalog that JSON cannot hold.
struct OddValue: Equatable {
  /// Where it is, such as `[3].mihonId`.
  let path: String
  /// What it is, such as `a BigInt`.
  let kind: String

  /// The id of the entry that has it.
  func source(in items: [JSONValue]) -> String? {
    guard let match = path.prefixMatch(of: /\[(\d+)\]/), let index = Int(match.output.1),
      items.indices.contains(index),
      case .object(let members) = items[index],
      case .string(let id)? = members.first(where: { $0.key == "id" })?.value
    else { return nil }
    return id
  }
}

/// What the engine found in a loaded bundle.
struct BundleInspection {
  /// The bundle's own catalog; an error when asking for it threw.
  let sources: Result<JSONValue, PageErrorBox>
  let parsers: [InspectedParser]
  /// Ids that no catalog has, for which the bundle builds something all the same.
  let builtStrangers: [String]
  let classes: [InspectedClass]
  /// The source texts of all methods.
  let texts: [[UInt8]]
  /// What the bundle's own catalog has that no catalog can hold.
  var oddValues: [OddValue] = []

  /// Carries what was thrown.
  struct PageErrorBox: Error { let error: PageError }
}

extension BundleInspection {
  init(_ value: JSONValue) throws(InputError) {
    let object = try JSONObject(value)
    let found = try object.object("sources")
    sources =
      if let error = found["error"] {
        .failure(PageErrorBox(error: try PageError(JSONObject(error))))
      } else {
        .success(found["value"] ?? .null)
      }
    texts = try object.array("texts").map { (item) throws(InputError) in try Self.text(item) }
    classes = try object.array("classes").map { (item) throws(InputError) in
      let object = try JSONObject(item)
      return InspectedClass(name: try object.string("name"), members: try Self.members(object, "members"))
    }
    parsers = try object.array("parsers").map { (item) throws(InputError) in try Self.parser(JSONObject(item))
    }
    var strangers: [String] = []
    for item in try object.array("strangers") {
      let object = try JSONObject(item)
      if try object.bool("isParser") { strangers.append(try object.string("id")) }
    }
    builtStrangers = strangers
    oddValues = try object.array("odd").map { (item) throws(InputError) in
      let object = try JSONObject(item)
      return OddValue(path: try object.string("path"), kind: try object.string("kind"))
    }
    try checkNumbers()
  }

  private static func text(_ value: JSONValue) throws(InputError) -> [UInt8] {
    guard case .string(let text) = value else {
      throw InputError(.wrongType, field: "texts", "is not a text")
    }
    return Array(text.utf8)
  }

  private static func members(_ object: JSONObject, _ name: String) throws(InputError) -> [InspectedMember] {
    try object.array(name).map { (item) throws(InputError) in
      guard case .array(let parts) = item, parts.count == 3, case .string(let name) = parts[0],
        case .string(let type) = parts[1]
      else { throw InputError(.malformed, field: object.path(of: name), "is no list of members") }
      let text =
        parts[2] == .null ? nil : Int(try JSONObject.integer(parts[2], path: name, in: 0...1_000_000))
      return InspectedMember(name: name, type: type, text: text)
    }
  }

  private static func parser(_ object: JSONObject) throws(InputError) -> InspectedParser {
    let state: InspectedParser.State =
      switch try object.string("state") {
      case "none": .none
      case "other": .other(try object.string("type"))
      case "threw": .threw(try PageError(object.object("error")))
      case "parser":
        .parser(
          own: try members(object, "own"),
          chain: try object.array("chain").map { (item) throws(InputError) in
            Int(try JSONObject.integer(item, path: "chain", in: 0...1_000_000))
          })
      default: throw InputError(.malformed, field: "state", "is none that the probe gives")
      }
    return InspectedParser(id: try object.string("id"), state: state)
  }

  /// The page may be hostile, and numbers are followed later on.
  private func checkNumbers() throws(InputError) {
    func check(_ members: [InspectedMember]) throws(InputError) {
      for member in members {
        if let text = member.text, !texts.indices.contains(text) {
          throw InputError(.outOfRange, field: member.name, "names a text that is not there")
        }
      }
    }
    for one in classes { try check(one.members) }
    for parser in parsers {
      guard case .parser(let own, let chain) = parser.state else { continue }
      try check(own)
      guard chain.allSatisfy(classes.indices.contains) else {
        throw InputError(.outOfRange, field: parser.id, "names a class that is not there")
      }
    }
  }
}
