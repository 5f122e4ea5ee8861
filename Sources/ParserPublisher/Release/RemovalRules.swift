internal import OTAManifest

/// A source that goes takes people's library entries with it, so each one must be meant.
struct RemovalRules {
  let live: SourceCatalog
  let new: SourceCatalog
  let diff: CatalogDiff
  let liveVersion: ReleaseVersion

  /// Refuses removals that no alias covers and nobody allowed.
  ///
  /// - Returns: warnings about allowed removals that remove nothing.
  func check(aliases: [SourceAlias], allowed: [String]) throws(Problem) -> [String] {
    let resolver = SourceResolver(catalog: new, aliases: aliases)
    let lost = diff.removed.filter { !AliasRules.isSource($0.text, resolver) }
    let old = SourceResolver(catalog: live)
    var meant: Set<SourceID> = []
    var warnings: [String] = []
    for name in allowed {
      if case .source(let entry) = old.resolve(name).outcome, lost.contains(entry.id) {
        meant.insert(entry.id)
      } else {
        warnings.append("\(name.printable()) was allowed to be removed, but this release does not remove it")
      }
    }
    let refused = lost.filter { !meant.contains($0) }
    guard refused.isEmpty else { throw refusal(refused) }
    return warnings
  }

  private func refusal(_ ids: [SourceID]) -> Problem {
    let list = ids.map { $0.text.printable() }.joined(separator: ", ")
    let count = ids.count == 1 ? "1 source id" : "\(ids.count) source ids"
    let guesses = diff.renameCandidates.filter { ids.contains($0.removed) }.map {
      "--alias \($0.removed)=\($0.added) (same \($0.sharedField))"
    }
    let hint = guesses.isEmpty ? "" : "; these look renamed: " + guesses.joined(separator: ", ")
    return Problem(
      .idsRemoved, "\(count) of release \(liveVersion) would be gone: \(list)",
      advice:
        "add --alias OLD=NEW for each renamed source and --allow-removed ID for each one that is meant to go"
        + hint)
  }
}
