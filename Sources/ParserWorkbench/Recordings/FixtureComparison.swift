public import OTAManifest
internal import ParserEngine
public import ParserPages

/// Compares what two bundles make of the same pages; pure.
public enum FixtureComparison {
  /// What became of a source, from best to worst of its steps.
  public enum Verdict: String, Sendable, CaseIterable {
    /// Every step gives the same as before.
    case same
    /// As much as before, with other content: titles, chapters or addresses.
    case changed
    /// A step gives more than before, and none gives less.
    case better
    /// A step gives less than before, or fails where it did not.
    case worse
  }

  /// One call, before and now.
  public struct Step: Equatable, Sendable {
    /// What was asked, such as `list`.
    public let name: String
    /// What the live bundle makes of it, or what was recorded where there is none.
    public let before: StepOutcome
    /// What the new bundle makes of it.
    public let now: StepOutcome
    /// What that means.
    public let verdict: Verdict

    init(name: String, before: StepOutcome, now: StepOutcome) {
      (self.name, self.before, self.now) = (name, before, now)
      verdict = FixtureComparison.verdict(before: before, now: now)
    }
  }

  /// One source, before and now.
  public struct Source: Equatable, Sendable {
    /// The source.
    public let id: SourceID
    /// Its calls.
    public let steps: [Step]

    /// What became of the source: worse when any step is, else better when any step is, else changed when any step is.
    public var verdict: Verdict {
      let verdicts = steps.map(\.verdict)
      return [.worse, .better, .changed].first(where: verdicts.contains) ?? .same
    }
  }

  /// Compares the steps of one source.
  ///
  /// - Parameters:
  ///   - before: the outcomes of the live bundle; `nil` compares with what was recorded.
  ///   - now: the outcomes of the new bundle, one for each step of the recording.
  public static func compare(
    _ fixture: Fixture, before: [StepOutcome]?, now: [StepOutcome]
  ) -> Source {
    let before = before ?? fixture.steps.map { .answered($0.answer) }
    let steps = fixture.steps.indices.map { index in
      Step(
        name: fixture.steps[index].method.rawValue, before: outcome(index, of: before),
        now: outcome(index, of: now))
    }
    return Source(id: fixture.source, steps: steps)
  }

  /// What one call became.
  ///
  /// Counted is what a reader needs: filled titles, chapters of a titled work, addresses of pages. Two failures are the same.
  static func verdict(before: StepOutcome, now: StepOutcome) -> Verdict {
    switch (before, now) {
    case (.failed, .failed): return .same
    case (.answered, .failed) where before.richness > 0: return .worse
    case (.answered(let old), .answered(let new)) where old == new: return .same
    default:
      if now.richness < before.richness { return .worse }
      if now.richness > before.richness { return .better }
      if case (.answered, .answered) = (before, now) { return .changed }
      return .same
    }
  }

  private static func outcome(_ index: Int, of outcomes: [StepOutcome]) -> StepOutcome {
    outcomes.indices.contains(index) ? outcomes[index] : .failed(StepFailure(.bundle, "was not run"))
  }
}
