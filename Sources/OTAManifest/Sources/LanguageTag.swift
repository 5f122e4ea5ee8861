/// A language as a catalog says it, in the one spelling by which languages are compared.
///
/// | written | read as |
/// | --- | --- |
/// | `pt-BR`, `es-419`, `zh-Hans`, `sr-Latn-RS`, `x-elvish` | the same |
/// | `pt_BR`, `PT-br`, `ZH-hans` | `pt-BR`, `zh-Hans`: hyphens, and the case of each part by its kind |
/// | `in`, `iw`, `ji`, `jw`, `mo` | `id`, `he`, `yi`, `jv`, `ro`: codes that were replaced |
/// | `all`, `multi`, `mul` | the same: several languages, found by every filter |
/// | the empty text, `und` | the same: no language is known |
/// | `english` | the same, though no app finds a language by it |
/// | `xx invalid`, `en-`, `en_US.UTF-8`, controls, anything but ASCII | refused |
///
/// Source: RFC 5646, section 2.1, for the shape; whether a language exists is not looked up.
public struct LanguageTag: Hashable, Sendable {
  /// The tag in its one spelling.
  public let text: String

  /// The longest tag, as RFC 5646 asks of every reader (section 4.4.1).
  static let maxBytes = 35
  private static let several = ["all", "multi", "mul"]
  private static let replaced = ["in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro"]

  /// Reads a tag; `nil` when the text has not the shape of one.
  public init?(_ text: String) {
    guard text.utf8.count <= Self.maxBytes else { return nil }
    let parts = text.asciiLowercased.replacing("_", with: "-")
      .split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard text.isEmpty || Self.isTag(parts) else { return nil }
    var spelt = parts
    spelt[0] = Self.replaced[parts[0]] ?? parts[0]
    // What follows a part of one letter belongs to an extension, and is written in lower case.
    for index in parts.indices.dropFirst() {
      if parts[index].utf8.count == 1 { break }
      spelt[index] = Self.spelling(of: parts[index])
    }
    self.text = spelt.joined(separator: "-")
  }

  /// Whether a person who asks for `filter` means this language: `pt` finds `pt-BR`, and `pt-BR` does not find `pt-PT`.
  public func matches(_ filter: LanguageTag) -> Bool {
    isSeveral || text == filter.text || text.hasPrefix(filter.text + "-")
  }

  /// Whether the source has several languages.
  public var isSeveral: Bool { Self.several.contains(text) }

  /// Whether the first part can be a language at all: two or three letters, a private tag, or one of the words above.
  var namesLanguage: Bool {
    let first = text.prefix { $0 != "-" }
    return isSeveral || first.utf8.count == 2 || first.utf8.count == 3 || first == "x"
  }

  private static func isTag(_ parts: [String]) -> Bool {
    guard let first = parts.first, parts.allSatisfy({ (1...8).contains($0.utf8.count) }) else { return false }
    let letters = first.utf8.allSatisfy(isLetter)
    guard letters, first.utf8.count > 1 || (first == "x" && parts.count > 1) else { return false }
    // A part of one letter or digit begins an extension, which cannot be empty.
    return parts.allSatisfy { $0.utf8.allSatisfy { isLetter($0) || isDigit($0) } }
      && parts.last.map { $0.utf8.count > 1 || parts[0] == "x" } == true
  }

  private static func spelling(of part: String) -> String {
    guard part.utf8.allSatisfy(isLetter) else { return part }
    switch part.utf8.count {
    case 2: return part.uppercased()
    case 4: return part.prefix(1).uppercased() + part.dropFirst()
    default: return part
    }
  }
}
