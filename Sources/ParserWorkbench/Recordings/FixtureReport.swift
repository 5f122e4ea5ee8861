internal import OTAFeed
public import OTAManifest

/// How the sources of a new bundle fare on recorded pages, against the live bundle.
public struct FixtureReport: Equatable, Sendable {
  /// Every recorded source that both catalogs could have, in the order of their ids.
  public let sources: [FixtureComparison.Source]
  /// Recorded sources that the new catalog does not have; whether they may go is another check's question.
  public let absent: [SourceID]
  /// The longest list of sources that a sentence names.
  private static let maxNamed = 5

  /// Puts a report together.
  public init(sources: [FixtureComparison.Source], absent: [SourceID]) {
    self.sources = sources
    self.absent = absent
  }

  /// The number of sources with each verdict.
  public var score: FixtureScore {
    func count(_ verdict: FixtureComparison.Verdict) -> Int { sources.count { $0.verdict == verdict } }
    return FixtureScore(
      sources: sources.count, same: count(.same), changed: count(.changed), better: count(.better),
      worse: count(.worse))
  }

  /// The sources that got worse, in order.
  public var worse: [FixtureComparison.Source] { sources.filter { $0.verdict == .worse } }

  /// The table: a line for each source that is not the same, and the score.
  public var lines: [String] {
    let notable = sources.filter { $0.verdict != .same }
    let width = notable.map { $0.id.text.printable().count }.max() ?? 0
    var lines: [String] = []
    for source in notable {
      let name = source.id.text.printable()
      let space = String(repeating: " ", count: width - name.count + 2)
      let steps = source.steps.filter { $0.verdict != .same }.map(Self.words)
      lines.append("\(name)\(space)\(source.verdict.rawValue): \(steps.joined(separator: "; "))")
    }
    return lines + absent.map { "\($0.text.printable()) is not in the new catalog" } + [score.sentence]
  }

  /// One step in words, such as `list: 24 titles before, now TypeError: … (120:7)`.
  package static func words(_ step: FixtureComparison.Step) -> String {
    step.before.summary == step.now.summary
      ? "\(step.name): \(step.now.summary), with other content"
      : "\(step.name): \(step.before.summary) before, now \(step.now.summary)"
  }
}
