internal import OTAManifest

/// How a call of a parser ended, as the app sees it.
public enum CallOutcome: String, Sendable, CaseIterable {
  /// It gave something.
  case parsed
  /// It gave nothing, which may be right.
  case empty
  /// It threw, or gave what the app cannot use.
  case parseError = "parse-error"
  /// The site did not answer; says nothing about the release.
  case networkError = "network-error"
}

/// When a release on trial counts as confirmed without a word of the app.
public enum ConfirmationPolicy: Equatable, Sendable {
  /// Only when the app says so.
  case explicit
  /// With the first call that gave something.
  case firstParsedCall
  /// When the app has run for so many minutes.
  case minutesAlive(Int)
  /// When the reports show that it fails no more often than the last good release.
  case reports
}

/// What the app reported of the calls of one release, by source.
struct CallTally: Equatable, Sendable {
  /// The calls of one source; those that the network failed are not among them.
  struct Counts: Equatable, Sendable {
    var parsed = 0
    var empty = 0
    var errors = 0

    var calls: Int { parsed + empty + errors }
  }

  /// How many sources are counted.
  static let maxSources = 512
  /// How far a source is counted: more calls say nothing new.
  static let maxCalls = 10_000

  var sources: [String: Counts] = [:]

  /// Counts a call; `false` when it says nothing.
  @discardableResult
  mutating func count(_ outcome: CallOutcome, of source: String) -> Bool {
    guard outcome != .networkError else { return false }
    guard sources[source] != nil || sources.count < Self.maxSources else { return false }
    var counts = sources[source] ?? Counts()
    guard counts.calls < Self.maxCalls else { return false }
    switch outcome {
    case .parsed: counts.parsed += 1
    case .empty: counts.empty += 1
    case .parseError: counts.errors += 1
    case .networkError: break
    }
    sources[source] = counts
    return true
  }

  /// Errors and calls of all sources but some.
  func sum(without excluded: Set<String>) -> (errors: Int, calls: Int) {
    var sum = (errors: 0, calls: 0)
    for (source, counts) in sources where !excluded.contains(source) {
      sum.errors += counts.errors
      sum.calls += counts.calls
    }
    return sum
  }
}

/// What the reports of a release on trial come to.
struct CallJudgement: Equatable, Sendable {
  let verdict: SequentialTest.Verdict
  /// The sources that worked before and do not since the release, while their family does.
  let broken: [String]
  /// The counts that decided.
  let errors: Int
  let calls: Int

  /// How many errors without anything else make a source one that is down.
  static let downErrors = 3

  /// Judges a release against the last good one of the same device.
  ///
  /// A source that only fails while another one of its family works is its site's fault: it does not count.
  ///
  /// - Parameter family: the family of a source; `nil` when the catalog does not know it.
  init(_ tally: CallTally, against before: CallTally, family: (String) -> String?) {
    var working: Set<String> = []
    for (source, counts) in tally.sources where counts.parsed > 0 {
      if let family = family(source) { working.insert(family) }
    }
    let down = tally.sources.filter { source, counts in
      counts.errors >= Self.downErrors && counts.parsed == 0 && family(source).map(working.contains) ?? false
    }
    let excluded = Set(down.keys)
    broken = excluded.filter { (before.sources[$0]?.parsed ?? 0) > 0 }.sorted()
    let base = before.sum(without: excluded)
    (errors, calls) = tally.sum(without: excluded)
    verdict = SequentialTest(errors: base.errors, calls: base.calls).verdict(errors: errors, calls: calls)
  }
}
