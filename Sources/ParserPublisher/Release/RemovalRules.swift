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
    let guesses = diff.renameCandidates.filter { ids.contains($0.removed) }.map {
      "--alias \($0.removed)=\($0.added) (same \($0.sharedField))"
    }
    let hint = guesses.isEmpty ? "" : "; these look renamed: " + guesses.joined(separator: ", ")
    return
      "add --alias OLD=NEW for each renamed source and --allow-removed ID for each one that is meant to go"
      + hint
  }
}
