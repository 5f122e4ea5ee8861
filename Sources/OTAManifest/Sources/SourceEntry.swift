/// One source of a catalog, with every field checked.
///
/// An entry must have what apps need to run the source: `id`, `title` or `className`, `domain`, `family`, and `locale` or
/// `lang`. What else is missing is read as the default that stands with the property, and noted.
public struct SourceEntry: Sendable, Equatable {
  /// The identity; the only field that references are matched by.
  public let id: SourceID
  /// The name of the parser's class in the bundle; the id when it is missing.
  public let className: String
  /// The name that people read; the class name when it is missing.
  public let title: String
  /// A language tag in the spelling of `LanguageTag`; empty when the source has none. `lang` when it is missing.
  public let locale: String
  /// The host that the parser reads; several sources may share it.
  public private(set) var domain: String
  /// The parser that this one specialises.
  public let family: String
  /// Whether the source carries adult content; `false` when it is missing.
  public let isNsfw: Bool
  /// Settings that the parser's family takes from this source, as written and of any JSON type; none when it is missing.
  public let overrides: [JSONMember]
  /// The index of the entry in its catalog, from 0.
  public let position: Int
  /// The language as the file writes it.
  private let writtenLocale: String
  /// What was read in another way than it was written, or filled in.
  let remarks: [CatalogNote.Remark]

  package static let fieldNames = [
    "id", "className", "title", "locale", "domain", "family", "isNsfw", "overrides",
  ]

  /// Reads the entry at `position`; fields that are not known are passed over.
  init(_ value: JSONValue, position: Int) throws(InputError) {
    let object = try JSONObject(
      value, path: JSONPath.element(position, of: ""), known: Self.fieldNames + ["lang"])
    var remarks: [CatalogNote.Remark] = []
    id = try object.sourceID("id")
    let names = try object.names(id, &remarks)
    (className, title) = (names.className, names.title)
    let language = try object.language(&remarks)
    (locale, writtenLocale) = (language.tag.text, language.written)
    domain = try object.filledString("domain")
    family = try object.filledString("family")
    isNsfw = try object.optional("isNsfw", object.bool) ?? false
    if object["isNsfw"] == nil { remarks.append(.init("isNsfw", "is missing, read as false")) }
    overrides =
      try object.optional("overrides") { (name) throws(InputError) in try object.object(name).members } ?? []
    if object["overrides"] == nil { remarks.append(.init("overrides", "is missing, read as {}")) }
    try refuseForbiddenKeys(in: overrides, path: object.path(of: "overrides"))
    self.remarks = remarks
    self.position = position
  }

  /// The known fields with their values, in the order in which catalogs write them; the language as it is written.
  package var fields: [JSONMember] {
    [
      JSONMember("id", .string(id.text)), JSONMember("className", .string(className)),
      JSONMember("title", .string(title)), JSONMember("locale", .string(writtenLocale)),
      JSONMember("domain", .string(domain)), JSONMember("family", .string(family)),
      JSONMember("isNsfw", .bool(isNsfw)), JSONMember("overrides", .object(overrides)),
    ]
  }

  /// The same source at another host.
  func at(_ domain: String) -> SourceEntry {
    var copy = self
    copy.domain = domain
    return copy
  }

  /// Equality on the bytes of every field, and on the position.
  public static func == (left: SourceEntry, right: SourceEntry) -> Bool {
    left.position == right.position && left.fields == right.fields
  }
}

extension JSONObject {
  fileprivate func sourceID(_ name: String) throws(InputError) -> SourceID {
    let text = try string(name)
    guard let id = SourceID(text) else {
      throw InputError(.malformed, field: path(of: name), SourceID.refusal(of: text) ?? "cannot be an id")
    }
    return id
  }

  /// `className` and `title`, of which one may be missing.
  fileprivate func names(
    _ id: SourceID, _ remarks: inout [CatalogNote.Remark]
  ) throws(InputError) -> (className: String, title: String) {
    let className = try optional("className", filledString)
    let title = try optional("title", filledString)
    if className == nil, title == nil {
      throw InputError(
        .missing, field: path(of: "title"), "is missing, and so is className: give one of them")
    }
    if className == nil { remarks.append(.init("className", "is missing, read as the id")) }
    if title == nil { remarks.append(.init("title", "is missing, read as className")) }
    return (className ?? id.text, title ?? className ?? id.text)
  }

  /// `locale`, or `lang` in its place.
  fileprivate func language(
    _ remarks: inout [CatalogNote.Remark]
  ) throws(InputError) -> (tag: LanguageTag, written: String) {
    let name = self["locale"] == nil && self["lang"] != nil ? "lang" : "locale"
    let written = try string(name)
    guard let tag = LanguageTag(written) else {
      throw InputError(
        .malformed, field: path(of: name),
        "is \"\(written.escaped(maxCharacters: 40))\", not a language tag such as en, pt-BR or zh-Hans")
    }
    if name == "lang" { remarks.append(.init("locale", "is missing, read from lang")) }
    if tag.text.isEmpty {
      remarks.append(.init(name, "is empty: write all for several languages, und for an unknown one"))
    } else if !tag.text.hasSameBytes(as: written) {
      remarks.append(.init(name, "is \"\(written)\", read as \(tag.text)"))
    } else if !tag.namesLanguage {
      remarks.append(
        .init(name, "is \"\(written)\", which no app finds as a language: write a tag such as en"))
    }
    return (tag, written)
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
