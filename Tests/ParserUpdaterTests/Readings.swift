import OTAManifest
import ParserUpdater
import Synchronization

/// Short readings of results, so that a test can compare them in one line.
extension CheckResult {
  /// The code of the reason why the release may not be used; `nil` for every other result.
  var obstacle: String? {
    if case .notUsable(_, let reason) = self { return reason.code }
    return nil
  }

  /// How far the host lags; `nil` for every other result.
  var lag: FeedLag? {
    if case .lagging(let lag) = self { return lag }
    return nil
  }
}

extension UpdateResult {
  /// How far the host lags; `nil` for every other result.
  var lag: FeedLag? {
    if case .unchanged(let result) = self { return result.lag }
    return nil
  }

  /// The code of the reason why the release may not be used; `nil` for every other result.
  var obstacle: String? {
    if case .unchanged(let result) = self { return result.obstacle }
    return nil
  }
}

extension VerdictResult {
  /// Whether the verdict spoke for something else.
  var isIgnored: Bool {
    if case .ignored = self { return true }
    return false
  }
}

/// The problem that `body` throws, or `nil` when it throws none.
func problem(_ body: () async throws -> Void) async -> Problem? {
  do {
    try await body()
    return nil
  } catch {
    return error as? Problem
  }
}

/// Something that a server's thread looks at and a test sets.
final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
