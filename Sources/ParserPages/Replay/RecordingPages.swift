public import ParserEngine
import Synchronization

/// Passes requests on to another provider and remembers what came, in the order in which it came.
///
/// Header fields of requests, cookies and passwords among them, are not remembered.
public final class RecordingPages: PageProvider {
  private let pages: any PageProvider
  private let record = Mutex<[Exchange]>([])

  /// Records what passes through to `pages`.
  public init(_ pages: any PageProvider) { self.pages = pages }

  /// What was recorded so far.
  public var exchanges: [Exchange] { record.withLock { $0 } }

  /// The answer of the other provider.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    let answer = await pages.answer(request)
    record.withLock {
      $0.append(
        Exchange(method: request.method, url: request.url, body: request.body ?? [], answer: answer))
    }
    return answer
  }
}
