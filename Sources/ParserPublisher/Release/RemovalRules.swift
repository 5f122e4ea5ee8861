internal import OTAManifest

/// A source that goes takes people's library entries with it, so each one must be meant.
struct RemovalRules {
  let live: SourceCatalog
  let new: SourceCatalog
  let diff: CatalogDiff
  let liveVersion: ReleaseVersion

  /// The sources that go, and that no alias leads away from.
  func lost(aliases: [SourceAlias]) -> [SourceID] {
    let resolver = SourceResolver(catalog: new, aliases: aliases)
    return diff.removed.filter { !AliasRules.isSource($0.text, resolver) }
  }

  /// What to do about it, with a guess at what was renamed.
  func advice(_ ids: [SourceID]) -> String {
    let guesses = diff.renameCandidates.filter { ids.contains($0.removed) }.prefix(Self.maxNamed).map {
      "--alias \(SourceAlias(old: $0.removed.text, new: $0.added.text).optionValue.shellWord) (same \($0.sharedField))"
    }
    let hint = guesses.isEmpty ? "" : "; these look renamed: " + guesses.joined(separator: ", ")
    let removals = ids.prefix(Self.maxNamed).map { "--allow-removed \($0.text.shellWord)" }
    let rest = ids.count > Self.maxNamed ? " and so on" : ""
    return "add --alias \(aliasShape(ids)) for each renamed source, and for those that are meant to go: "
      + removals.joined(separator: " ") + rest + hint
  }

  private static let maxNamed = 5

  /// `OLD=NEW`, or the JSON form with an id that the short form cannot tell.
  private func aliasShape(_ ids: [SourceID]) -> String {
    guard let odd = ids.first(where: { $0.text.contains("=") }) else { return "OLD=NEW" }
    return "OLD=NEW (or \(SourceAlias(old: odd.text, new: "NEW").optionValue.shellWord))"
  }
}
