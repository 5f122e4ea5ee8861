public import OTAManifest

/// Which parts of the code changed between two bundles, and which sources that touches.
public struct CodeDiff: Equatable, Sendable {
  /// A family of the catalog whose code changed.
  public struct Family: Equatable, Sendable {
    /// Its name, as the catalog has it.
    public let name: String
    /// Its sources that are touched, in the order of the catalog.
    public let sources: [SourceID]
  }

  /// Classes and functions that only the new bundle has, sorted.
  public let added: [String]
  /// Classes and functions that only the old bundle has, sorted.
  public let removed: [String]
  /// Classes and functions with another text, sorted; white space and comments do not count.
  public let changed: [String]
  /// Whether code outside of classes and functions changed, the copy of the catalog left out: any source may be touched.
  public let isSharedCodeChanged: Bool
  /// Families with touched sources, in the order of the catalog.
  public let families: [Family]

  /// Whether the two bundles do the same.
  public var isEmpty: Bool {
    added.isEmpty && removed.isEmpty && changed.isEmpty && !isSharedCodeChanged
  }

  /// The ids of all touched sources.
  public var touched: [SourceID] { families.flatMap(\.sources) }

  /// No difference.
  static let none = CodeDiff(added: [], removed: [], changed: [], isSharedCodeChanged: false, families: [])

  private init(
    added: [String], removed: [String], changed: [String], isSharedCodeChanged: Bool, families: [Family]
  ) {
    (self.added, self.removed, self.changed) = (added, removed, changed)
    (self.isSharedCodeChanged, self.families) = (isSharedCodeChanged, families)
  }

  /// Compares two bundles with the catalogs that belong to them.
  init(
    from old: [UInt8], _ oldCatalog: SourceCatalog, to new: [UInt8], _ newCatalog: SourceCatalog
  ) throws(Problem) {
    guard old != new else {
      self = .none
      return
    }
    let ids = Set((oldCatalog.entries + newCatalog.entries).map(\.id.text))
    self.init(from: try ScriptUnits(old, ids: ids), to: try ScriptUnits(new, ids: ids), newCatalog)
  }

  init(from old: ScriptUnits, to new: ScriptUnits, _ catalog: SourceCatalog) {
    let added = new.units.keys.filter { old.units[$0] == nil }.sorted()
    let removed = old.units.keys.filter { new.units[$0] == nil }.sorted()
    let changed = new.units.filter { name, unit in
      old.units[name].map { $0.digest != unit.digest } ?? false
    }.keys.sorted()
    let touched = new.leading(to: Set(changed + added))
    self.init(
      added: added, removed: removed, changed: changed, isSharedCodeChanged: old.rest != new.rest,
      families: Self.families(touched, catalog))
  }

  private static func families(_ touched: Set<String>, _ catalog: SourceCatalog) -> [Family] {
    var order: [String] = []
    var sources: [String: [SourceID]] = [:]
    for entry in catalog.entries where touched.contains(entry.family) || touched.contains(entry.className) {
      if sources[entry.family] == nil { order.append(entry.family) }
      sources[entry.family, default: []].append(entry.id)
    }
    return order.map { Family(name: $0, sources: sources[$0] ?? []) }
  }
}
