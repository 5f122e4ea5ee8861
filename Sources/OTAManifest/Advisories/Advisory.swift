/// What a maintainer says of a source between two releases: data that counts at once, and no code.
public struct Advisory: Equatable, Sendable {
  /// How well a source works.
  public enum State: String, Sendable, CaseIterable {
    case ok
    /// It works with gaps.
    case degraded
    case broken
    /// Its site has another name now.
    case moved
  }

  /// The source, as the catalog spells it.
  public var source: SourceID
  /// How well it works.
  public var state: State
  /// A sentence for people by language; the key `und` is for all others. At least one.
  public var texts: [AdvisoryText]
  /// The moment from which the advisory no longer counts; `nil` for no end.
  public var until: Timestamp?
  /// Whether apps should hide the source meanwhile.
  public var disables: Bool
  /// The host to use in place of the one in the catalog; `nil` for no change.
  public var domain: PublicHost?
  /// When it was written.
  public var since: Timestamp

  /// Describes the state of a source.
  public init(
    source: SourceID, state: State, texts: [AdvisoryText], until: Timestamp? = nil, disables: Bool = false,
    domain: PublicHost? = nil, since: Timestamp
  ) {
    (self.source, self.state, self.texts, self.until) = (source, state, texts, until)
    (self.disables, self.domain, self.since) = (disables, domain, since)
  }

  /// Whether it counts at a moment.
  public func counts(at moment: Timestamp) -> Bool { until.map { moment < $0 } ?? true }

  /// The sentence for a language: its own, that of its first part, then the one for all.
  public func text(for language: String) -> String? {
    let wanted = [language, language.split(separator: "-").first.map(String.init) ?? language, "und"]
    for tag in wanted {
      if let text = texts.first(where: { $0.locale.hasSameBytes(as: tag) }) { return text.text }
    }
    return texts.first?.text
  }
}

/// A sentence in one language.
public struct AdvisoryText: Equatable, Sendable {
  /// A language tag such as `de` or `pt-BR`; `und` for every language without a text of its own.
  public let locale: String
  /// The sentence, one line of at most 500 bytes.
  public let text: String

  /// The longest text in bytes.
  public static let maxBytes = 500

  /// Takes a sentence; `nil` for one that is empty, too long or has controls, and for a tag that is none.
  public init?(locale: String = "und", _ text: String) {
    guard (1...Self.maxBytes).contains(text.utf8.count),
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
      let tag = LanguageTag(locale), !tag.text.isEmpty
    else { return nil }
    self.locale = tag.text
    self.text = text
  }
}

/// A host name that anybody on the web can reach: what a domain may be replaced by.
///
/// Refused are addresses in numbers, names of one part, ports, and names that only a local network knows.
public struct PublicHost: Hashable, Sendable {
  /// The name in lower case.
  public let name: String

  private static let local: Set<String> = [
    "localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "arpa", "onion",
    "invalid",
  ]

  /// Takes a name such as `new.example`; `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    let name = text.asciiLowercased
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard (4...253).contains(name.utf8.count), labels.count >= 2, labels.allSatisfy(Self.isLabel),
      let last = labels.last, last.utf8.contains(where: { !isDigit($0) }), !Self.local.contains(String(last))
    else { return nil }
    self.name = name
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
      && label.utf8.last != UInt8(ascii: "-")
      && label.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
  }
}
