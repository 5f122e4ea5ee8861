internal import OTAManifest
internal import OTAFeed

/// Looks for a method that apps call and that is written with a slip: the class inherits the base class's instead.
struct MisspeltEntryCheck {
  private static let entries = CatalogMatchCheck.contract + ["getChapters"]
  /// A stub says that there is nothing, and no more.
  private static let maxStubBytes = 200

  private let inspection: BundleInspection
  private let groups: [ParserGroup]
  private let uses: [MemberUses]

  init(_ inspection: BundleInspection, _ groups: [ParserGroup], _ uses: [MemberUses]) {
    (self.inspection, self.groups, self.uses) = (inspection, groups, uses)
  }

  private struct Slip: Hashable {
    let written: String
    let meant: String
    let owner: String
    let text: Int
    let isSure: Bool
  }

  func findings(bundle: TextPosition, bundleName: String) -> [Finding] {
    let used = uses.reduce(into: Set<String>()) {
      $0.formUnion($1.calls.map(\.name))
      $0.formUnion($1.tested)
    }
    var order: [Slip] = []
    var sources: [Slip: Set<String>] = [:]
    for group in groups {
      for slip in slips(group, used) {
        if sources[slip] == nil { order.append(slip) }
        sources[slip, default: []].formUnion(group.sources)
      }
    }
    let places = MethodPlaces(Set(order.map(\.text)), of: inspection.texts, in: bundle, named: bundleName)
    return order.map { finding($0, sources[$0] ?? [], places) }
  }

  private func slips(_ group: ParserGroup, _ used: Set<String>) -> [Slip] {
    var slips: [Slip] = []
    for (depth, holder) in group.holders.enumerated() {
      for member in holder.members where member.type == "function" && !Self.entries.contains(member.name) {
        guard let text = member.text, !used.contains(member.name),
          let meant = NearestName.nearest(to: member.name, among: Self.entries),
          isMissing(meant, group, above: depth)
        else { continue }
        slips.append(
          Slip(
            written: member.name, meant: meant, owner: group.name(of: depth), text: text,
            isSure: isStub(group.reach[depth][meant])))
      }
    }
    return slips
  }

  /// Whether neither the class itself nor one below it has the method: it is that of a class above, or nobody's.
  private func isMissing(_ entry: String, _ group: ParserGroup, above depth: Int) -> Bool {
    !group.holders.prefix(depth + 1).dropFirst().contains { holder in
      holder.members.contains { $0.name == entry }
    }
  }

  private func isStub(_ member: InspectedMember?) -> Bool {
    guard let member, let number = member.text else { return true }
    let text = inspection.texts[number]
    return text.count < Self.maxStubBytes && String(decoding: text, as: UTF8.self).contains("throw ")
  }

  private func finding(_ slip: Slip, _ sources: Set<String>, _ places: MethodPlaces) -> Finding {
    let owner = slip.owner.isEmpty ? "" : "\(slip.owner.printable())."
    return Finding(
      .catalogMatch, slip.isSure ? .error : .warning,
      "\(owner)\(slip.written.printable()) is called by nobody, and \(slip.meant) is not its own",
      place: places.place(slip.text, 0), advice: "did you mean \(slip.meant)?"
    ).with {
      $0.sources = inspection.parsers.map(\.id).filter { sources.contains($0) }
      $0.method = slip.written
      $0.subject = slip.written
    }
  }
}
