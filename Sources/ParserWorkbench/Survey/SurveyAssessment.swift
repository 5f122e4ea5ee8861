internal import OTAManifest

/// Looks at all sources of a survey together, and at the survey before; pure.
enum SurveyAssessment {
  /// The sources with what only the whole survey can say: fewer fields, suspicious families, what is new, and the history.
  static func assess(
    _ sources: [SurveyedSource], surveyed: Timestamp, since last: SurveyReport?
  ) -> [SurveyedSource] {
    var before: [SourceID: SurveyedSource] = [:]
    for source in last?.sources ?? [] { before[source.id] = source }
    let compared = sources.map { compare($0, with: before[$0.id]) }
    let finders = finders(compared)
    return compared.map { source in
      var source = source
      source.isSuspicious = source.steps.contains { step in
        step.verdict == .empty && finders[step.name]?.contains(source.family) == true
      }
      let old = before[source.id]
      let known = old?.history.last { $0.state != .unknown }?.state ?? old?.state
      source.change = change(from: known, to: source.state)
      let day = SurveyedSource.Day(surveyed: surveyed, state: source.state)
      source.history = Array(((old?.history ?? []) + [day]).suffix(SurveyedSource.maxHistory))
      return source
    }
  }

  /// The families of which a source finds something, by step.
  private static func finders(_ sources: [SurveyedSource]) -> [SurveyStep.Name: Set<String>] {
    var finders: [SurveyStep.Name: Set<String>] = [:]
    for source in sources {
      for step in source.steps where step.found > 0 { finders[step.name, default: []].insert(source.family) }
    }
    return finders
  }

  /// Steps that give something are `fewer` when they lost fields; what is missing stays missing until it comes back.
  private static func compare(_ source: SurveyedSource, with old: SurveyedSource?) -> SurveyedSource {
    guard let old else { return source }
    var source = source
    for index in source.steps.indices where source.steps[index].verdict == .ok {
      let step = source.steps[index]
      guard let before = old.step(step.name) else { continue }
      let missing = Set(before.fields).union(before.missing).subtracting(step.fields).sorted()
      guard !missing.isEmpty else { continue }
      source.steps[index].verdict = .fewer
      source.steps[index].missing = missing
      source.steps[index].text = "\(step.text), without \(missing.joined(separator: ", "))".printable(
        maxCharacters: 300)
    }
    return source
  }

  private static func change(from old: SurveyState?, to new: SurveyState) -> SurveyChange? {
    guard let old else { return new.isBad ? .new : nil }
    if new.isBad { return old.isBad ? .still : .new }
    return old.isBad && new == .ok ? .fixed : nil
  }
}
