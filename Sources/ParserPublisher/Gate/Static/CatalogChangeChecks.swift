internal import OTAFeed
internal import OTAManifest

/// Looks for sources that go, and for ids that come to mean another site: both take from people what they follow.
enum CatalogChangeChecks {
  /// Sources that are gone and that no alias leads away from.
  static func removed(_ release: GateCandidate, against live: GateBaseline) -> [Finding] {
    let rules = RemovalRules(
      live: live.catalog, new: release.catalog, diff: CatalogDiff(from: live.catalog, to: release.catalog),
      liveVersion: live.version)
    let lost = rules.lost(aliases: release.aliases)
    let respelt = respelt(rules.diff, release, live)
    guard !lost.isEmpty else { return respelt }
    return [
      Finding(
        .idsRemoved, .error, "source ids of release \(live.version) would be gone",
        place: .init(file: release.sourcesName),
        advice: rules.advice(lost)
      ).with { $0.sources = lost.map(\.text) }
    ] + respelt
  }

  /// Ids that are written in another way: apps find them all the same, and lists that were kept elsewhere do not.
  private static func respelt(
    _ diff: CatalogDiff, _ release: GateCandidate, _ live: GateBaseline
  ) -> [Finding] {
    diff.changed.compactMap { change in
      guard case .string(let old)? = change.fields.first(where: { $0.name == "id" })?.old else { return nil }
      let isCase = old.lowercased() == change.id.text.lowercased()
      return Finding(
        .idsRemoved, isCase ? .error : .warning,
        "the id \(old.printable()) of release \(live.version) is written \(change.id.text.printable()) now",
        place: CatalogLines(release.sourcesName, release.sources).place(of: change.id.text),
        advice: "write \(old.printable()), as libraries keep it"
      ).with { $0.sources = [change.id.text] }
    }
  }

  /// Ids whose domain and family are both other ones: what people follow there would become something else.
  static func changedMeaning(_ release: GateCandidate, against live: GateBaseline) -> [Finding] {
    let diff = CatalogDiff(from: live.catalog, to: release.catalog)
    let swaps = SwappedSources(diff, from: live.catalog, to: release.catalog)
    let lines = CatalogLines(release.sourcesName, release.sources)
    return swaps.cycles.map { finding($0, live, lines) }
      + diff.changed.compactMap { change in
        guard !swaps.contains(change.id) else { return nil }
        let fields = Dictionary(change.fields.map { ($0.name, $0) }) { first, _ in first }
        guard let domain = fields["domain"], let family = fields["family"] else { return nil }
        return Finding(
          .idChangedMeaning, .error,
          "\(change.id.text.printable()) was \(text(domain.old)) read by \(text(family.old)) in release "
            + "\(live.version), and becomes \(text(domain.new)) read by \(text(family.new))",
          place: lines.place(of: change.id.text, "domain"),
          advice: "give the other site an id of its own; people's libraries keep ids"
        ).with { $0.sources = [change.id.text] }
      }
  }

  private static func finding(_ ids: [SourceID], _ live: GateBaseline, _ lines: CatalogLines) -> Finding {
    let names = ids.map { $0.text.printable() }
    return Finding(
      .idChangedMeaning, .error,
      "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "") changed places since release "
        + "\(live.version): each one has the site that another one had",
      place: ids.first.map { lines.place(of: $0.text) } ?? .init(file: lines.name),
      advice: "give each id its own site back; people's libraries keep ids"
    ).with { $0.sources = ids.map(\.text) }
  }

  private static func text(_ value: JSONValue) -> String {
    if case .string(let text) = value { text.printable(maxCharacters: 60) } else { value.kindName }
  }
}
