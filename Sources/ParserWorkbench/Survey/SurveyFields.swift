internal import OTAManifest
internal import ParserEngine
internal import ParserPages

/// Which fields an answer has; pure. A field that most items had last time and none has now is what readers miss first.
enum SurveyFields {
  /// More are not kept; against answers with fields without end.
  private static let maxFields = 64
  private static let maxNameBytes = 64

  /// The names of the members that at least half of the items fill, sorted; those of chapters as `chapters.NAME`.
  static func names(in value: JSONValue, of method: ParserCall.Method) -> [String] {
    switch method {
    case .list, .search, .pages: common(items(value))
    case .details:
      Array(
        (common([value]) + common(items(value.member("chapters"))).map { "chapters.\($0)" }).sorted()
          .prefix(maxFields))
    }
  }

  private static func items(_ value: JSONValue?) -> [JSONValue] {
    if case .array(let items)? = value { items } else { [] }
  }

  private static func common(_ items: [JSONValue]) -> [String] {
    var counts: [String: Int] = [:]
    for case .object(let members) in items {
      for member in members.prefix(maxFields)
      where isFilled(member.value) && member.key.utf8.count <= maxNameBytes {
        counts[member.key.printable(), default: 0] += 1
      }
    }
    return Array(counts.filter { $0.value * 2 >= items.count }.keys.sorted().prefix(maxFields))
  }

  private static func isFilled(_ value: JSONValue) -> Bool {
    switch value {
    case .null: false
    case .string(let text): !text.isEmpty
    case .array(let items): !items.isEmpty
    case .object(let members): !members.isEmpty
    case .number, .bool: true
    }
  }
}
