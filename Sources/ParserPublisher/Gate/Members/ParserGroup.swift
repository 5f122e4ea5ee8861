/// Sources whose parsers are made alike: the same classes, and own members of the same names and types.
struct ParserGroup {
  /// Members that every object has.
  static let ofEveryObject: Set<String> = [
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
    "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
  ]

  /// What defines members: the parser itself, then its classes, the nearest first.
  struct Holder {
    /// The name of the class; empty for the parser itself and for a class without a name.
    let name: String
    let members: [InspectedMember]
  }

  let sources: [String]
  let holders: [Holder]
  /// For each holder the members that are found from it on upwards; nothing above the last one.
  let reach: [[String: InspectedMember]]

  private struct Make: Hashable {
    let own: [InspectedMember]
    let chain: [Int]
  }

  /// All parsers of a bundle, in the order of their first sources.
  static func groups(_ inspection: BundleInspection) -> [ParserGroup] {
    var order: [Make] = []
    var sources: [Make: [String]] = [:]
    for parser in inspection.parsers {
      guard case .parser(let own, let chain) = parser.state else { continue }
      let make = Make(own: own, chain: chain)
      if sources[make] == nil { order.append(make) }
      sources[make, default: []].append(parser.id)
    }
    return order.map { make in
      let classes = make.chain.map { inspection.classes[$0] }
      return ParserGroup(
        sources: sources[make] ?? [],
        holders: [Holder(name: "", members: make.own)]
          + classes.map { Holder(name: $0.name, members: $0.members) })
    }
  }

  private init(sources: [String], holders: [Holder]) {
    (self.sources, self.holders) = (sources, holders)
    var reach: [[String: InspectedMember]] = [[:]]
    for holder in holders.reversed() {
      let own = Dictionary(holder.members.map { ($0.name, $0) }) { first, _ in first }
      reach.append((reach.last ?? [:]).merging(own) { _, nearer in nearer })
    }
    self.reach = reach.reversed()
  }

  /// The members that a receiver in a method of the holder at `depth` has.
  func reach(of receiver: MemberUses.Receiver, from depth: Int) -> [String: InspectedMember] {
    reach[receiver == .this ? 0 : depth + 1]
  }

  /// What a holder is called in a sentence: its class, or the class of the parser for its own members.
  func name(of depth: Int) -> String {
    depth > 0 ? holders[depth].name : holders.dropFirst().first?.name ?? ""
  }

  /// The numbers of the texts of all methods.
  var texts: [Int] { holders.flatMap { $0.members.compactMap(\.text) } }
}
