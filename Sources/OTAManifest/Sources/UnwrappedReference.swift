/// A stored reference without its white space and its JSON wrapping.
struct UnwrappedReference {
  /// What the wrapping held.
  enum Content {
    /// Nothing but white space was stored.
    case empty
    /// A trimmed, non-empty name.
    case name(String)
    /// An object that has no name and whose type says that the source is the device itself.
    case local
    /// An object that has no name and whose type says that the source was not known.
    case unknown
    /// JSON that is broken, too long, too deep or without a name.
    case unreadable
  }

  /// The longest text that is read as JSON, in bytes.
  static let maxJSONBytes = 64 << 10
  /// How many times a string inside the JSON may hold JSON itself.
  static let maxStringLevels = 4
  private static let maxDepth = 8

  let content: Content
  /// The title that an object carried.
  let title: String?

  /// Unwraps a stored text.
  init(_ text: String) {
    let name = SourceSpelling.trimmed(text)
    var title: String?
    var content = name.isEmpty ? Content.empty : .name(name)
    var levels = 0
    while case .name(let text) = content, Self.looksLikeJSON(text) {
      guard levels <= Self.maxStringLevels, let value = Self.parse(text) else {
        content = .unreadable
        break
      }
      levels += 1
      if case .object(let members) = value, title == nil { title = Self.title(in: members) }
      content = Self.content(of: value)
    }
    self.content = content
    self.title = title
  }

  private static func looksLikeJSON(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "\"")
  }

  private static func parse(_ text: String) -> JSONValue? {
    // Why the text is not JSON does not matter: such a reference stays unresolved, with its text kept.
    try? JSONReader.read(Array(text.utf8), maxBytes: maxJSONBytes, maxDepth: maxDepth)
  }

  private static func content(of value: JSONValue) -> Content {
    switch value {
    case .string: name(in: value).map(Content.name) ?? .unreadable
    case .object(let members): content(of: members)
    case .array, .number, .bool, .null: .unreadable
    }
  }

  private static func content(of members: [JSONMember]) -> Content {
    for key in ["name", "source", "id"] {
      if let value = value(of: key, in: members), let name = name(in: value) { return .name(name) }
    }
    guard case .string(let type)? = value(of: "type", in: members) else { return .unreadable }
    if type.utf8.reversed().starts(with: ".Unknown".utf8.reversed()) { return .unknown }
    if type.utf8.reversed().starts(with: ".Local".utf8.reversed()) { return .local }
    return .unreadable
  }

  /// The trimmed text of a string, or the digits of an integer as they are written; `nil` for anything else.
  private static func name(in value: JSONValue) -> String? {
    switch value {
    case .string(let text):
      let name = SourceSpelling.trimmed(text)
      return name.isEmpty ? nil : name
    case .number(let number) where number.text.utf8.allSatisfy(isDigit): return number.text
    default: return nil
    }
  }

  private static func title(in members: [JSONMember]) -> String? {
    guard case .string(let title)? = value(of: "title", in: members), !title.isEmpty else { return nil }
    return title
  }

  private static func value(of key: String, in members: [JSONMember]) -> JSONValue? {
    members.first { $0.key.hasSameBytes(as: key) }?.value
  }
}
