internal import Dispatch
internal import OTAManifest

/// Bounds work by the time that a caller has.
enum Deadline {
  /// Runs the work; when the time is over it is cancelled, and once it has ended the answer is `timed-out`.
  ///
  /// Without a limit it runs where it is called.
  static func run<Answer: Sendable>(
    _ limit: Duration?, _ work: @escaping @Sendable () async -> Result<Answer, Problem>
  ) async -> Result<Answer, Problem> {
    guard let limit else { return await work() }
    var isOver = false
    return await withTaskGroup(of: Result<Answer, Problem>?.self) { group in
      group.addTask { await work() }
      group.addTask {
        do { try await Task.sleep(for: limit) } catch { return nil }
        return nil
      }
      var answer: Result<Answer, Problem>?
      while let ended = await group.next() {
        if let ended { answer = ended } else if answer == nil { isOver = true }
        group.cancelAll()
      }
      if isOver, case .failure(let problem)? = answer, problem.code == .cancelled {
        return .failure(Self.problem(limit))
      }
      return answer ?? .failure(Self.problem(limit))
    }
  }

  private static func problem(_ limit: Duration) -> Problem {
    let milliseconds = Int(limit / .milliseconds(1))
    let text = milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    return Problem(
      .timedOut, "no answer within the \(text) that the caller gave", kept: UpdateRun.kept,
      advice: "start it again; what was downloaded so far is used")
  }
}

/// Work that blocks its thread, for callers that must not.
enum BlockingWork {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: work()) }
    }
  }
}
