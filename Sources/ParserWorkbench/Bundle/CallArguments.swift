public import OTAManifest
internal import ParserPages

/// The arguments of calls, as the engine's bridge reads them.
public enum CallArguments {
  /// A page of a list.
  public static func list(page: Int, order: String) -> JSONValue {
    .object([
      JSONMember("page", .integer(Int64(page))), JSONMember("order", .string(order)),
      JSONMember("filter", .object([])),
    ])
  }

  /// A page of what is found for a query.
  public static func search(_ query: String, page: Int, order: String) -> JSONValue {
    .object([
      JSONMember("page", .integer(Int64(page))), JSONMember("order", .string(order)),
      JSONMember("query", .string(query)),
    ])
  }

  /// A work as the list gave it, all of it: parsers copy the title, the cover and what else they put there.
  ///
  /// - Parameter item: an item of a list; without a `url`, its `publicUrl` is taken.
  public static func details(of item: JSONValue) -> JSONValue {
    guard case .object(let members) = item else { return details(url: "") }
    return .object(members.setting("url", .string(item.text("url", else: "publicUrl"))))
  }

  /// The least work that can be asked for: its address and nothing else.
  public static func details(url: String) -> JSONValue { .object([JSONMember("url", .string(url))]) }

  /// A chapter as the details gave it, all of it.
  ///
  /// - Parameter branch: the branch to take in the place of the chapter's own; `nil` keeps that.
  public static func pages(of chapter: JSONValue, branch: JSONValue? = nil) -> JSONValue {
    guard case .object(let members) = chapter else { return pages(url: "", branch: branch) }
    return .object(members.setting("branch", branch ?? chapter.member("branch") ?? .null))
  }

  /// The least chapter that can be asked for: its address and its branch.
  public static func pages(url: String, branch: JSONValue? = nil) -> JSONValue {
    .object([JSONMember("url", .string(url)), JSONMember("branch", branch ?? .null)])
  }
}

extension [JSONMember] {
  /// The members with another value for a name; a name that is new comes last.
  fileprivate func setting(_ name: String, _ value: JSONValue) -> [JSONMember] {
    guard let index = firstIndex(where: { $0.key.hasSameBytes(as: name) }) else {
      return self + [JSONMember(name, value)]
    }
    var members = self
    members[index] = JSONMember(name, value)
    return members
  }
}
