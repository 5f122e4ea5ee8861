internal import OTAManifest
internal import OTAFeed

/// What a `domain` must be: a bare host name, with a port or without.
///
/// Apps and parsers build addresses of it, so a scheme or a path in it comes twice.
struct DomainRule {
  /// The longest name that the domain name system has.
  static let maxLength = 253

  /// Something that is wrong with a domain.
  struct Fault: Equatable {
    /// What is wrong, as the end of a sentence that begins with the field.
    let detail: String
    /// The right spelling; `nil` when nobody can tell.
    let suggestion: String?
    /// Whether addresses cannot work with it, rather than that it looks odd.
    let isSure: Bool
  }

  private var rest: String
  private var details: [String] = []
  private var isGuess = false
  private var hasOnlyPath = false

  /// What is wrong with a domain; `nil` when nothing is.
  static func fault(of text: String) -> Fault? {
    var rule = DomainRule(rest: text)
    rule.takeBlanks()
    rule.takeScheme()
    rule.takePath()
    rule.takeCredentials()
    rule.takePort()
    rule.checkHost()
    if rule.details.isEmpty { return rule.hasNoDot ? odd : nil }
    let suggestion = rule.isGuess || fault(of: rule.suggestion)?.isSure == true ? nil : rule.suggestion
    return Fault(
      detail: rule.details.joined(separator: " and "),
      suggestion: suggestion.map { $0.printable(maxCharacters: 80) },
      isSure: !(rule.hasOnlyPath && rule.details.count == 1))
  }

  private init(rest: String) { self.rest = rest }

  private static let odd = Fault(
    detail: "has no dot, as no site of the web has", suggestion: nil, isSure: false)

  private var port = ""
  private var suggestion: String { rest + port }

  private var hasNoDot: Bool {
    !rest.contains(".") && !rest.contains(":") && rest.lowercased() != "localhost"
  }

  // MARK: Parts

  private mutating func takeBlanks() {
    let trimmed = String(rest.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    if trimmed.count != rest.count { details.append("has blanks around it") }
    rest = trimmed
    if rest.contains(where: \.isWhitespace) {
      details.append("has a blank in it")
      isGuess = true
    }
  }

  private mutating func takeScheme() {
    if let match = rest.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/+/) {
      details.append("has a scheme")
      rest = String(rest[match.range.upperBound...])
    } else if let match = rest.prefixMatch(of: /(?i:https?):/),
      !rest[match.range.upperBound...].allSatisfy(\.isNumber)
    {
      details.append("has a scheme")
      rest = String(rest[match.range.upperBound...])
    } else if rest.hasPrefix("//") {
      details.append("begins with slashes")
      rest = String(rest.drop { $0 == "/" })
    }
  }

  private mutating func takePath() {
    guard let start = rest.firstIndex(where: { "/\\?#".contains($0) }) else { return }
    let isSlash = rest[start...] == "/"
    // Some parsers serve several parts of one site by it, so a path alone is odd and no more.
    hasOnlyPath = details.isEmpty && !isSlash && rest[start] == "/"
    details.append(isSlash ? "has a slash at its end" : "has a path")
    rest = String(rest[..<start])
  }

  private mutating func takeCredentials() {
    guard let sign = rest.lastIndex(of: "@") else { return }
    details.append("has credentials")
    rest = String(rest[rest.index(after: sign)...])
  }

  private mutating func takePort() {
    // The colons of an address of the sixth version stand between brackets.
    guard !rest.hasSuffix("]"), let colon = rest.lastIndex(of: ":") else { return }
    let number = rest[rest.index(after: colon)...]
    port = ":" + number
    rest = String(rest[..<colon])
    guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(number),
      (1...65535).contains(value)
    else {
      details.append(number.isEmpty ? "ends with a colon" : "has a port that is none")
      if !number.isEmpty { isGuess = true }
      port = ""
      return
    }
  }

  // MARK: The host

  private mutating func checkHost() {
    if rest.hasPrefix("["), rest.hasSuffix("]"),
      rest.dropFirst().dropLast().allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
    {
      return
    }
    if rest.hasSuffix("."), !rest.hasSuffix("..") {
      details.append("ends with a dot")
      rest.removeLast()
    }
    let labels = rest.split(separator: ".", omittingEmptySubsequences: false)
    let found: String? =
      if rest.isEmpty { "has no host" } else if labels.contains("") {
        "has an empty part"
      } else if let odd = rest.first(where: { !Self.isAllowed($0) }), !odd.isWhitespace {
        "has the character \(String(odd).escaped())"
      } else if rest.count > Self.maxLength {
        "has \(rest.count) characters, more than the \(Self.maxLength) of a host name"
      } else if labels.contains(where: { $0.count > 63 }) {
        "has a part of more than 63 characters"
      } else if labels.contains(where: {
        Self.edges.contains($0.first ?? "a") || Self.edges.contains($0.last ?? "a")
      }) {
        "has a part that begins or ends with a hyphen or an underscore"
      } else { nil }
    if let found {
      details.append(found)
      isGuess = true
    }
  }

  private static let edges: Set<Character> = ["-", "_"]

  private static func isAllowed(_ character: Character) -> Bool {
    character == "." || character == "-" || character == "_" || character.isLetter || character.isNumber
  }
}
