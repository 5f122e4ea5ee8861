internal import OTAManifest

/// Finds sources that changed places: each has now what another one had.
struct SwappedSources {
  /// The ids that went round, each group in the order of the new catalog.
  let cycles: [[SourceID]]
  private let ids: Set<SourceID>

  init(_ diff: CatalogDiff, from old: SourceCatalog, to new: SourceCatalog) {
    let changed = diff.changed.compactMap { change -> (old: SourceEntry, new: SourceEntry)? in
      guard let before = old[change.id], let after = new[change.id] else { return nil }
      return (before, after)
    }
    var cycles: [[SourceID]] = []
    var taken: Set<SourceID> = []
    // What tells sources apart: the site, and within one site the rest of the entry.
    for site in [Self.domain, Self.whole] {
      for cycle in Self.cycles(changed.filter { !taken.contains($0.new.id) }, site) {
        cycles.append(cycle)
        taken.formUnion(cycle)
      }
    }
    (self.cycles, ids) = (cycles, taken)
  }

  func contains(_ id: SourceID) -> Bool { ids.contains(id) }

  private static func domain(_ entry: SourceEntry) -> String { entry.domain.lowercased() }

  private static func whole(_ entry: SourceEntry) -> String {
    let fields = entry.fields.filter { $0.key != "id" }
    return String(decoding: JSONValue.object(fields).encoded(indented: false), as: UTF8.self)
  }

  /// Follows each entry to the one whose place it took, until the way leads back.
  private static func cycles(
    _ changed: [(old: SourceEntry, new: SourceEntry)], _ site: (SourceEntry) -> String
  ) -> [[SourceID]] {
    let moved = changed.filter { site($0.old) != site($0.new) }
    // A site that several sources share says nothing about which of them it was.
    let owners = Dictionary(grouping: moved.indices) { site(moved[$0].old) }.filter { $0.value.count == 1 }
    let next = moved.map { owners[site($0.new)]?[0] }
    var seen: Set<Int> = []
    var cycles: [[SourceID]] = []
    for start in moved.indices where !seen.contains(start) {
      var way: [Int] = []
      var place: Int? = start
      while let current = place, !way.contains(current), !seen.contains(current) {
        way.append(current)
        place = next[current]
      }
      seen.formUnion(way)
      guard let end = place, let first = way.firstIndex(of: end) else { continue }
      cycles.append(way[first...].sorted().map { moved[$0].new.id })
    }
    return cycles.filter { $0.count > 1 }
  }
}
