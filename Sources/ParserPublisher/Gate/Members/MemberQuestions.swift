internal import OTAManifest
internal import ParserEngine

/// Asks parsers in the engine what they answer for names.
struct MemberQuestions {
  private let session: EngineSession
  private let globalName: String

  init(_ session: EngineSession, globalName: String) {
    (self.session, self.globalName) = (session, globalName)
  }

  /// A type for each name of each question; nothing when the page gives no answer, which then explains nothing.
  func ask(
    _ questions: [DanglingCallCheck.Question], within limit: Duration
  ) async -> [[String]] {
    guard !questions.isEmpty else { return [] }
    let list = questions.map { question in
      JSONValue.object([
        JSONMember("id", .string(question.source)),
        JSONMember("names", .array(question.names.map { .string($0) })),
      ])
    }
    do {
      let answer = try await session.ask(
        "gateMembers",
        .object([JSONMember("global", .string(globalName)), JSONMember("questions", .array(list))]),
        within: limit)
      return Self.types(answer)
    } catch {
      // A getter that hangs or ends the page: the dry run, which comes next, tells.
      return []
    }
  }

  private static func types(_ answer: JSONValue) -> [[String]] {
    guard case .array(let lists) = answer else { return [] }
    return lists.map { list in
      guard case .array(let items) = list else { return [] }
      return items.map { if case .string(let type) = $0 { type } else { "unknown" } }
    }
  }
}

extension SourceCatalog {
  /// The keys and the texts of the overrides of all sources, at every depth.
  var overrideWords: Set<String> {
    var words: Set<String> = []
    func add(_ value: JSONValue) {
      switch value {
      case .object(let members):
        for member in members {
          words.insert(member.key)
          add(member.value)
        }
      case .array(let items): items.forEach(add)
      case .string(let text): words.insert(text)
      case .number, .bool, .null: break
      }
    }
    for entry in entries { add(.object(entry.overrides)) }
    return words
  }
}
