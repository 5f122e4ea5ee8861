public import ParserEngine
import Synchronization

/// Has the pages of a recording, and nothing else.
///
/// A request that was recorded several times gets its answers in the same order, and the last of them from then on.
public final class FixturePages: PageProvider {
  private let answers: [RequestKey: [PageAnswer]]
  private let timeless: [RequestKey: [PageAnswer]]
  private let asked = Mutex<[RequestKey: Int]>([:])

  /// Replays exchanges from their beginning.
  public init(_ exchanges: [Exchange]) {
    answers = Dictionary(grouping: exchanges, by: \.key).mapValues { $0.map(\.answer) }
    timeless = Dictionary(grouping: exchanges, by: \.key.timeless).mapValues { $0.map(\.answer) }
  }

  /// The recorded answer; the fault `not-recorded` names a request that the recording does not have.
  public func answer(_ request: PageRequest) async -> PageAnswer {
    let key = RequestKey(request)
    if let known = answers[key] { return next(of: known, for: key) }
    if let known = timeless[key.timeless] { return next(of: known, for: key.timeless) }
    let body = key.body.isEmpty ? "" : " with a body of \(key.body.count) bytes"
    return .fault(
      PageFault(
        .notRecorded, "the recording has no answer to \(key.method) \(key.url)\(body)", url: key.url))
  }

  private func next(of known: [PageAnswer], for key: RequestKey) -> PageAnswer {
    let count = asked.withLock { asked in
      let count = asked[key, default: 0]
      asked[key] = count + 1
      return count
    }
    return known[min(count, known.count - 1)]
  }
}
