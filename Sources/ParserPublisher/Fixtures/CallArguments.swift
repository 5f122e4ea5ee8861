public import OTAManifest

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

  /// A work by its address, as the list gave it.
  public static func details(url: String) -> JSONValue { .object([JSONMember("url", .string(url))]) }

  /// A chapter by its address, as the details gave it.
  public static func pages(url: String, branch: JSONValue? = nil) -> JSONValue {
    .object([JSONMember("url", .string(url)), JSONMember("branch", branch ?? .null)])
  }
}
