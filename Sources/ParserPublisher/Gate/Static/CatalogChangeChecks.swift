internal import OTAManifest

/// Looks for sources that go, and for ids that come to mean another site: both take from people what they follow.
enum CatalogChangeChecks {
  /// Sources that are gone and that no alias leads away from.
  static func removed(_ release: GateCandidate, against live: GateBaseline) -> [Finding] {
    let rules = RemovalRules(
      live: live.catalog, new: release.catalog, diff: CatalogDiff(from: live.catalog, to: release.catalog),
      liveVersion: live.version)
    let lost = rules.lost(aliases: release.aliases)
    guard !lost.isEmpty else { return [] }
    return [
      Finding(
        .idsRemoved, .error, "source ids of release \(live.version) would be gone",
        place: .init(file: release.sourcesName),
        advice: rules.advice(lost)
      ).with { $0.sources = lost.map(\.text) }
    ]
  }

  /// Ids whose domain and family are both other ones: what people follow there would become something else.
  static func changedMeaning(_ release: GateCandidate, against live: GateBaseline) -> [Finding] {
    let diff = CatalogDiff(from: live.catalog, to: release.catalog)
    return diff.changed.compactMap { change in
      let fields = Dictionary(change.fields.map { ($0.name, $0) }) { first, _ in first }
      guard let domain = fields["domain"], let family = fields["family"] else { return nil }
      return Finding(
        .idChangedMeaning, .error,
        "\(change.id.text.printable()) was \(text(domain.old)) read by \(text(family.old)) in release "
          + "\(live.version), and becomes \(text(domain.new)) read by \(text(family.new))",
        place: .init(file: release.sourcesName),
        advice: "give the other site an id of its own; people's libraries keep ids"
      ).with { $0.sources = [change.id.text] }
    }
  }

  private static func text(_ value: JSONValue) -> String {
    if case .string(let text) = value { text.printable(maxCharacters: 60) } else { value.kindName }
  }
}

/// Tells what the catalog leaves out: readers fill it in, and other programs may not.
enum CatalogFieldsCheck {
  static func findings(_ release: GateCandidate) -> [Finding] {
    release.catalog.notes.map { note in
      Finding(
        .catalogFields, .warning, "\(note.field) \(note.detail)", place: .init(file: release.sourcesName)
      ).with {
        $0.sources = note.sources.map(\.text)
        $0.subject = note.field
      }
    }
  }
}
