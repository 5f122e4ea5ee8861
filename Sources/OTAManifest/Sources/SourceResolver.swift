/// Finds the catalog entries that stored references stand for, by one set of rules for every client's spelling.
///
/// The rules apply in this order to the text, once it is free of white space (ASCII, U+00A0, U+FEFF, U+200B) at its
/// ends and of its JSON wrapping. Every comparison is one of bytes unless the rule says otherwise.
///
/// | # | reference | outcome |
/// | --- | --- | --- |
/// | 1 | nothing but white space | `empty` |
/// | 2 | `{"name":…}`, `{"source":…}`, `{"id":…}`, `"…"`, also as a string that holds JSON, 4 levels at most | what the first filled one of these holds; a whole number counts as its digits |
/// | 2 | an object without a name whose `type` ends in `.Local` or `.Unknown` | `local`, `unknown` |
/// | 2 | JSON that is broken, deeper than 8, longer than 64 KiB or names nothing | `unresolved` |
/// | 3 | `ABC`, an id of the catalog | that entry |
/// | 3 | `parser:ABC`, `script:ABC`, `JS_ABC`, `parser:JS_ABC` | the entry `ABC`; see `SourceSpelling` for what comes off |
/// | 3 | `abc`, `Parser:abc`, `js_Abc` | the entry `ABC`: case does not matter |
/// | 3 | a compatible spelling (`é` as one code or two, full-width letters, `K` and the Kelvin sign) | the same entry |
/// | 3 | `JS_JS_ABC`, `script:parser:ABC`, `JS_parser:ABC` | an entry `JS_ABC`, `parser:ABC`; otherwise `unresolved` |
/// | 3 | `xparser:ABC`, `parser:`, `JS_` | only an entry of exactly that id; otherwise `unresolved` |
/// | 3 | the old id of an alias, in any of these spellings | the entry at the end of the alias chain; `unresolved` when it ends nowhere or in a loop |
/// | 4 | `LOCAL`, `UNKNOWN` in any case | `local`, `unknown` |
/// | 5 | `MIHON_7`, `mihon:7`, `7` | `mihon(7)`, from 1 to 2^63 - 1 |
/// | 5 | leading zeros, 0, signs, larger numbers, letters after `MIHON_` | `unresolved` |
/// | 6 | `content:asura-scans`, `data:asura-scans` | the one entry or alias with that slug (`ASURA_SCANS`); `unresolved` when several have it |
/// | 7 | anything else | `unresolved` |
///
/// Whole names win over names without scheme and tag, exact ones over those in another case, and entries over aliases.
public struct SourceResolver: Sendable {
  private let catalog: SourceCatalog
  private let aliases: AliasTable

  /// Prepares the tables once; each reference then costs the same whatever the size of the catalog.
  ///
  /// - Parameter aliases: of two that have the same old id, the first counts.
  public init(catalog: SourceCatalog, aliases: [SourceAlias] = []) {
    self.catalog = catalog
    self.aliases = AliasTable(aliases, catalog: catalog.index)
  }

  /// Resolves one stored text.
  public func resolve(_ reference: String) -> SourceResolution {
    resolve(SourceReference(text: reference))
  }

  /// Resolves a batch: one resolution for each reference, in order, whatever their outcomes.
  public func resolve(_ references: some Sequence<SourceReference>) -> [SourceResolution] {
    references.map { resolve($0) }
  }

  /// Resolves one reference; its own title wins over one inside its JSON.
  public func resolve(_ reference: SourceReference) -> SourceResolution {
    let unwrapped = UnwrappedReference(reference.text)
    let (outcome, alias) = outcome(of: unwrapped.content)
    return SourceResolution(
      reference: reference.text, lastKnownTitle: reference.lastKnownTitle ?? unwrapped.title,
      outcome: outcome, viaAlias: alias)
  }

  private typealias Match = (outcome: SourceResolution.Outcome, alias: SourceID?)

  private func outcome(of content: UnwrappedReference.Content) -> Match {
    switch content {
    case .empty: (.empty, nil)
    case .local: (.local, nil)
    case .unknown: (.unknown, nil)
    case .unreadable: (.unresolved, nil)
    case .name(let name): source(named: name) ?? (outcome(ofForeign: name), nil)
    }
  }

  /// Rules 3 and 6.
  private func source(named name: String) -> Match? {
    if let position = catalog.index.position(of: name) { return (.source(catalog.entries[position]), nil) }
    if let match = aliases.match(name) { return (.source(catalog.entries[match.entry]), match.old) }
    guard let slug = Self.rest(of: name, afterAnyOf: ["content:", "data:"]) else { return nil }
    if let position = catalog.index.position(ofSlug: slug) {
      return (.source(catalog.entries[position]), nil)
    }
    return aliases.match(slug: slug).map { (.source(catalog.entries[$0.entry]), $0.old) }
  }

  /// Rules 4, 5 and 7.
  private func outcome(ofForeign name: String) -> SourceResolution.Outcome {
    let folded = name.asciiLowercased
    if folded == "local" { return .local }
    if folded == "unknown" { return .unknown }
    let digits = Self.rest(of: folded, afterAnyOf: ["mihon_", "mihon:"]) ?? folded
    return Self.mihonNumber(digits).map(SourceResolution.Outcome.mihon) ?? .unresolved
  }

  /// The number that plain digits without a leading zero stand for; `nil` outside 1 to 2^63 - 1.
  private static func mihonNumber(_ digits: String) -> UInt64? {
    guard digits.utf8.allSatisfy(isDigit), digits.utf8.first != UInt8(ascii: "0"), let number = Int64(digits)
    else { return nil }
    return UInt64(number)
  }

  /// The rest of a name after one of the lower-case `prefixes`, which may stand in any case.
  private static func rest(of name: String, afterAnyOf prefixes: [String]) -> String? {
    for prefix in prefixes where SourceSpelling.rest(of: name.asciiLowercased, after: prefix) != nil {
      return String(Substring(name.utf8.dropFirst(prefix.utf8.count)))
    }
    return nil
  }
}
