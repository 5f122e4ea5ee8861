internal import OTAFeed
internal import OTAManifest

/// Which renamed ids a release carries; the client's own resolver decides what each of them leads to.
enum AliasRules {
  /// The aliases of the next release: those of the live one that still say something, then the new ones.
  static func carried(
    _ live: [SourceAlias], adding requested: [SourceAlias], to catalog: SourceCatalog
  ) throws(Problem) -> [SourceAlias] {
    let bare = SourceResolver(catalog: catalog)
    let added = try distinct(requested, bare)
    let replaced = Set(added.map { NameFolding.key(of: $0.old) })
    let kept = live.filter { !isSource($0.old, bare) && !replaced.contains(NameFolding.key(of: $0.old)) }
    let aliases = kept + added
    guard aliases.count <= Limits.standard.maxAliases else {
      throw Problem(
        .aliasRefused, "\(aliases.count) aliases are more than the \(Limits.standard.maxAliases) allowed")
    }
    let resolver = SourceResolver(catalog: catalog, aliases: aliases)
    for alias in added where !isSource(alias.new, resolver) { throw deadEnd(alias, aliases) }
    return aliases
  }

  /// Those of the live release that still say something with an older catalog.
  static func surviving(
    _ live: [SourceAlias], beside target: [SourceAlias], in catalog: SourceCatalog
  ) -> [SourceAlias] {
    let bare = SourceResolver(catalog: catalog)
    let known = Set(target.map { NameFolding.key(of: $0.old) })
    let more = live.filter {
      !known.contains(NameFolding.key(of: $0.old)) && !isSource($0.old, bare) && isSource($0.new, bare)
    }
    return Array((target + more).prefix(Limits.standard.maxAliases))
  }

  /// Whether a name leads to an entry of the catalog.
  static func isSource(_ name: String, _ resolver: SourceResolver) -> Bool {
    if case .source = resolver.resolve(name).outcome { true } else { false }
  }

  private static func distinct(
    _ requested: [SourceAlias], _ bare: SourceResolver
  ) throws(Problem) -> [SourceAlias] {
    var added: [SourceAlias] = []
    for alias in requested {
      for id in [alias.old, alias.new] where SourceID(id) == nil {
        throw refusal(alias, "\"\(id.printable())\" cannot be a source id")
      }
      guard !isSource(alias.old, bare) else {
        throw refusal(alias, "\(alias.old.printable()) is still in the new catalog")
      }
      let twin = added.first { NameFolding.key(of: $0.old) == NameFolding.key(of: alias.old) }
      if let twin, twin != alias { throw refusal(alias, "\(twin.old) is an alias of \(twin.new) already") }
      if twin == nil { added.append(alias) }
    }
    return added
  }

  /// Says why an alias leads to no source; the resolver has found that it does not.
  private static func deadEnd(_ alias: SourceAlias, _ aliases: [SourceAlias]) -> Problem {
    var name = alias.new
    for _ in 0...aliases.count {
      let folded = NameFolding.key(of: name)
      guard let next = aliases.first(where: { NameFolding.key(of: $0.old) == folded }) else {
        return refusal(alias, "\(name.printable()) is not in the new catalog")
      }
      name = next.new
    }
    return refusal(alias, "following \(alias.new.printable()) leads round in a loop")
  }

  private static func refusal(_ alias: SourceAlias, _ reason: String) -> Problem {
    Problem(
      .aliasRefused, "the alias \(alias.optionValue.printable()) is refused: \(reason)",
      advice: "an alias is OLD=NEW, where OLD is gone and NEW is a source of the new catalog")
  }
}
