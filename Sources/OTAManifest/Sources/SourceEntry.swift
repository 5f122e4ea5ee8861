/// One source of a catalog, with every field checked.
public struct SourceEntry: Sendable, Equatable {
  /// The identity; the only field that references are matched by.
  public let id: SourceID
  /// The name of the parser's class in the bundle.
  public let className: String
  /// The name that people read.
  public let title: String
  /// A language tag; empty when the source has none.
  public let locale: String
  /// The host that the parser reads; several sources may share it.
  public let domain: String
  /// The parser that this one specialises.
  public let family: String
  /// Whether the source carries adult content.
  public let isNsfw: Bool
  /// Settings that the parser's family takes from this source, as written and of any JSON type.
  public let overrides: [JSONMember]
  /// The index of the entry in its catalog, from 0.
  public let position: Int

  package static let fieldNames = [
    "id", "className", "title", "locale", "domain", "family", "isNsfw", "overrides",
  ]

  /// Reads the entry at `position`; fields that are not known are passed over.
  init(_ value: JSONValue, position: Int) throws(InputError) {
    let object = try JSONObject(
      value, path: JSONPath.element(position, of: ""), known: Self.fieldNames)
    id = try object.sourceID("id")
    className = try object.filledString("className")
    title = try object.filledString("title")
    locale = try object.string("locale")
    domain = try object.filledString("domain")
    family = try object.filledString("family")
    isNsfw = try object.bool("isNsfw")
    overrides = try object.object("overrides").members
    try refuseForbiddenKeys(in: overrides, path: object.path(of: "overrides"))
    self.position = position
  }

  /// The known fields with their values, in the order in which catalogs write them.
  package var fields: [JSONMember] {
    [
      JSONMember("id", .string(id.text)), JSONMember("className", .string(className)),
      JSONMember("title", .string(title)), JSONMember("locale", .string(locale)),
      JSONMember("domain", .string(domain)), JSONMember("family", .string(family)),
      JSONMember("isNsfw", .bool(isNsfw)), JSONMember("overrides", .object(overrides)),
    ]
  }

  /// Equality on the bytes of every field, and on the position.
  public static func == (left: SourceEntry, right: SourceEntry) -> Bool {
    left.position == right.position && left.fields == right.fields
  }
}

extension JSONObject {
  fileprivate func sourceID(_ name: String) throws(InputError) -> SourceID {
    let text = try filledString(name)
    guard let id = SourceID(text) else {
      throw InputError(
        .malformed, field: path(of: name),
        "is \"\(text.printable())\": an id has at most \(SourceID.maxBytes) bytes, no control characters "
          + "and no white space at either end")
    }
    return id
  }

  fileprivate func filledString(_ name: String) throws(InputError) -> String {
    let text = try string(name)
    guard !text.isEmpty else { throw InputError(.malformed, field: path(of: name), "is empty") }
    return text
  }
}

/// Refuses, at every depth, keys that would reach the prototype of a JavaScript object they are merged into.
private func refuseForbiddenKeys(in members: [JSONMember], path: String) throws(InputError) {
  for member in members {
    let place = JSONPath.member(member.key, of: path)
    if ["__proto__", "constructor", "prototype"].contains(where: member.key.hasSameBytes(as:)) {
      throw InputError(.malformed, field: place, "is a name that overrides must not use: rename or remove it")
    }
    try refuseForbiddenKeys(in: member.value, path: place)
  }
}

private func refuseForbiddenKeys(in value: JSONValue, path: String) throws(InputError) {
  switch value {
  case .object(let members): try refuseForbiddenKeys(in: members, path: path)
  case .array(let items):
    for (index, item) in items.enumerated() {
      try refuseForbiddenKeys(in: item, path: JSONPath.element(index, of: path))
    }
  case .string, .number, .bool, .null: break
  }
}
