internal import OTAFeed
internal import OTAManifest

/// Looks for overrides that replace a method of their parser by a value.
///
/// One with the name of a method that the parser keeps somewhere else, or makes a method of, hides nothing.
/// Keys that would reach the prototype of an object are refused with the catalog already.
struct OverrideKeysCheck {
  let catalog: SourceCatalog
  let lines: CatalogLines

  func findings(_ inspection: BundleInspection) -> [Finding] {
    let parsers = Dictionary(inspection.parsers.map { (ExactText($0.id), $0) }) { first, _ in first }
    var order: [String] = []
    var found: [String: [String]] = [:]
    for entry in catalog.entries {
      guard case .parser(let own, let chain)? = parsers[ExactText(entry.id.text)]?.state else { continue }
      for member in entry.overrides where hides(member.key, own, chain, inspection) {
        if found[member.key] == nil { order.append(member.key) }
        found[member.key, default: []].append(entry.id.text)
      }
    }
    return order.map { key in
      let sources = found[key] ?? []
      let finding = Finding(
        .overrideKeys, .error, "the override \(key.printable()) hides the method of that name of the parser",
        place: sources.first.map { lines.place(of: $0, override: key) } ?? .init(file: lines.name),
        advice: "rename the override, or remove it")
      return finding.with {
        $0.sources = sources
        $0.subject = key
      }
    }
  }

  private static let ofEveryObject: Set<String> = ["hasOwnProperty", "toString", "valueOf", "toLocaleString"]

  private func hides(
    _ key: String, _ own: [InspectedMember], _ chain: [Int], _ inspection: BundleInspection
  ) -> Bool {
    guard let value = own.first(where: { $0.name.hasSameBytes(as: key) }), !value.isCallable else {
      return false
    }
    return Self.ofEveryObject.contains(key)
      || chain.contains { index in
        inspection.classes[index].members.contains { $0.isCallable && $0.name.hasSameBytes(as: key) }
      }
  }
}
