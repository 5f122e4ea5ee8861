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
    return addressKind(text.prefix(64))
  }

  /// Schemes as slips of the keyboard leave them.
  private static let misspelt = [
    "htp", "htps", "ttp", "ttps", "hhttp", "hhttps", "htttp", "htttps", "httpss", "htpps",
  ].map { Array("\($0)://".utf8) }
  private static let ownHosts = ["localhost", "0.0.0.0", "[::1]"].map { Array($0.utf8) }

  /// Bytes are compared by hand, because a bundle has tens of thousands of strings.
  private static func addressKind(_ text: ArraySlice<UInt8>) -> LeftoverKind? {
    if misspelt.contains(where: { text.starts(with: $0) && text.count > $0.count }) { return .misspeltScheme }
    guard text.starts(with: "http".utf8) else { return nil }
    let rest = text.dropFirst(text.dropFirst(4).first == UInt8(ascii: "s") ? 5 : 4)
    if rest.starts(with: "://".utf8) {
      let host = rest.dropFirst(3)
      if host.first == UInt8(ascii: "/") { return .misspeltScheme }
      return isOwn(host) ? .ownMachine : nil
    }
    // `https:` alone is put before addresses that begin with two slashes, so a colon without a slash is no slip.
    let isMisspelt =
      rest.starts(with: "//".utf8) || rest.starts(with: ";//".utf8)
      || rest.starts(with: ":/".utf8) && rest.dropFirst(2).first != UInt8(ascii: "/")
    return isMisspelt ? .misspeltScheme : nil
  }

  /// Whether a host, with whatever follows it, is this machine or one of a private network.
  private static func isOwn(_ text: ArraySlice<UInt8>) -> Bool {
    let ends = Array(":/?#".utf8)
    if ownHosts.contains(where: { host in
      text.starts(with: host) && text.dropFirst(host.count).first.map(ends.contains) != false
    }) {
      return true
    }
    let host = text.prefix { !ends.contains($0) }
    let numbers = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? -1
    }
    guard numbers.count == 4, numbers.allSatisfy({ $0 >= 0 }) else { return false }
    switch (numbers[0], numbers[1]) {
    case (10, _), (127, _), (192, 168), (172, 16...31): return true
    default: return false
    }
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
