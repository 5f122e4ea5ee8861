internal import OTAManifest

/// Tells which sources of a catalog have parsers that reach a place of the bundle.
struct ConcernedSources {
  private let release: GateCandidate
  private let inspection: BundleInspection?
  private let above: [String: [String]]

  init(_ release: GateCandidate, _ inspection: BundleInspection?, above: [String: [String]]) {
    (self.release, self.inspection, self.above) = (release, inspection, above)
  }

  /// The ids, in the order of the catalog; none when the place runs for the bundle as a whole.
  func sources(of messages: [CodeReading.Message]) -> [String] {
    guard !messages.contains(where: \.isAtLoad) else { return [] }
    let found = byText(messages).union(byName(Set(messages.map(\.owner)).subtracting([""])))
    let ids = release.catalog.entries.map(\.id.text).filter { found.contains($0) }
    // What all of them reach is said of the release.
    return ids.count == release.catalog.entries.count ? [] : ids
  }

  /// Sources whose parsers have one of the methods: the engine knows the text of each.
  private func byText(_ messages: [CodeReading.Message]) -> Set<String> {
    guard let inspection else { return [] }
    let bundle = release.bundle
    let texts = Set(
      messages.flatMap(\.methods).filter { $0.upperBound <= bundle.count }.map { Array(bundle[$0]) })
    let numbers = Set(inspection.texts.indices.filter { texts.contains(inspection.texts[$0]) })
    guard !numbers.isEmpty else { return [] }
    let has = { (members: [InspectedMember]) in members.contains { $0.text.map(numbers.contains) ?? false } }
    let classes = Set(inspection.classes.indices.filter { has(inspection.classes[$0].members) })
    return Set(
      inspection.parsers.filter { parser in
        guard case .parser(let own, let chain) = parser.state else { return false }
        return has(own) || chain.contains(where: classes.contains)
      }.map(\.id))
  }

  /// Sources whose family is one of the classes or inherits from one, by their names.
  private func byName(_ owners: Set<String>) -> Set<String> {
    guard !owners.isEmpty else { return [] }
    return Set(
      release.catalog.entries.filter { entry in
        owners.contains(entry.family) || !owners.isDisjoint(with: above[entry.family] ?? [])
      }.map(\.id.text))
  }
}
