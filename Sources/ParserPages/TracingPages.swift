public import ParserEngine

/// One request with its answer and the time that it took.
public struct PageTrace: Sendable {
  /// What was asked.
  public let request: PageRequest
  /// What came.
  public let answer: PageAnswer
  /// How long it took.
  public let duration: Duration

  /// Describes a request that is over.
  public init(request: PageRequest, answer: PageAnswer, duration: Duration) {
    (self.request, self.answer, self.duration) = (request, answer, duration)
  }
}

/// Tells about every request that passes through to another provider.
public struct TracingPages: PageProvider {
  private let pages: any PageProvider
  private let report: @Sendable (PageTrace) -> Void

  /// Passes requests on; `report` is called when the answer is there, on any thread.
  public init(_ pages: any PageProvider, report: @escaping @Sendable (PageTrace) -> Void) {
    self.pages = pages
    self.report = report
  }

  /// The answer of the other provider.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    let start = ContinuousClock.now
    let answer = await pages.answer(request)
    report(PageTrace(request: request, answer: answer, duration: ContinuousClock.now - start))
    return answer
  }
}
