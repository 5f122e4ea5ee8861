package import OTAManifest
package import OTATransfer

/// How often a failed transfer is tried again, and after which waits; pure.
public struct RetryPolicy: Equatable, Sendable {
  /// How often a transfer is tried in all, at least 1.
  public var attempts: Int
  /// The wait before the second attempt; each further one is twice as long, and each is varied by half of itself.
  public var firstWait: Duration
  /// The longest wait; a host that asks for more is left alone, and the problem is thrown.
  public var longestWait: Duration

  /// Three attempts, after about 0.5 s and 1 s.
  public init(
    attempts: Int = 3, firstWait: Duration = .milliseconds(500), longestWait: Duration = .seconds(10)
  ) {
    self.attempts = attempts
    self.firstWait = firstWait
    self.longestWait = longestWait
  }

  /// One attempt.
  public static let none = RetryPolicy(attempts: 1)

  /// The wait before the next attempt; `nil` when there is to be none.
  ///
  /// - Parameters:
  ///   - attempt: the attempt that failed, from 1.
  ///   - chance: a number from 0 up to 1, so that devices which failed together do not come back together.
  package func wait(
    after error: TransferError, attempt: Int, chance: Double, now: Timestamp
  ) -> Duration? {
    guard attempt < attempts, Self.mayPass(error.kind) else { return nil }
    let grown = firstWait * (1 << min(attempt - 1, 16))
    let varied = grown * (0.5 + min(max(chance, 0), 1))
    guard let asked = error.retryAfter.flatMap({ RetryAfter.end($0, now: now) }) else {
      return min(varied, longestWait)
    }
    let pause = Duration.seconds(max(0, asked.secondsSinceEpoch - now.secondsSinceEpoch))
    return pause > longestWait ? nil : max(pause, min(varied, longestWait))
  }

  /// Whether the same request may succeed a moment later.
  static func mayPass(_ kind: TransferError.Kind) -> Bool {
    switch kind {
    case .unreachable, .timedOut, .stalled, .truncated, .server, .throttled: true
    default: false
    }
  }
}

/// An attempt that failed and is made again.
package struct RetryNote: Equatable, Sendable {
  /// What was asked, without credentials and query.
  package let url: String
  /// Why it failed.
  package let problem: Problem
  /// The attempt that failed, from 1.
  package let attempt: Int
  /// How long the next one waits.
  package let wait: Duration
}

/// The time as retries see it, so that tests need no waiting.
package struct Pace: Sendable {
  /// The wall clock, for `Retry-After` as a date.
  package var now: @Sendable () -> Timestamp
  /// Waits; throws when the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// A number from 0 up to 1.
  package var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
  /// When the caller wants an answer at the latest; `nil` when it does not say.
  package var deadline: ContinuousClock.Instant?

  /// A pace by these clocks.
  package init(
    now: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }
}

/// Tries transfers again by a policy; what has come already is not fetched again where the sink can go on.
package struct RetryingFetcher: Fetcher {
  package let base: any Fetcher
  let policy: RetryPolicy
  let pace: Pace
  let observe: @Sendable (RetryNote) -> Void

  package func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(TransferError) -> FetchResponse {
    var request = request
    var attempt = 1
    while true {
      do throws(TransferError) {
        return try await base.fetch(request, into: sink)
      } catch {
        guard let wait = wait(after: error, attempt, request) else { throw error }
        observe(
          RetryNote(url: error.url, problem: Problem(error), attempt: attempt, wait: wait))
        try await pause(wait, error.url)
      }
      request.resume = sink.resumableBytes.flatMap { $0 > 0 ? ResumePoint(offset: $0, validator: nil) : nil }
      attempt += 1
    }
  }

  private func wait(after error: TransferError, _ attempt: Int, _ request: FetchRequest) -> Duration? {
    guard !Task.isCancelled,
      let wait = policy.wait(after: error, attempt: attempt, chance: pace.chance(), now: pace.now())
    else { return nil }
    if let deadline = pace.deadline, ContinuousClock.now + wait >= deadline { return nil }
    if let budget = request.budget {
      guard budget.remaining > wait else { return nil }
      budget.spend(wait)
    }
    return wait
  }

  private func pause(_ wait: Duration, _ url: String) async throws(TransferError) {
    do {
      try await pace.sleep(wait)
    } catch {
      throw TransferError(.cancelled, url: url, detail: "cancelled while waiting for another attempt")
    }
  }
}
