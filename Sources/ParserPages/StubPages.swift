public import ParserEngine

/// Has the same answer to everything, or one by URL; for tests and for dry runs.
public struct StubPages: PageProvider {
  private let answers: [String: PageAnswer]
  private let fallback: PageAnswer?

  /// Answers by exact URL.
  ///
  /// - Parameter fallback: the answer to every other URL; without one it is the fault `not-recorded`.
  public init(_ answers: [String: PageAnswer] = [:], fallback: PageAnswer? = nil) {
    self.answers = answers
    self.fallback = fallback
  }

  /// The answer that was put in.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    answers[request.url] ?? fallback
      ?? .fault(PageFault(.notRecorded, "there is no page for \(request.url)", url: request.url))
  }
}
