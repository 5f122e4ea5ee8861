internal import OTAFeed
internal import OTAManifest

/// The feed and its mirrors, asked one after the other until one gives something that is believed.
///
/// Each is judged by the same rules against the same store, so a mirror that lags cannot lower anything, and one that
/// serves other bytes is refused as the feed would be. The time for each is that of one run.
struct FeedSources: Sendable {
  let feed: FeedReader
  let mirrors: [FeedReader]

  /// The first answer; when nobody gives one, the problem that says most.
  ///
  /// - Parameter obstacle: why the feed itself is not asked now; then its mirrors are.
  func first<Answer: Sendable>(
    unless obstacle: Problem? = nil, _ ask: (FeedReader) async throws(Problem) -> Answer
  ) async throws(Problem) -> Answer {
    var problem: Problem
    do throws(Problem) {
      if let obstacle { throw obstacle }
      return try await ask(feed)
    } catch {
      problem = error
    }
    for mirror in mirrors {
      guard Self.mayBeBetterElsewhere(problem) else { break }
      do {
        return try await ask(mirror)
      } catch {
        problem = Self.moreTelling(problem, error)
      }
    }
    throw problem
  }

  /// A disk that is full, a store that is busy and a caller who cancelled are the same for every mirror.
  private static func mayBeBetterElsewhere(_ problem: Problem) -> Bool {
    guard problem.code != .cancelled else { return false }
    switch problem.code.responsibility {
    case .tryLater, .untrustedContent: return true
    // A host that denies access; every other file that may not be read is one of this machine.
    default: return problem.code == .forbidden
    }
  }

  /// What stops at once counts, then content that is not believed; of two of a kind the feed's own.
  private static func moreTelling(_ first: Problem, _ second: Problem) -> Problem {
    if !mayBeBetterElsewhere(second) { return second }
    return weight(second) > weight(first) ? second : first
  }

  /// How much a problem says: a host that lags is less of a sign than content that nobody should serve.
  private static func weight(_ problem: Problem) -> Int {
    guard problem.code.responsibility == .untrustedContent else { return 0 }
    return problem.lag == nil ? 2 : 1
  }
}
