extension Advisories {
  private static let fields = ["format", "channel", "revision", "written", "advisories"]

  /// Reads a document strictly.
  ///
  /// - Throws: `InputError` that names the field.
  public static func decode(_ bytes: [UInt8]) throws(InputError) -> Advisories {
    let document = try JSONReader.read(bytes, maxBytes: maxBytes, maxDepth: 5)
    return try Advisories(JSONObject(document, known: fields))
  }

  /// Reads the members of a document.
  package init(_ object: JSONObject) throws(InputError) {
    _ = try object.integer("format", in: 1...1)
    self.init(
      channel: try object.channel("channel"), revision: try object.integer("revision"),
      written: try object.timestamp("written"))
    let items = try object.array("advisories")
    guard items.count <= Self.maxEntries else {
      throw InputError(
        .tooLarge, field: object.path(of: "advisories"),
        "has \(items.count) entries, more than the \(Self.maxEntries) allowed")
    }
    for (index, item) in items.enumerated() {
      let path = JSONPath.element(index, of: object.path(of: "advisories"))
      let advisory = try Advisory(JSONObject(item, path: path, known: Advisory.fields), since: written)
      guard self[advisory.source] == nil else {
        throw InputError(.duplicateID, field: "\(path).source", "comes twice")
      }
      set(advisory)
    }
  }

  /// The document as a file: the same bytes for the same value.
  public func encoded() -> [UInt8] { json.encoded(indented: true) }

  /// The document as a value.
  public var json: JSONValue {
    .object([
      JSONMember("format", .integer(1)), JSONMember("channel", .string(channel.name)),
      JSONMember("revision", .integer(revision)), JSONMember("written", .string("\(written)")),
      JSONMember("advisories", .array(entries.map(\.json))),
    ])
  }
}

extension Advisory {
  /// The members of an advisory.
  public static let fields = ["source", "state", "text", "until", "disable", "domain", "since"]

  /// Reads an advisory strictly; `since` counts where it has no date of its own.
  ///
  /// - Throws: `InputError` that names the field.
  package init(_ object: JSONObject, since: Timestamp) throws(InputError) {
    let id = try object.string("source")
    guard let source = SourceID(id) else {
      throw InputError(
        .malformed, field: object.path(of: "source"), "is \"\(id.escaped())\", which cannot be an id")
    }
    let name = try object.string("state")
    guard let state = State(rawValue: name) else {
      throw InputError(
        .malformed, field: object.path(of: "state"),
        "is \"\(name.printable(maxCharacters: 30))\", not "
          + State.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    self.init(
      source: source, state: state, texts: try Self.texts(object),
      until: try object.optional("until", object.timestamp),
      disables: try object.optional("disable", object.bool) ?? false,
      domain: try object.optional("domain") { (name) throws(InputError) in try Self.host(name, object) },
      since: try object.optional("since", object.timestamp) ?? since)
  }

  /// A text for all languages, or an object with one for each.
  private static func texts(_ object: JSONObject) throws(InputError) -> [AdvisoryText] {
    guard let value = object["text"] else { return [] }
    if case .string(let text) = value { return [try line(text, "und", object.path(of: "text"))] }
    let members = try object.object("text")
    guard members.members.count <= 64 else {
      throw InputError(.tooLarge, field: members.path, "has more than 64 languages")
    }
    var texts: [AdvisoryText] = []
    for member in members.members {
      texts.append(try line(try members.string(member.key), member.key, members.path(of: member.key)))
    }
    return texts
  }

  private static func line(
    _ text: String, _ locale: String, _ path: String
  ) throws(InputError) -> AdvisoryText {
    guard let text = AdvisoryText(locale: locale, text) else {
      throw InputError(
        .malformed, field: path, "is not one line of 1 to \(AdvisoryText.maxBytes) bytes for a language")
    }
    return text
  }

  private static func host(_ name: String, _ object: JSONObject) throws(InputError) -> PublicHost {
    let text = try object.string(name)
    guard let host = PublicHost(text) else {
      throw InputError(
        .malformed, field: object.path(of: name),
        "is \"\(text.printable(maxCharacters: 60))\", not a public host name such as new.example")
    }
    return host
  }

  /// The advisory as a value.
  public var json: JSONValue {
    var members = [JSONMember("source", .string(source.text)), JSONMember("state", .string(state.rawValue))]
    if texts.count == 1, let only = texts.first, only.locale.hasSameBytes(as: "und") {
      members.append(JSONMember("text", .string(only.text)))
    } else if !texts.isEmpty {
      members.append(JSONMember("text", .object(texts.map { JSONMember($0.locale, .string($0.text)) })))
    }
    if let until { members.append(JSONMember("until", .string("\(until)"))) }
    if disables { members.append(JSONMember("disable", .bool(true))) }
    if let domain { members.append(JSONMember("domain", .string(domain.name))) }
    members.append(JSONMember("since", .string("\(since)")))
    return .object(members)
  }
}
