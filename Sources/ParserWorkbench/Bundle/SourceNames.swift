internal import OTAManifest
internal import ParserPages

/// Finds sources in a catalog that may know them by the ids that they had before, or got since.
struct SourceNames {
  private let catalog: SourceCatalog
  private let forwards: SourceResolver
  private let backwards: SourceResolver

  init(_ catalog: SourceCatalog, aliases: [SourceAlias]) {
    self.catalog = catalog
    forwards = SourceResolver(catalog: catalog, aliases: aliases)
    backwards = SourceResolver(
      catalog: catalog, aliases: aliases.map { SourceAlias(old: $0.new, new: $0.old) })
  }

  /// The recording under the id that the catalog has for it; `nil` when the catalog does not have the source.
  func fixture(_ fixture: Fixture) -> Fixture? {
    if catalog[fixture.source] != nil { return fixture }
    for resolver in [forwards, backwards] {
      if case .source(let entry) = resolver.resolve(fixture.source.text).outcome {
        return fixture.renamed(to: entry.id)
      }
    }
    return nil
  }
}
