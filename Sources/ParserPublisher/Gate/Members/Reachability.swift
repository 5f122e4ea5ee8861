/// Which methods of a parser are called at all, as far as names tell.
///
/// Calls begin at the methods that apps call, and at those that no method of the parser calls: something outside may.
struct Reachability {
  private let reached: Set<String>

  init(_ group: ParserGroup, _ uses: [MemberUses]) {
    var calls: [String: Set<String>] = [:]
    for member in group.holders.flatMap(\.members) {
      guard let text = member.text else { continue }
      let names = Set(uses[text].calls.map(\.name)).union(uses[text].tested)
      calls[member.name, default: []].formUnion(names)
    }
    // Called by methods of other families only: those of this one must be reached to count.
    let calledSomewhere = Set(uses.lazy.flatMap(\.calls).map(\.name))
    var waiting = calls.keys.filter {
      CatalogMatchCheck.contract.contains($0) || !calledSomewhere.contains($0)
    }
    var reached = Set(waiting)
    while let method = waiting.popLast() {
      for name in calls[method] ?? [] where calls[name] != nil && reached.insert(name).inserted {
        waiting.append(name)
      }
    }
    self.reached = reached
  }

  func reaches(_ method: String) -> Bool { reached.contains(method) }
}
