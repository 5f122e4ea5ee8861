internal import OTAFeed
internal import OTAManifest

/// Looks for overrides that nothing reads, and for those of another type than their default: what a slip leaves.
///
/// Warns only, and only about what the live release does not have: a key may be for a reader that is not in the bundle.
struct OverrideUseCheck {
  let catalog: SourceCatalog
  let lines: CatalogLines
  /// The live catalog; `nil` when there is none.
  private let live: SourceCatalog?
  /// How often each family has each type of value for each key.
  private let habits: [Habit: [OverrideReaders.ValueType: Int]]

  private struct Habit: Hashable {
    let family: String
    let key: String
  }

  init(catalog: SourceCatalog, lines: CatalogLines, live: SourceCatalog?) {
    (self.catalog, self.lines, self.live) = (catalog, lines, live)
    var habits: [Habit: [OverrideReaders.ValueType: Int]] = [:]
    for entry in catalog.entries {
      for member in entry.overrides {
        guard let type = Self.type(member.value) else { continue }
        habits[Habit(family: entry.family, key: member.key), default: [:]][type, default: 0] += 1
      }
    }
    self.habits = habits
  }

  private struct Group {
    var key: String
    var family: String
    var message: String
    var advice: String
    var sources: [String] = []
  }

  func findings(_ inspection: BundleInspection, bundle: [UInt8]) -> [Finding] {
    let keys = Set(catalog.entries.flatMap { $0.overrides.map(\.key) })
    let classes = Set(inspection.classes.map(\.name)).subtracting([""])
    let readers = OverrideReaders(keys, in: bundle, classes: classes)
    let parsers = Dictionary(inspection.parsers.map { (ExactText($0.id), $0) }) { first, _ in first }
    var groups: [String: Group] = [:]
    var order: [String] = []
    for entry in catalog.entries {
      guard case .parser(let own, let chain)? = parsers[ExactText(entry.id.text)]?.state else { continue }
      let family = Set(chain.map { inspection.classes[$0].name })
      for member in entry.overrides where !isLive(member, entry) {
        let names = { own.map(\.name) + chain.flatMap { inspection.classes[$0].members.map(\.name) } }
        guard let group = fault(member, entry, family, names, readers) else { continue }
        let id = [group.key, group.family, group.message].joined(separator: "\n")
        if groups[id] == nil { order.append(id) }
        groups[id, default: group].sources.append(entry.id.text)
      }
    }
    return order.compactMap { groups[$0].map(finding) }
  }

  private func finding(_ group: Group) -> Finding {
    Finding(
      .overrideKeys, .warning, group.message,
      place: group.sources.first.map { lines.place(of: $0, override: group.key) } ?? .init(file: lines.name),
      advice: group.advice
    ).with {
      $0.sources = group.sources
      $0.subject = group.key
    }
  }

  /// Whether the live release has the same override for the source, with a value of the same kind.
  private func isLive(_ member: JSONMember, _ entry: SourceEntry) -> Bool {
    let old = live?[entry.id]?.overrides.first { $0.key.hasSameBytes(as: member.key) }
    return old.map { Self.type($0.value) == Self.type(member.value) } ?? false
  }

  private func fault(
    _ member: JSONMember, _ entry: SourceEntry, _ family: Set<String>, _ names: () -> [String],
    _ readers: OverrideReaders
  ) -> Group? {
    let key = member.key
    if !readers.isKnown(key, to: family) {
      guard !readers.readsAnyKey else { return nil }
      let others = Set(catalog.entries.flatMap { $0.overrides.map(\.key) }).filter {
        readers.isKnown($0, to: family)
      }
      let known = others.union(names()).subtracting(CatalogMatchCheck.contract)
      let near = NearestName.nearest(to: key, among: known)
      let reader = entry.family.printable()
      return Group(
        key: key, family: entry.family, message: "nothing in \(reader) reads the override \(key.printable())",
        advice: near.map { "did you mean \($0.printable())?" } ?? "remove it, or correct the name")
    }
    guard let type = Self.type(member.value), let expected = expected(key, entry, family, readers),
      type != expected
    else { return nil }
    return Group(
      key: key, family: entry.family,
      message: "the override \(key.printable()) is \(type.rawValue), and \(expected.rawValue) elsewhere",
      advice: "write it as \(expected.rawValue)")
  }

  /// At least this many sources make a habit.
  private static let minHabit = 3

  /// The type of the default, or else the one that all other sources have.
  private func expected(
    _ key: String, _ entry: SourceEntry, _ family: Set<String>, _ readers: OverrideReaders
  ) -> OverrideReaders.ValueType? {
    if let type = readers.defaultType(key, in: family) { return type }
    let types = habits[Habit(family: entry.family, key: key)] ?? [:]
    guard types.count == 2, let habit = types.max(by: { $0.value < $1.value }), habit.value >= Self.minHabit,
      types.values.min() == 1
    else { return nil }
    return habit.key
  }

  /// `nil` for null, which is how an override says that there is none.
  private static func type(_ value: JSONValue) -> OverrideReaders.ValueType? {
    switch value {
    case .string: .text
    case .number: .number
    case .bool: .bool
    case .array: .list
    case .object: .object
    case .null: nil
    }
  }
}
