internal import OTAManifest

/// Looks for methods that a parser calls on itself, or on the class above, and that are not there; and for members that
/// are used as what they are not.
///
/// Refuses only what nothing else can explain. Members also come into being while code runs, so a name that stands
/// anywhere else in the bundle, a test before the call and a `catch` around it leave a doubt, and a doubt warns.
struct DanglingCallCheck {
  /// What the engine is asked about parsers: what one of them answers for some names.
  struct Question: Equatable {
    let source: String
    let names: [String]
  }

  private let inspection: BundleInspection
  let uses: [MemberUses]
  let groups: [ParserGroup]
  private var candidates: [Candidate] = []

  init(_ inspection: BundleInspection) {
    self.inspection = inspection
    uses = inspection.texts.map { MemberUses(of: $0) }
    groups = ParserGroup.groups(inspection)
    candidates = groups.indices.flatMap { candidates(in: $0) }
  }

  // MARK: Candidates

  /// A use that may be at fault, before anything was asked about it.
  private struct Candidate {
    let group: Int
    let depth: Int
    let key: MemberFault.Key
    let site: MemberFault.Site
    let catching: MemberUses.Call.Catching
  }

  /// What to ask the engine; nothing when every call leads somewhere.
  var questions: [Question] {
    var names: [Int: Set<String>] = [:]
    for candidate in candidates where candidate.key.receiver == .this {
      names[candidate.group, default: []].insert(candidate.key.name)
    }
    return names.sorted { $0.key < $1.key }.map {
      Question(source: groups[$0.key].sources[0], names: $0.value.sorted())
    }
  }

  private func candidates(in number: Int) -> [Candidate] {
    let scene = Scene(number: number, group: groups[number], uses: uses)
    return scene.group.holders.enumerated().flatMap { depth, holder in
      holder.members.flatMap { member -> [Candidate] in
        guard let text = member.text else { return [] }
        return (calls(scene, depth, text) + misuses(scene, text)).map { kind, call in
          Candidate(
            group: number, depth: depth, key: .init(kind: kind, receiver: call.receiver, name: call.name),
            site: .init(
              text: text, offset: call.offset, caller: Self.caller(scene.group.name(of: depth), member.name),
              method: member.name),
            catching: call.catching)
        }
      }
    }
  }

  /// A group with what its methods do to its members.
  private struct Scene {
    let number: Int
    let group: ParserGroup
    let assigned: Set<String>
    let asked: Set<String>

    init(number: Int, group: ParserGroup, uses: [MemberUses]) {
      (self.number, self.group) = (number, group)
      assigned = group.texts.reduce(into: []) { $0.formUnion(uses[$1].assigned) }
      asked = group.texts.reduce(into: []) { $0.formUnion(uses[$1].asked) }
    }
  }

  /// Calls of what is no method, and that nothing makes safe.
  private func calls(_ scene: Scene, _ depth: Int, _ text: Int) -> [(MemberFault.Kind, MemberUses.Call)] {
    uses[text].calls.compactMap { call in
      // What an arrow function that became a member calls the class above depends on where it was made.
      guard call.receiver == .this || depth > 0, !isSafe(call, scene, text) else { return nil }
      let target = scene.group.reach(of: call.receiver, from: depth)[call.name]
      switch target?.type {
      case "function": return nil
      case "accessor": return call.receiver == .this ? (.getter(""), call) : nil
      case let type?: return (.notCallable(type), call)
      case nil: return (.missing, call)
      }
    }
  }

  private func isSafe(_ call: MemberUses.Call, _ scene: Scene, _ text: Int) -> Bool {
    if call.catching == .optional || ParserGroup.ofEveryObject.contains(call.name)
      || uses[text].tested.contains(call.name)
      || !Reachability.isLiving(call, scene.group, scene.assigned)
    {
      return true
    }
    return call.receiver == .this && (scene.asked.contains(call.name) || scene.assigned.contains(call.name))
  }

  /// Methods that are read as texts, and members of a `this` that is lost.
  private func misuses(_ scene: Scene, _ text: Int) -> [(MemberFault.Kind, MemberUses.Call)] {
    let members = scene.group.reach[0]
    let readings = uses[text].readings.filter { reading in
      members[reading.name]?.type == "function" && members[reading.name]?.text != nil
        && !scene.assigned.contains(reading.name)
    }
    let lost = uses[text].lost.filter { members[$0.name]?.text != nil }
    return readings.map {
      (.readAsText, MemberUses.Call(receiver: .this, name: $0.name, offset: $0.offset))
    } + lost.map { (.lostThis, $0) }
  }

  private static func caller(_ owner: String, _ method: String) -> String {
    owner.isEmpty ? method : "\(owner).\(method)"
  }

  // MARK: Findings

  /// One finding for each member that is missing or misused, with the sources whose parsers use it.
  ///
  /// - Parameters:
  ///   - answers: what the engine answered, for each question a type for each of its names.
  ///   - overrides: the keys and texts of the overrides of all sources.
  func findings(
    answers: [[String]] = [], bundle: TextPosition, bundleName: String, overrides: Set<String> = []
  ) -> [Finding] {
    guard !candidates.isEmpty else { return [] }
    let types = typesByGroup(answers)
    var reachable: [Int: Reachability] = [:]
    for number in Set(candidates.map(\.group)) { reachable[number] = Reachability(groups[number], uses) }
    let explanations = CallExplanations(
      for: Set(candidates.map(\.key.name)), in: bundle.bytes, overrides: overrides)
    var order: [MemberFault.Key] = []
    var faults: [MemberFault.Key: MemberFault] = [:]
    for candidate in candidates {
      // What no call reaches belongs to other families, which are looked at as well.
      guard reachable[candidate.group]?.reaches(candidate.site.method) != false else { continue }
      guard let (kind, doubt) = verdict(candidate, types, explanations) else { continue }
      let key = MemberFault.Key(kind: kind, receiver: candidate.key.receiver, name: candidate.key.name)
      if faults[key] == nil { order.append(key) }
      merge(candidate, doubt, into: &faults[key, default: MemberFault(key: key, doubt: doubt)])
    }
    let texts = Set(faults.values.flatMap(\.sites).map(\.text))
    let places = MethodPlaces(texts, of: inspection.texts, in: bundle, named: bundleName)
    return order.compactMap { faults[$0].map { sorted($0).finding(places) } }
  }

  private func typesByGroup(_ answers: [[String]]) -> [Int: [String: String]] {
    var types: [Int: [String: String]] = [:]
    for (question, answer) in zip(questions, answers) {
      guard let group = groups.firstIndex(where: { $0.sources.first == question.source }) else { continue }
      types[group] = Dictionary(zip(question.names, answer)) { first, _ in first }
    }
    return types
  }

  private func merge(_ candidate: Candidate, _ doubt: MemberFault.Doubt?, into fault: inout MemberFault) {
    let isNew = !fault.sites.contains(candidate.site)
    if doubt == nil, fault.doubt != nil {
      fault.doubt = nil
      if isNew { fault.sites.insert(candidate.site, at: 0) }
    } else if isNew {
      fault.sites.append(candidate.site)
    }
    fault.sources += groups[candidate.group].sources
    if fault.nearest == nil {
      let reach = groups[candidate.group].reach(of: candidate.key.receiver, from: candidate.depth)
      let methods = reach.values.lazy.filter(\.isCallable).map(\.name)
      fault.nearest = NearestName.nearest(to: candidate.key.name, among: methods)
    }
  }

  /// Sources once, in the order of the catalog.
  private func sorted(_ fault: MemberFault) -> MemberFault {
    let named = Set(fault.sources)
    var fault = fault
    fault.sources = inspection.parsers.map(\.id).filter { named.contains($0) }
    return fault
  }

  // MARK: Doubts

  /// What a candidate is, and what speaks for it; `nil` when it is no fault.
  private func verdict(
    _ candidate: Candidate, _ types: [Int: [String: String]], _ explanations: CallExplanations
  ) -> (MemberFault.Kind, MemberFault.Doubt?)? {
    let answered = candidate.key.receiver == .this ? types[candidate.group]?[candidate.key.name] : nil
    switch candidate.key.kind {
    case .readAsText, .lostThis: return (candidate.key.kind, nil)
    case .getter:
      // A getter that throws or gives nothing may give a function later.
      guard let answered, ["string", "number", "boolean", "object"].contains(answered) else { return nil }
      return (.getter(answered), nil)
    case .notCallable(let type):
      if answered == "function" { return nil }
      let isEmpty = type == "undefined" || type == "null"
      return (candidate.key.kind, isEmpty ? .empty : candidate.catching == .caught ? .caught : nil)
    case .missing:
      if answered == "function" { return nil }
      return missing(candidate, explanations[candidate.key.name])
    }
  }

  private func missing(
    _ candidate: Candidate, _ explanation: CallExplanation?
  ) -> (MemberFault.Kind, MemberFault.Doubt?)? {
    let caught: MemberFault.Doubt? = candidate.catching == .caught ? .caught : nil
    guard let explanation else { return (.missing, caught) }
    let isAbove = candidate.key.receiver == .super
    switch explanation.kind {
    case .method, .override, .word, .key, .madeKey:
      // What the class above lacks is not brought by these: its own members were looked at.
      if isAbove { return (.missing, caught) }
    case .assignment, .objectMethod, .name, .proxy: break
    }
    if !isAbove, ![.method, .word, .proxy].contains(explanation.kind),
      groups[candidate.group].texts.contains(where: { uses[$0].makesMembers })
    {
      return nil
    }
    return (.missing, .explained(explanation))
  }
}
