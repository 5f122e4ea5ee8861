public import OTAManifest
public import ParserEngine

/// What a parser returned, reduced to what a person would miss if it were gone.
public enum ParserAnswer: Equatable, Sendable {
  /// A title on a list, with the address of its page.
  public struct Entry: Equatable, Sendable {
    /// The title; empty when the parser gave none.
    public let title: String
    /// The address as the parser wrote it; empty when it gave none.
    public let url: String

    /// Makes an entry.
    public init(title: String, url: String) {
      self.title = title
      self.url = url
    }
  }

  /// The titles of a list or of a search.
  case list([Entry])
  /// The title of one work, and the number of its chapters.
  case details(title: String, chapters: Int)
  /// The addresses of the pages of a chapter.
  case pages([String])

  /// The most items that are kept of one answer; against answers without end.
  static let maxItems = 2000

  /// Reads what a call returned.
  ///
  /// - Throws: `InputError` when it is not what the method must return; its detail reads on from "the parser's answer".
  public init(_ value: JSONValue, to method: ParserCall.Method) throws(InputError) {
    switch method {
    case .list, .search:
      self = .list(
        try Self.items(value).map { Entry(title: $0.text("title"), url: $0.text("url", else: "publicUrl")) })
    case .details:
      guard case .object = value else { throw InputError(.wrongType, "is \(value.kindName), not an object") }
      let chapters = value.member("chapters").map {
        if case .array(let items) = $0 { items.count } else { 0 }
      }
      self = .details(title: value.text("title"), chapters: chapters ?? 0)
    case .pages:
      self = .pages(
        try Self.items(value).map { item in
          if case .string(let url) = item { url } else { item.text("url") }
        })
    }
  }

  /// How much there is of what a reader needs: filled titles, chapters, addresses of pages.
  public var richness: Int {
    switch self {
    case .list(let entries): entries.count { !$0.title.isEmpty && !$0.url.isEmpty }
    case .details(let title, let chapters): title.isEmpty ? 0 : chapters
    case .pages(let urls): urls.count { !$0.isEmpty }
    }
  }

  /// The answer in a few words, such as `24 titles`.
  public var summary: String {
    switch self {
    case .list(let entries): "\(entries.count) titles"
    case .details(let title, let chapters):
      "\(chapters) chapters\(title.isEmpty ? " and no title" : "")"
    case .pages(let urls): "\(urls.count) pages"
    }
  }

  private static func items(_ value: JSONValue) throws(InputError) -> [JSONValue] {
    guard case .array(let items) = value else {
      throw InputError(.wrongType, "is \(value.kindName), not an array")
    }
    return Array(items.prefix(maxItems))
  }
}

extension JSONValue {
  /// A member of an object; `nil` for every other value.
  public func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.hasSameBytes(as: name) }?.value
  }

  /// The text of a member, or of another one where the first has none; empty without both.
  public func text(_ name: String, else other: String? = nil) -> String {
    if case .string(let text)? = member(name), !text.isEmpty { return text }
    return other.map { text($0) } ?? ""
  }
}
