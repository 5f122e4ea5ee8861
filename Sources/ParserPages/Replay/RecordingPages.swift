public import ParserEngine
import Synchronization

/// Passes requests on to another provider and remembers what came, in the order in which it came.
///
/// Header fields of requests, cookies and passwords among them, are not remembered.
public final class RecordingPages: PageProvider {
  private struct Record {
    var exchanges: [Exchange] = []
    var bytes = 0
  }

  private let pages: any PageProvider
  private let record = Mutex(Record())

  /// Records what passes through to `pages`.
  public init(_ pages: any PageProvider) { self.pages = pages }

  /// What was recorded so far.
  public var exchanges: [Exchange] { record.withLock { $0.exchanges } }

  /// The answer of the other provider; a fault when the recording would hold more than it may.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    let answer = await pages.answer(request)
    let exchange = Exchange(
      method: request.method, url: request.url, body: request.body ?? [], answer: answer)
    let isKept = record.withLock { record in
      guard record.exchanges.count < Fixture.maxExchanges,
        exchange.answerBytes <= Fixture.maxTotalBytes - record.bytes
      else { return false }
      record.exchanges.append(exchange)
      record.bytes += exchange.answerBytes
      return true
    }
    if isKept { return answer }
    return .fault(
      PageFault(.tooLarge, "the parser asks for more pages than a recording may hold", url: request.url))
  }
}
