/// Which parsers a change of a bundle can reach: the others need not run twice to be compared.
///
/// A change within classes reaches these classes, those that inherit from them and those that name them. Anything else, a
/// helper or a table, reaches all.
struct ChangeReach {
  /// The names of the classes that it reaches; `nil` when it may reach everything.
  let classes: Set<String>?

  init(from live: InstrumentedBundle, to bundle: InstrumentedBundle) {
    guard let before = Self.changed(in: live, since: bundle), let now = Self.changed(in: bundle, since: live)
    else {
      classes = nil
      return
    }
    classes = Self.closed(before.union(now), in: [live, bundle])
  }

  /// The sources of an inspected catalog that it may reach.
  func sources(_ inspection: BundleInspection) -> Set<String> {
    let known = Set(inspection.classes.map(\.name))
    guard let classes, classes.isSubset(of: known) else { return Set(inspection.parsers.map(\.id)) }
    let numbers = Set(inspection.classes.indices.filter { classes.contains(inspection.classes[$0].name) })
    return Set(
      inspection.parsers.filter { parser in
        guard case .parser(_, let chain) = parser.state else { return true }
        return !numbers.isDisjoint(with: chain)
      }.map(\.id))
  }

  /// The classes around the lines that differ; `nil` when some stand in no class.
  private static func changed(
    in bundle: InstrumentedBundle, since other: InstrumentedBundle
  ) -> Set<String>? {
    let text = bundle.positions
    var names: Set<String> = []
    for line in ChangedLines(text.bytes, since: other.positions.bytes).all {
      let start = text.lineStarts[line - 1]
      let end = line < text.lineStarts.count ? text.lineStarts[line] : text.bytes.count
      let words = text.bytes[start..<end].drop { $0 <= 0x20 }
      if words.isEmpty || words.starts(with: "//".utf8) { continue }
      guard let owner = bundle.outerClass(at: words.startIndex), let name = owner.name else { return nil }
      // Behind its last brace a class may end its statement; anything more is other code.
      let rest = words[min(max(owner.range.upperBound, words.startIndex), end)..<end]
      guard rest.allSatisfy({ $0 <= 0x20 || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }) else {
        return nil
      }
      names.insert(name)
    }
    return names
  }

  /// The classes with all that inherit from them or name them; `nil` when code outside of classes uses one.
  private static func closed(_ names: Set<String>, in bundles: [InstrumentedBundle]) -> Set<String>? {
    var reached = names
    var isGrowing = !names.isEmpty
    while isGrowing {
      isGrowing = false
      for bundle in bundles {
        for use in bundle.classUses where reached.contains(use.name) {
          guard let user = use.user else { return nil }
          if reached.insert(user).inserted { isGrowing = true }
        }
      }
    }
    return reached
  }
}
