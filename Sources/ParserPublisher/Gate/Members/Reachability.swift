/// Which methods of a parser are called at all, as far as names tell.
///
/// Calls begin at the methods that apps call, and at those that no method of the parser calls: something outside may.
struct Reachability {
  private let reached: Set<String>

  init(_ group: ParserGroup, _ uses: [MemberUses]) {
    var calls: [String: Set<String>] = [:]
    let assigned = group.texts.reduce(into: Set<String>()) { $0.formUnion(uses[$1].assigned) }
    for member in group.holders.flatMap(\.members) {
      guard let text = member.text else { continue }
      let living = uses[text].calls.filter { Self.isLiving($0, group, assigned) }
      let names = Set(living.map(\.name)).union(uses[text].tested)
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

  /// Whether a call can be made: not when it waits for a member that the parser never has.
  static func isLiving(_ call: MemberUses.Call, _ group: ParserGroup, _ assigned: Set<String>) -> Bool {
    call.conditions.allSatisfy { group.reach[0][$0] != nil || assigned.contains($0) }
  }

  func reaches(_ method: String) -> Bool { reached.contains(method) }
}
