internal import OTAManifest

/// Looks for methods that a parser calls on itself, or on the class above, and that are not there.
struct DanglingCallCheck {
  /// What every object can do.
  private static let inherited: Set<String> = [
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString",
    "valueOf", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
  ]

  private struct Fault: Hashable {
    let text: Int
    let receiver: MemberCalls.Call.Receiver
    let name: String
    let type: String?
  }

  private let inspection: BundleInspection
  private let calls: [MemberCalls]
  private let bundle: TextPosition
  private let bundleName: String

  init(_ inspection: BundleInspection, bundle: TextPosition, bundleName: String) {
    (self.inspection, self.bundle, self.bundleName) = (inspection, bundle, bundleName)
    calls = inspection.texts.map { MemberCalls(of: $0) }
  }

  /// One finding for each call that leads nowhere, with the sources whose parsers make it.
  func findings() -> [Finding] {
    var order: [Fault] = []
    var found: [Fault: (method: String, owner: String, sources: [String])] = [:]
    for parser in inspection.parsers {
      guard case .parser(let own, let chain) = parser.state else { continue }
      for (fault, method, owner) in faults(own, chain) {
        if found[fault] == nil { order.append(fault) }
        found[fault, default: (method, owner, [])].sources.append(parser.id)
      }
    }
    return order.compactMap { fault in found[fault].map { finding(fault, $0.method, $0.owner, $0.sources) } }
  }

  private func faults(
    _ own: [InspectedMember], _ chain: [Int]
  ) -> [(fault: Fault, method: String, owner: String)] {
    let holders = [("", own)] + chain.map { (inspection.classes[$0].name, inspection.classes[$0].members) }
    let types = Self.reach(holders.map(\.1))
    var assigned: Set<String> = []
    for member in holders.flatMap(\.1) {
      if let text = member.text { assigned.formUnion(calls[text].assigned) }
    }
    var faults: [(Fault, String, String)] = []
    var seen: Set<Fault> = []
    for (depth, (owner, members)) in holders.enumerated() {
      for member in members {
        guard let text = member.text else { continue }
        for call in calls[text].calls {
          // What an arrow function that became a member calls the class above depends on where it was made.
          guard call.receiver == .this || depth > 0 else { continue }
          let target = types[call.receiver == .this ? 0 : depth + 1][call.name]
          guard target?.isCallable != true, !Self.inherited.contains(call.name),
            call.receiver == .super || !assigned.contains(call.name),
            !calls[text].guarded.contains(call.name)
          else { continue }
          let fault = Fault(text: text, receiver: call.receiver, name: call.name, type: target?.type)
          if seen.insert(fault).inserted { faults.append((fault, member.name, owner)) }
        }
      }
    }
    return faults
  }

  /// For each holder the members that are found from it on upwards; nothing above the last one.
  private static func reach(_ holders: [[InspectedMember]]) -> [[String: InspectedMember]] {
    var reach: [[String: InspectedMember]] = [[:]]
    for members in holders.reversed() {
      let own = Dictionary(members.map { ($0.name, $0) }) { first, _ in first }
      reach.append((reach.last ?? [:]).merging(own) { _, nearer in nearer })
    }
    return reach.reversed()
  }

  private func finding(_ fault: Fault, _ method: String, _ owner: String, _ sources: [String]) -> Finding {
    let place = place(of: fault)
    let caller = owner.isEmpty ? method : "\(owner).\(method)"
    let state =
      fault.type.map { "is \($0 == "undefined" ? "undefined" : "a \($0)"), not a method" } ?? "does not exist"
    return Finding(
      .danglingCall, .error, "\(caller.printable()) calls \(fault.receiver).\(fault.name)(), which \(state)",
      place: place,
      advice: "add the method, or correct the name"
    ).with {
      $0.sources = sources
      $0.method = method
      $0.subject = fault.name
    }
  }

  private func place(of fault: Fault) -> Finding.Place {
    guard let start = bundle.offset(of: inspection.texts[fault.text]),
      let call = calls[fault.text].calls.first(where: {
        $0.receiver == fault.receiver && $0.name == fault.name
      })
    else { return Finding.Place(file: bundleName) }
    return bundle.place(of: start + call.offset, in: bundleName)
  }
}
