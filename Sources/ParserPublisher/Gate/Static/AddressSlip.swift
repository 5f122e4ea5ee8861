/// Addresses in strings and templates that no site has: a slip of the keyboard, or a machine of the author's own.
///
/// They are read in all of the code, also where no made-up page leads.
enum AddressSlip {
  /// What is wrong with a string or the beginning of a template, given with its quotes.
  static func kind(of token: ArraySlice<UInt8>) -> LeftoverKind? {
    guard let quote = token.first, quote != UInt8(ascii: "}"), token.count > 2 else { return nil }
    let isTemplate = quote == UInt8(ascii: "`")
    // A template ends with its quote, or with the two signs of a substitution.
    let end = isTemplate && token.last == UInt8(ascii: "{") ? 2 : 1
    let text = token.dropFirst().dropLast(end)
    guard let first = text.first else { return nil }
    if !isTemplate, isUnfilled(text, first) { return .plainTemplate }
    guard first == UInt8(ascii: "h") || first == UInt8(ascii: "t"), text.count < 4000 else { return nil }
    return addressKind(String(decoding: text.prefix(64), as: UTF8.self))
  }

  private static func addressKind(_ text: String) -> LeftoverKind? {
    if text.firstMatch(of: #/^https?://(?:localhost|0\.0\.0\.0|\[::1\])(?:[:/?#]|$)/#) != nil
      || text.firstMatch(of: #/^https?://(?:127|10)(?:\.\d+){3}(?:[:/?#]|$)/#) != nil
      || text.firstMatch(of: #/^https?://(?:192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2}(?:[:/?#]|$)/#)
        != nil
    {
      return .ownMachine
    }
    // `https:` alone is put before addresses that begin with two slashes, so a colon without a slash is no slip.
    let isMisspelt =
      text.firstMatch(of: #/^https?(?:/(?:/)|;//|:///|:/(?:[^/]|$))/#) != nil
      || text.firstMatch(of: #/^(?:htps?|ttps?|hhttps?|htttps?|httpss|htpps)://./#) != nil
    return isMisspelt ? .misspeltScheme : nil
  }

  /// Whether a plain string is an address with a substitution that only a template fills.
  private static func isUnfilled(_ text: ArraySlice<UInt8>, _ first: UInt8) -> Bool {
    guard [UInt8(ascii: "h"), UInt8(ascii: "/"), UInt8(ascii: "$")].contains(first) else { return false }
    let isWhole = text.starts(with: "http://".utf8) || text.starts(with: "https://".utf8)
    guard let dollar = text.indices.first(where: { text[$0...].starts(with: "${".utf8) }) else {
      return false
    }
    let inside = text[(dollar + 2)...].prefix { $0 != UInt8(ascii: "}") }
    guard inside.endIndex < text.endIndex, inside.first.map({ $0 >= 0x41 }) == true else { return false }
    // A path with a place for a name may be filled by hand; one for an expression is not.
    return isWhole || inside.starts(with: "this.".utf8) || inside.starts(with: "encodeURIComponent(".utf8)
  }
}
