/// What changed between two catalogs, for the maintainer who publishes the second.
///
/// Entries belong together when their ids are spellings of one source; a new title, locale or domain never makes
/// another source of an entry.
public struct CatalogDiff: Sendable, Equatable {
  /// A field with two values.
  public struct FieldChange: Sendable, Equatable {
    /// The field's name in the catalog; `id` when the id is spelt in another way.
    public let name: String
    /// The value that it had.
    public let old: JSONValue
    /// The value that it has now.
    public let new: JSONValue
  }

  /// A source that both catalogs have, with other values.
  public struct EntryChange: Sendable, Equatable {
    /// The id in the new catalog.
    public let id: SourceID
    /// The fields that changed, in the order in which catalogs write them.
    public let fields: [FieldChange]
  }

  /// A guess that a removed source lives on under another id: a hint for a person, never an alias by itself.
  public struct RenameCandidate: Sendable, Equatable {
    /// The id that is gone.
    public let removed: SourceID
    /// The id that is new.
    public let added: SourceID
    /// The field that both entries share: `className` or `domain`.
    public let sharedField: String
  }

  /// Ids that only the new catalog has, in its order.
  public let added: [SourceID]
  /// Ids that only the old catalog has, in its order.
  public let removed: [SourceID]
  /// Sources with other values, in the order of the new catalog.
  public let changed: [EntryChange]
  /// At most one guess for each removed id, in their order, with each added id used once.
  public let renameCandidates: [RenameCandidate]

  /// Compares two catalogs.
  public init(from old: SourceCatalog, to new: SourceCatalog) {
    let pairs = Self.pairs(old, new)
    let kept = Set(pairs.values)
    let removedEntries = old.entries.filter { !kept.contains($0.position) }
    let addedEntries = new.entries.filter { pairs[$0.position] == nil }
    added = addedEntries.map(\.id)
    removed = removedEntries.map(\.id)
    changed = new.entries.compactMap { entry in
      pairs[entry.position].flatMap { Self.change(from: old.entries[$0], to: entry) }
    }
    renameCandidates = RenameSearch(among: addedEntries).candidates(for: removedEntries)
  }

  /// Whether both catalogs have the same sources with the same values; their order does not count.
  public var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

  /// The position in the old catalog for each position in the new one; equal ids pair before other spellings do.
  private static func pairs(_ old: SourceCatalog, _ new: SourceCatalog) -> [Int: Int] {
    var pairs: [Int: Int] = [:]
    for entry in new.entries {
      if let twin = old[entry.id] { pairs[entry.position] = twin.position }
    }
    var taken = Set(pairs.values)
    for entry in new.entries where pairs[entry.position] == nil {
      guard let position = old.index.position(of: entry.id.text), taken.insert(position).inserted else {
        continue
      }
      pairs[entry.position] = position
    }
    return pairs
  }

  private static func change(from old: SourceEntry, to new: SourceEntry) -> EntryChange? {
    let fields = zip(old.fields, new.fields).compactMap { (old, new) in
      old == new ? nil : FieldChange(name: new.key, old: old.value, new: new.value)
    }
    return fields.isEmpty ? nil : EntryChange(id: new.id, fields: fields)
  }
}

/// Looks for removed sources among the added ones, in linear time.
private struct RenameSearch {
  private let byClass: [ExactText: [SourceEntry]]
  private let byDomain: [ExactText: [SourceEntry]]

  init(among added: [SourceEntry]) {
    byClass = Dictionary(grouping: added) { ExactText($0.className) }
    byDomain = Dictionary(grouping: added) { ExactText($0.domain.asciiLowercased) }
  }

  /// Pairs by class name first, since many sources may share a domain.
  func candidates(for removed: [SourceEntry]) -> [CatalogDiff.RenameCandidate] {
    var found: [Int: CatalogDiff.RenameCandidate] = [:]
    var taken: Set<Int> = []
    func search(_ field: String, _ table: [ExactText: [SourceEntry]], _ key: (SourceEntry) -> String) {
      var rest = table.mapValues { $0[...] }
      for entry in removed where found[entry.position] == nil {
        while let match = rest[ExactText(key(entry))]?.popFirst() {
          guard taken.insert(match.position).inserted else { continue }
          found[entry.position] = CatalogDiff.RenameCandidate(
            removed: entry.id, added: match.id, sharedField: field)
          break
        }
      }
    }
    search("className", byClass, \.className)
    search("domain", byDomain, \.domain.asciiLowercased)
    return removed.compactMap { found[$0.position] }
  }
}
